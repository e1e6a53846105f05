"""The outlier ledger: what each peer has seen of others that cannot be right, and what all of them have seen together.

Beside it stands how large what each has sent is beside the others', as its reducers have measured it. That is no blame.

Everybody counts for itself, by the peer ids that libp2p has authenticated, and publishes its counts with its signature.
They are for people: a liar may name honest peers, so nothing but the number of those who name somebody tells how much
there is to it, and nobody is blocked by them.
"""

from __future__ import annotations

import math
import threading
from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping
from statistics import median

from core.protocol.events import RoundFinished
from core.protocol.peers import Suspect
from core.run.signed_findings import AuditFindings, TrialScore
from core.worker.swarm.dht.run_records import (
    MAX_NORMS,
    MAX_SUSPECTS,
    NormRecord,
    NormsRecord,
    SuspectRecord,
    SuspectsRecord,
)

MAX_TOLD = 64  # suspects, of all that anybody names
_MAX_COUNT = 10**6
_NORM_ROUNDS = 20  # of each peer, of which the median is told
_LEAST_RATIO, _LARGEST_RATIO = 1e-4, 1e6  # that are told
_MAX_COUNTED = 1000  # peers; whoever makes itself a new id for each lie fills no memory


class SuspectLedger:
    """In how many rounds we have named each peer an outlier, how many of its states were refused, and its norm ratios.

    Rounds end, states are refused, and records are made in threads of their own.
    """

    def __init__(self) -> None:
        self._rounds, self._states = Counter[str](), Counter[str]()
        self._norms: dict[str, deque[float]] = {}
        self._lock = threading.Lock()
        self.has_changed = False

    def add_round(self, finished: RoundFinished) -> None:
        """A round has ended, with these outliers and norms."""
        if finished.outliers:
            self._add(self._rounds, finished.outliers)
        with self._lock:
            for peer, ratio in finished.norm_ratios:
                self.has_changed |= peer not in self._norms
                last = self._norms.pop(peer, None) or deque(maxlen=_NORM_ROUNDS)
                last.append(min(max(ratio, _LEAST_RATIO), _LARGEST_RATIO))
                self._norms[peer] = last  # the one that was heard last is last
            while len(self._norms) > _MAX_COUNTED:
                del self._norms[next(iter(self._norms))]

    def add_refused_state(self, peer_id: str) -> None:
        """A state of that peer could not be used."""
        self._add(self._states, (peer_id,))

    def record(self) -> SuspectsRecord:
        """Those that we have seen most of, as they are published; what changes from now on ``has_changed``."""
        with self._lock:
            self.has_changed = False
            most = (self._rounds + self._states).most_common(MAX_SUSPECTS)
            counted = [
                (peer, min(self._rounds[peer], _MAX_COUNT), min(self._states[peer], _MAX_COUNT)) for peer, _ in most
            ]
        return SuspectsRecord(
            suspects=[SuspectRecord(peer_id=peer, rounds=rounds, states=states) for peer, rounds, states in counted]
        )

    def norms(self, but: str = "") -> NormsRecord:
        """The median norm ratio of each ``but`` that one, as it is published; of many, those furthest from 1."""
        with self._lock:
            told = {peer: (median(last), len(last)) for peer, last in self._norms.items() if peer != but}
        furthest = sorted(told.items(), key=lambda each: -abs(math.log(each[1][0])))[:MAX_NORMS]
        return NormsRecord(
            norms=[NormRecord(peer_id=peer, ratio=ratio, rounds=rounds) for peer, (ratio, rounds) in furthest]
        )

    def _add(self, counts: Counter[str], peers: Iterable[str]) -> None:
        with self._lock:
            self.has_changed = True
            counts.update(peers)
            if len(counts) > _MAX_COUNTED:
                kept = dict(counts.most_common(_MAX_COUNTED // 2))
                counts.clear()
                counts.update(kept)


def suspects_in(
    records: Mapping[bytes, SuspectsRecord], reporting: Iterable[bytes], findings: Collection[AuditFindings] = ()
) -> tuple[Suspect, ...]:
    """Whom the signers of these ``findings`` name, and the peers with these subkeys, those named by most of them first.

    Who only signs a record, and does not report progress in the run, names nobody.
    """
    there = [records[subkey].suspects for subkey in {*reporting} & records.keys()]
    named_by, rounds, states = Counter[str](), Counter[str](), Counter[str]()
    for suspects in there:
        once = {each.peer_id: each for each in suspects}
        named_by.update(once.keys())
        rounds.update({peer: each.rounds for peer, each in once.items()})
        states.update({peer: each.states for peer, each in once.items()})
    found_out = Counter(each.peer_id for signed in findings for each in signed.liars)
    trials = [each for signed in findings for each in signed.trials]
    harmful = {each.peer_id for each in trials if each.is_harmful}
    order = sorted(
        {*named_by, *found_out, *harmful},
        key=lambda peer: (-found_out[peer], peer not in harmful, -named_by[peer], -rounds[peer] - states[peer], peer),
    )
    return tuple(
        Suspect(
            peer_id=peer,
            named_by=named_by[peer],
            rounds=rounds[peer],
            refused_states=states[peer],
            found_out=found_out[peer],
            tries=sum(each.tries for each in _of(peer, trials)),
            worse=sum(each.worse for each in _of(peer, trials)),
        )
        for peer in order[:MAX_TOLD]
    )


def norm_ratios_in(records: Mapping[bytes, NormsRecord], reporting: Iterable[bytes]) -> dict[str, float]:
    """The median of what the peers with these subkeys have measured of each peer."""
    measured: dict[str, list[float]] = {}
    for subkey in {*reporting} & records.keys():
        for peer, ratio in {each.peer_id: each.ratio for each in records[subkey].norms}.items():
            measured.setdefault(peer, []).append(ratio)
    return {peer: median(ratios) for peer, ratios in measured.items()}


def _of(peer: str, trials: Iterable[TrialScore]) -> list[TrialScore]:
    return [each for each in trials if each.peer_id == peer]
