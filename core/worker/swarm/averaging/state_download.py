"""Get the run's state from another peer: ask one after the other until one can be used, and never for ever."""

from __future__ import annotations

import concurrent.futures
import logging
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from hivemind.p2p import PeerID
from hivemind.utils import MPFuture

from core.worker.swarm.averaging.state_validation import State
from core.worker.swarm.patches.byte_counters import received_bytes

POLL_SECONDS = 0.1
SILENCE_SECONDS = 90.0  # a download in which nothing arrives for so long has failed
MAX_DONORS = 8  # are asked for one state

log = logging.getLogger(__name__)


class Interrupted(KeyboardInterrupt):
    """We are leaving. A KeyboardInterrupt, because hivemind tries again after everything else."""


class Downloader(Protocol):
    """The averager that a state is for."""

    def request_state(self, unwanted: Iterable[PeerID]) -> MPFuture[Any]:
        """Ask the best donor but those for its state; see `AveragerProcess._fetch_state`."""

    def is_truncated(self, state: State) -> bool:
        """Whether the end of that state is missing."""

    def validation_error(self, state: State) -> str:
        """Why that state cannot be used, in words; empty where it can."""

    def is_behind(self, state: State) -> bool:
        """Whether that state is older than what we need; its donor may have a newer one in a moment."""


class StateDownload:
    """The search for a state that can be used; it all happens in the worker's process.

    WORKAROUND H14: hivemind takes whatever the donor of the highest priority sends, and asks it again and again.

    WORKAROUND H50: hivemind takes a stream whose connection breaks for one that has come to its end. A state of which
    the end is missing is no donor's fault: it is asked again in the next search.

    ``refused`` are those whose state could not be used, and why; they are not asked again as long as
    somebody else is there or we have the run's state ourselves (``has_state``). ``is_offered`` says whether anybody
    offered a state in the last search. ``on_progress(received_bytes,
    is_done)`` and ``on_refusal(peer_id, why)`` are called meanwhile; ``leaving`` interrupts the search.
    """

    def __init__(
        self,
        leaving: threading.Event,
        on_progress: Callable[[int, bool], None],
        on_refusal: Callable[[str, str], None],
    ) -> None:
        self._leaving, self._on_progress, self._on_refusal = leaving, on_progress, on_refusal
        self.refused: dict[PeerID, str] = {}
        self.has_state = self.is_offered = False

    def find(self, averager: Downloader) -> State | None:
        """A state that can be used; ``None`` if nobody has one now. Raises Interrupted."""
        silent: set[PeerID] = set()
        self.is_offered = False
        for _ in range(MAX_DONORS):
            answer = self._wait_for(averager.request_state([*self.refused, *silent]))
            if answer is None:
                break
            self.is_offered, (donor, state) = True, answer
            if state is None or averager.is_truncated(state):
                silent.add(donor)
            elif why := averager.validation_error(state):
                self._refuse(donor, why)
            elif averager.is_behind(state):
                silent.add(donor)
            else:
                self.has_state = True
                return state
        if not self.has_state:
            self.refused.clear()
        return None

    def _refuse(self, donor: PeerID, why: str) -> None:
        log.warning("the state of %s is refused: %s", donor, why)
        self.refused[donor] = why
        self._on_refusal(donor.to_base58(), why)

    def _wait_for(self, answering: MPFuture[Any]) -> tuple[PeerID, State | None] | None:
        """The donor and its state, for as long as anything arrives; ``None`` if nobody offers one."""
        before = latest = received_bytes()
        self._on_progress(0, False)
        changed_at = time.monotonic()
        while True:
            try:
                answer: tuple[PeerID, State | None] | None = answering.result(POLL_SECONDS)
                self._on_progress(received_bytes() - before, answer is not None)
                return answer
            except (TimeoutError, concurrent.futures.TimeoutError):
                received = received_bytes()
            if self._leaving.is_set():
                raise Interrupted
            if received != latest:
                latest, changed_at = received, time.monotonic()
                self._on_progress(received - before, False)
            elif time.monotonic() - changed_at > SILENCE_SECONDS:
                log.warning("the state download was silent for %.0f s", SILENCE_SECONDS)
                return None
