"""Never alone in silence: notice that the others are gone, find out why, and find them again."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Protocol

from core.errors import ErrorKind, UserError
from core.worker.network.peer_cache import PeerCache
from core.worker.network.tcp_probe import tcp_probe

LOOK_SECONDS = 2.0
LOOK_AGAIN_SECONDS = 0.5  # while the line is cut: every second counts then, and nothing else is done
QUIET_SECONDS = 6.0  # we ask the swarm for its progress every second or so
SILENT_LOOKS = 2  # on a line that is full a single one says nothing
CALM_SECONDS = 15.0  # until new acquaintances are noted, or while there is really nobody
VAIN_GREETINGS = 3
LOOKS_AHEAD = 5
EPOCHS_AHEAD = 2  # one is the others' to catch up with
ROUNDS_IN_VAIN = 4  # of one kind, with others there and after better ones

log = logging.getLogger(__name__)


class Others(Protocol):
    """What is known of the others of a run, and how to reach them."""

    def quiet_seconds(self) -> float | None:
        """Since when nobody has been heard; ``None`` if nobody ever was."""

    def have_left_properly(self) -> bool:
        """Whether everybody that was there is gone, and we need not look for them."""

    def epochs_ahead(self) -> int:
        """How many more epochs we have seen than whoever can be reached."""

    def greet(self, addresses: tuple[str, ...]) -> bool:
        """Whether anybody there answers us; then we are connected."""

    def addresses(self) -> tuple[str, ...]:
        """Of those that we are connected with and that can be reached."""


class ConnectionMonitor:
    """Looks after the connection, in a thread. ``trouble`` is what is wrong with it, in words.

    ``is_cut`` is set while nothing is heard of anybody: what is computed then would be for nobody, and an
    epoch of our own would be one that the others never had. A volunteer comes back from there as a worker
    that begins anew and asks for the others' state: without the back-off that libp2p has heaped up meanwhile,
    and without a round of before the cut, which would wait for the others' next one while they wait for ours.
    """

    def __init__(
        self,
        others: Others,
        acquaintances: PeerCache,
        rounds_in_vain: Callable[[], int],
        *,
        is_first: bool,
    ) -> None:
        self._others, self._acquaintances, self._rounds_in_vain = others, acquaintances, rounds_in_vain
        self._is_first = is_first  # the run's first peer goes on alone: where it is, the run is
        self.is_cut = threading.Event()
        self.trouble = ""
        self._failed_pings = self._looks_ahead = self._silent_looks = 0
        self._calm_until = self._meet_at = 0.0

    def hold(self, leaving: threading.Event, changed: Callable[[], None]) -> None:
        """Until we leave; ``changed`` is called when ``trouble`` has. Raises ClientError: SWARM_LOST."""
        while not leaving.wait(LOOK_AGAIN_SECONDS if self.is_cut.is_set() else LOOK_SECONDS):
            before = self.trouble
            self._look()
            if self.trouble != before:
                log.warning("the connection: %s", self.trouble or "all is well again")
                changed()

    def _look(self) -> None:
        quiet = self._others.quiet_seconds()
        if quiet is not None and quiet >= QUIET_SECONDS:
            self._look_for_others()
        elif quiet is not None:
            self._is_well()
            self._check_divergence()
            if time.monotonic() >= self._meet_at:
                self._reconnect_missing()
                self._meet_at = time.monotonic() + CALM_SECONDS

    def _look_for_others(self) -> None:
        if time.monotonic() < self._calm_until and not self.is_cut.is_set():
            return
        answers = tcp_probe(self._acquaintances.addresses)
        accepting = tuple(address for address, answer in answers.items() if answer == "accepts")
        self._silent_looks = 0 if accepting else self._silent_looks + 1
        if accepting:
            self._greet(accepting)
        elif self._is_first or self._others.have_left_properly():
            self._is_well()
            self._calm_until = time.monotonic() + CALM_SECONDS
        elif self._silent_looks >= SILENT_LOOKS:
            self.is_cut.set()
            self.trouble = (
                f"The connection to the others is lost: none of {len(answers)} known addresses answers. "
                "Computing goes on as soon as one does."
            )

    def _reconnect_missing(self) -> None:
        """Note who is there, and call whom we miss: of a swarm that was cut in two, neither part is alone.

        hivemind never looks again for those who were lost. Once they hear of each other, whoever is some
        epochs behind follows.
        """
        connected = self._others.addresses()
        self._acquaintances.meet(connected)
        there = {_name(address) for address in connected}
        missing = [address for address in self._acquaintances.addresses if _name(address) not in there]
        answers = tcp_probe(missing)
        if accepting := tuple(address for address in missing if answers[address] == "accepts"):
            log.info("%d of those whom we miss accept: %s", len(accepting), accepting)
            self._others.greet(accepting)

    def _greet(self, accepting: tuple[str, ...]) -> None:
        """Somebody is there. If only our own p2pd does not get through, another one will."""
        if self.is_cut.is_set():
            raise UserError(ErrorKind.SWARM_LOST, "They answer again.")
        if self._others.greet(accepting):
            self._is_well()
            self._calm_until = time.monotonic() + CALM_SECONDS / 2
            return
        self._failed_pings += 1
        if self._failed_pings >= VAIN_GREETINGS and not self._is_first:
            raise UserError(ErrorKind.SWARM_LOST, "They are there, and do not answer us.")

    def _check_divergence(self) -> None:
        """Those who are there are heard: see that we are on the way that they are on, and averaged with."""
        is_ahead = self._others.epochs_ahead() >= EPOCHS_AHEAD
        self._looks_ahead = self._looks_ahead + 1 if is_ahead else 0
        if self._is_first:
            return
        if self._looks_ahead >= LOOKS_AHEAD:
            raise UserError(
                ErrorKind.SWARM_LOST,
                f"This computer had gone on alone, {self._others.epochs_ahead()} epochs.",
            )
        if self._rounds_in_vain() >= ROUNDS_IN_VAIN:
            raise UserError(ErrorKind.SWARM_LOST, "The last rounds were averaged with nobody.")

    def _is_well(self) -> None:
        self.is_cut.clear()
        self.trouble = ""
        self._failed_pings = 0


def _name(address: str) -> str:
    """The peer's id at the end of its address."""
    return address.rpartition("/p2p/")[2]
