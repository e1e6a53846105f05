"""The state machine of the connection to a run's other peers: detects partitions and split brain, without any I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from core.localizable import LocalizedText, localized
from core.run.multiaddr import split_peer
from core.worker.delegation.network import ProbeResult

POLL_SECONDS = 2.0
POLL_SECONDS_WHILE_CUT = 0.5  # every second counts then, and nothing else is done
QUIET_SECONDS = 6.0  # we ask the swarm for its progress every second or so
SILENT_PROBES = 2  # on a saturated line a single probe says nothing
CALM_SECONDS = 15.0  # between two looks at who is connected, and between probes while there is really nobody
FAILED_PINGS = 3
AHEAD_POLLS = 5
AHEAD_POLLS_IN_COMPANY = 300  # ten minutes: whoever comes back with an old checkpoint downloads our state meanwhile
EPOCHS_AHEAD = 2  # one is the others' to catch up with
FAILED_ROUNDS = 4  # of one kind in a row and for a minute, with others there and after better ones

ConnectionState = Literal["ok", "searching", "cut", "diverged"]


@dataclass(frozen=True)
class Observation:
    """What is known of the run's other peers at one moment.

    ``quiet_seconds`` have passed since anything came from any of them; ``None`` if nothing ever did.
    ``others_left_cleanly``: all that were there have said goodbye. ``epochs_ahead`` is how many more epochs we
    have seen than any direct peer that is there, ``epochs_alone`` how many of these have passed since we last averaged
    with anybody; ``failed_rounds`` as ContributionMonitor counts them.
    """

    quiet_seconds: float | None
    others_left_cleanly: bool = False
    epochs_ahead: int = 0
    epochs_alone: int = 0
    failed_rounds: int = 0


@dataclass(frozen=True)
class ProbeKnownPeers:
    """Wanted: a TCP probe of every known address; answered by ``on_known_probed``."""


@dataclass(frozen=True)
class PingPeers:
    """Wanted: a DHT ping of the peers at these addresses; answered by ``on_pinged``."""

    addresses: tuple[str, ...]


@dataclass(frozen=True)
class ListConnections:
    """Wanted: the addresses of connected direct peers, and of known ones; answered by ``on_connections``."""


@dataclass(frozen=True)
class ProbeMissingPeers:
    """Wanted: a TCP probe of these addresses; answered by ``on_missing_probed``."""

    addresses: tuple[str, ...]


@dataclass(frozen=True)
class DialPeers:
    """Wanted: a connection to the peers at these addresses; there is no answer."""

    addresses: tuple[str, ...]


@dataclass(frozen=True)
class Restart:
    """Wanted: another worker, which enters the swarm anew and downloads its state; ``reason`` says why."""

    reason: LocalizedText


Action = ProbeKnownPeers | PingPeers | ListConnections | ProbeMissingPeers | DialPeers | Restart
Answers = Mapping[str, ProbeResult]


class ConnectionMonitor:
    """Decides what to do about the connection; is told observations, answers and the time in seconds.

    Every method returns the action that it wants next, if any. ``state`` is "ok"; "searching" while nothing is
    heard and known peers are probed; "cut" when none of them answers: what is computed then would be for
    nobody, and an epoch of our own would be one that the others never had; "diverged" when we are no longer on
    the path that the others are on (split brain).

    From "cut" and "diverged" a volunteer comes back by a Restart: without the dial back-off that libp2p has
    heaped up meanwhile, and without an averaging round from before the cut, which would wait for the others'
    next one while they wait for ours. ``is_first``: the run's first peer never restarts; where it is, the run is.
    """

    def __init__(self, *, is_first: bool) -> None:
        self.state: ConnectionState = "ok"
        self._is_first = is_first
        self._others_left_cleanly = False
        self._silent_probes = self._failed_pings = self._ahead_polls = self._alone_polls = 0
        self._calm_until = self._list_connections_at = 0.0
        self._known_addresses = 0

    @property
    def problem(self) -> LocalizedText:
        """The sentence that a person is told while the connection is cut; else empty."""
        if self.state != "cut":
            return LocalizedText()
        return localized(
            "The connection to the others is lost: none of %1 known addresses answers. Computing goes on as soon as "
            "one does.",
            str(self._known_addresses),
        )

    def on_observation(self, seen: Observation, now: float) -> Action | None:
        """Begin one poll. Nobody is missed by a peer that never heard anybody."""
        if seen.quiet_seconds is None:
            return None
        self._others_left_cleanly = seen.others_left_cleanly
        if seen.quiet_seconds >= QUIET_SECONDS:
            return self._search(now)
        self._recover()
        self._silent_probes = 0
        if (restart := self._check_divergence(seen)) is not None:
            return restart
        if now >= self._list_connections_at:
            self._list_connections_at = now + CALM_SECONDS
            return ListConnections()
        return None

    def on_known_probed(self, answers: Answers, now: float) -> Action | None:
        """Learn which of the known addresses accept connections."""
        accepting = _accepting(answers)
        self._silent_probes = 0 if accepting else self._silent_probes + 1
        if accepting:
            return Restart(localized("They answer again.")) if self.state == "cut" else PingPeers(accepting)
        if self._is_first or self._others_left_cleanly:
            self._recover()
            self._calm_until = now + CALM_SECONDS
        elif self._silent_probes >= SILENT_PROBES:
            self.state, self._known_addresses = "cut", len(answers)
        return None

    def on_pinged(self, *, has_answered: bool, now: float) -> Action | None:
        """Learn whether anybody there answers our own p2pd; if it never gets through, a new one will."""
        if has_answered:
            self._recover()
            self._calm_until = now + CALM_SECONDS / 2
            return None
        self._failed_pings += 1
        if self._failed_pings >= FAILED_PINGS and not self._is_first:
            return Restart(localized("They are there, and do not answer us."))
        return None

    def on_connections(self, connected: Sequence[str], known: Sequence[str]) -> Action | None:
        """Learn with whom we are connected: known peers that are missing may be the other half of a partition.

        hivemind never looks again for peers that were lost. Once both halves hear of each other, whoever is
        some epochs behind follows.
        """
        there = {split_peer(address)[1] for address in connected}
        missing = tuple(address for address in known if split_peer(address)[1] not in there)
        return ProbeMissingPeers(missing) if missing else None

    def on_missing_probed(self, answers: Answers) -> Action | None:
        """Learn which of the missing peers' addresses accept connections."""
        accepting = _accepting(answers)
        return DialPeers(accepting) if accepting else None

    def _search(self, now: float) -> Action | None:
        if now < self._calm_until and self.state != "cut":
            return None
        if self.state != "cut":
            self.state = "searching"
        return ProbeKnownPeers()

    def _check_divergence(self, seen: Observation) -> Restart | None:
        """Others are heard: check that we train on the path that they are on, and are averaged with."""
        self._ahead_polls = self._ahead_polls + 1 if seen.epochs_ahead >= EPOCHS_AHEAD else 0
        self._alone_polls = self._alone_polls + 1 if seen.epochs_alone >= EPOCHS_AHEAD else 0
        if self._is_first:
            return None
        if self._alone_polls >= AHEAD_POLLS or self._ahead_polls >= AHEAD_POLLS_IN_COMPANY:
            self.state = "diverged"
            return Restart(localized("This computer had gone on without the others, %1 epochs.", seen.epochs_ahead))
        if seen.failed_rounds >= FAILED_ROUNDS:
            self.state = "diverged"
            return Restart(localized("The last rounds were averaged with nobody."))
        return None

    def _recover(self) -> None:
        self.state = "ok"
        self._failed_pings = 0


def _accepting(answers: Answers) -> tuple[str, ...]:
    return tuple(address for address, answer in answers.items() if answer == "open")
