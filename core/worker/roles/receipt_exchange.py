"""Receipts for samples: signed for others by the organiser and the keepers, and collected by everybody else."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from core.run.manifest import RunManifest
from core.run.signed_receipts import sign_receipts
from core.worker.access.gate import RunGate
from core.worker.process.channel import WorkerChannel
from core.worker.roles.introduction import ContributorWatch
from core.worker.swarm import (
    Publisher,
    SampleLedger,
    Swarm,
    SwarmOptimizer,
    receipts_for,
    receipts_publisher,
)

LOOK_SECONDS = 1.0  # between two looks at the reports, which are in memory
SIGN_SECONDS = 20.0  # between two records of ours, at least
READ_SECONDS = 20.0  # between two looks for receipts of ours, at least


class ReceiptExchange:
    """Signs what others report, or looks for what is signed for us; the ``gate`` knows whose word counts.

    ``contributors`` notes who of the others may be named in model cards.
    """

    def __init__(
        self,
        swarm: Swarm,
        manifest: RunManifest,
        optimizer: SwarmOptimizer,
        gate: RunGate,
        contributors: ContributorWatch,
        channel: WorkerChannel,
    ) -> None:
        self._swarm, self._run_id = swarm, manifest.run.id
        self._most_per_epoch = round(manifest.collaboration.target_batch_size * manifest.steering.max_change)
        self._tracker, self._gate, self._channel = optimizer.tracker, gate, channel
        self._contributors = contributors
        self._signed_at = self._read_at = -math.inf
        self._collected: dict[str, int] = {}

    def run(self, leaving: threading.Event, start_thread: Callable[[str, Callable[[], None]], object]) -> None:
        """Sign or collect until ``leaving``."""
        if self._swarm.peer_id in self._gate.authority.signers:
            self._sign_for_others(leaving, start_thread)
        else:
            while not leaving.wait(LOOK_SECONDS):
                self._collect()

    def _sign_for_others(
        self, leaving: threading.Event, start_thread: Callable[[str, Callable[[], None]], object]
    ) -> None:
        path = self._swarm.folder / f"receipts-{self._run_id}.json"
        ledger = SampleLedger(self._run_id, self._most_per_epoch, path)
        publisher = receipts_publisher(self._swarm, ledger.receipts())
        publisher.start(start_thread)
        start_thread("contributors", lambda: self._contributors.run(leaving, ledger.samples))
        has_news = False
        while not leaving.wait(LOOK_SECONDS):
            mine = self._tracker.own_subkey
            has_news |= ledger.see({key: each for key, each in self._tracker.counted.items() if key != mine})
            if has_news and time.monotonic() - self._signed_at >= SIGN_SECONDS:
                self._publish(publisher, ledger)
                has_news = False
        ledger.save()

    def _publish(self, publisher: Publisher, ledger: SampleLedger) -> None:
        self._signed_at = time.monotonic()
        publisher.publish_instead(sign_receipts(ledger.receipts(), self._swarm.identity))
        ledger.save()

    def _collect(self) -> None:
        """Tell the client of receipts for more samples than before."""
        if time.monotonic() - self._read_at < READ_SECONDS:
            return
        self._read_at = time.monotonic()
        for seen in receipts_for(self._swarm.dht, self._run_id, self._gate.authority.signers, self._tracker.own_subkey):
            if seen.samples > self._collected.get(seen.signer, 0):
                self._collected[seen.signer] = seen.samples
                self._channel.emit(seen)
