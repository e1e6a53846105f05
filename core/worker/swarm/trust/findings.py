"""What a run's organiser and keepers find out about its peers: collected, signed, published in the DHT, and read.

What is signed, and how it is verified, is in ``core/run/signed_findings.py``.
"""

from __future__ import annotations

import logging
import math
import statistics
import threading
import time
from collections import deque
from collections.abc import Collection, Mapping

from hivemind.dht import DHT

from core.protocol.events import RoundFinished
from core.run.signed_findings import (
    MAX_FINDINGS_BYTES,
    MOST_FOUND,
    AuditFindings,
    FoundLiar,
    TrialScore,
    findings_in,
    sign_findings,
)
from core.worker.swarm.aggregation.recent_peers import RecentPeers
from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.dht.peer_values import dht_key, values_of
from core.worker.swarm.dht.publisher import Publisher, StartThread

DHT_KIND = "workerbee_findings"  # of values, in the DHT key
REMEMBERED_TRIES = 8  # of each peer
LEAST_TRIES = 4  # before a peer is named
LEAST_HARM = 0.0005  # of the held-out loss; less is the run's noise
LEAST_SHARE = 0.5  # of what changes do to the loss at the time, good or bad, that a named peer does harm
REMEMBERED_OF_ALL = 12  # tries of all peers together
MOST_WORSE = 0.75  # of its tries


log = logging.getLogger(__name__)


class TrialLedger:
    """How the held-out loss has changed by what each peer has changed, of its last tries.

    A peer is harmful that makes the loss worse try after try, by half of what changes do to it at the time: one whose
    samples are of another kind than most does some harm now and then, and no peer learns much towards the end.
    """

    def __init__(self) -> None:
        self._changes = RecentPeers[str, deque[tuple[float, float]]](MOST_FOUND)  # each with its share of what is usual
        self._usual = deque[float](maxlen=REMEMBERED_OF_ALL)

    def add(self, peer_id: str, change: float) -> None:
        """The held-out loss has changed by such a share of it; an infinite one is one that is no number."""
        change = change if math.isfinite(change) else 1.0
        self._usual.append(abs(change))
        usual = max(LEAST_HARM, statistics.median_low(self._usual))
        last = self._changes.get(peer_id, deque(maxlen=REMEMBERED_TRIES))
        last.append((change, change / usual))
        self._changes[peer_id] = last

    def scores(self) -> tuple[TrialScore, ...]:
        """Of each peer that was tried of late."""
        return tuple(map(self._score, self._changes))

    def _score(self, peer_id: str) -> TrialScore:
        changes, shares = zip(*self._changes[peer_id], strict=True)
        worse = sum(each > LEAST_HARM for each in changes)
        is_steady = len(changes) >= LEAST_TRIES and worse >= MOST_WORSE * len(changes)
        return TrialScore(
            peer_id=peer_id,
            tries=len(changes),
            worse=worse,
            change=statistics.median(changes),
            is_harmful=is_steady and statistics.median(shares) > LEAST_SHARE,
        )


class FindingsLedger:
    """What we find out ourselves: liars by our audits, and what comes of trying out changes.

    Rounds end, changes are tried out, and records are made in threads of their own.
    """

    def __init__(self, run_id: str) -> None:
        self._run_id, self._trials = run_id, TrialLedger()
        self._liars = RecentPeers[str, float](MOST_FOUND)
        self._lock = threading.Lock()
        self.has_changed = False

    def add_round(self, finished: RoundFinished) -> None:
        """A round has ended, before which our audits have found these liars out."""
        with self._lock:
            for peer_id in finished.liars:
                self._liars[peer_id] = time.time()
                self.has_changed = True

    def add_trial(self, peer_id: str, change: float) -> None:
        """A peer's changes were tried out; the held-out loss has changed by such a share."""
        log.info("the changes of %s change the held-out loss by %+.5f", peer_id, change)
        with self._lock:
            self._trials.add(peer_id, change)
            self.has_changed = True

    def findings(self) -> AuditFindings:
        """All of it as it is signed; what is found from now on ``has_changed``."""
        with self._lock:
            self.has_changed = False
            liars = tuple(FoundLiar(peer_id=peer_id, at=at) for peer_id, at in self._liars.items())
            return AuditFindings(run_id=self._run_id, at=time.time(), liars=liars, trials=self._trials.scores())


class FindingsPublisher:
    """Publishes what the ledger says, signed by us, whenever there is something new."""

    def __init__(self, swarm: Swarm, ledger: FindingsLedger, run_id: str) -> None:
        self._ledger, self._identity = ledger, swarm.identity
        self._publisher = Publisher(swarm.dht, dht_key(run_id, DHT_KIND), swarm.peer_id, self._signed())
        self._is_started = False

    def publish(self, start_thread: StartThread) -> None:
        """Publish what has been found since the last time, if anything has."""
        if not self._ledger.has_changed:
            return
        self._publisher.publish_instead(self._signed())
        if not self._is_started:
            self._is_started = True
            self._publisher.start(start_thread)

    def _signed(self) -> bytes:
        return sign_findings(self._ledger.findings(), self._identity)


class FindingsReader:
    """The newest findings of each signer of a run that were seen so far."""

    def __init__(self, dht: DHT, run_id: str) -> None:
        self._dht, self._run_id = dht, run_id
        self._newest = dict[str, AuditFindings]()

    def poll(self, signers: Collection[str]) -> Mapping[str, AuditFindings]:
        """Look for newer ones; those of these signers, peer ids."""
        if signers:
            self._look(signers)
        return {signer: found for signer, found in self._newest.items() if signer in signers}

    def _look(self, signers: Collection[str]) -> None:
        key = dht_key(self._run_id, DHT_KIND)
        for signer, value in values_of(self._dht, key, (*signers,), MAX_FINDINGS_BYTES, ask="in turn"):
            found = findings_in(value, signer, self._run_id)
            if found is not None and (signer not in self._newest or found.at > self._newest[signer].at):
                self._newest[signer] = found
