"""What a peer tells the others of a run about itself and about others, and what its client hears of that.

What is published by its organiser is obeyed here, too: who is blocked, and which versions are too old; so is what it
and its keepers have found out.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Collection
from typing import Any

from core.errors import ErrorKind
from core.protocol.events import Failed, RunScored, Warned
from core.protocol.peers import PeersSeen, SuspectsSeen
from core.run.manifest import RunManifest
from core.run.signed_findings import AuditFindings
from core.worker.access.gate import RunGate
from core.worker.process.channel import WorkerChannel
from core.worker.process.supervisor import StartThread
from core.worker.roles.activity_counter import ActivityCounter
from core.worker.roles.introduction import ContributorWatch, Introduction
from core.worker.roles.receipt_exchange import ReceiptExchange
from core.worker.roles.steering.duplicate_peer_id import DuplicatePeerIdWatch
from core.worker.roles.steering.outdated import outdated_peers
from core.worker.swarm import (
    ACTIVITY,
    HEALTH,
    METRICS,
    NORMS,
    PEER_INFO,
    POWER,
    SUSPECTS,
    BlockListReader,
    FindingsLedger,
    FindingsPublisher,
    FindingsReader,
    LocalMetrics,
    PeerDetails,
    SuspectLedger,
    Swarm,
    SwarmOptimizer,
    kept_blocks_file,
    others_scores,
    published_scores,
    suspects_in,
)
from core.worker.training.numeric_checks import NumericChecks
from core.worker.training.trainer import Trainer

POLL_SECONDS = 5.0
SLOW_POLL_SECONDS = 20.0  # between two looks at scores, at who is blocked, and who is named by whom

log = logging.getLogger(__name__)


class PeerMonitor:
    """Publishes who we are, and what we count and measure; sends PeersSeen, and RunScored as scores are published.

    The ``ledger`` says whom we name as suspects, the ``counter`` what we count; the ``checks`` judge states; the
    ``gate`` knows who leads the run and whose signatures count, and is told who is blocked; what is in ``findings`` is
    signed and published where we are a signer. ``receipts`` run in a thread of their own.
    """

    def __init__(
        self,
        swarm: Swarm,
        manifest: RunManifest,
        introduction: Introduction,
        optimizer: SwarmOptimizer,
        checks: NumericChecks,
        ledger: SuspectLedger,
        counter: ActivityCounter,
        findings: FindingsLedger,
        gate: RunGate,
        channel: WorkerChannel,
    ) -> None:
        self._swarm, self._run_id, self._introduction = swarm, manifest.run.id, introduction
        self.gate = gate  # which knows whose signatures count
        self._optimizer, self._ledger, self.counter, self._channel = optimizer, ledger, counter, channel
        self._score_readers = (optimizer.tracker, optimizer.state_averager, checks)
        self._statistics = optimizer.tracker.statistics
        self._details = PeerDetails(swarm.dht, self._run_id)
        watch = ContributorWatch(swarm, self._run_id, optimizer, lambda: self._details.infos, self._is_leader)
        self.receipts = ReceiptExchange(swarm, manifest, optimizer, gate, watch, channel)
        self._published_at, self._scored_epoch = -math.inf, -1
        self._block_list = BlockListReader(swarm.dht, self._run_id, kept_blocks_file(swarm.folder, self._run_id))
        self._findings = FindingsReader(swarm.dht, self._run_id)
        self._own_findings, self._believed = FindingsPublisher(swarm, findings, self._run_id), frozenset[str]()
        self._duplicates = DuplicatePeerIdWatch()
        self._named, self._looked_at = tuple[tuple[Any, ...], ...](), -math.inf
        self.minimum_version = ""  # replaced from another thread

    def run(self, leaving: threading.Event, start_thread: StartThread) -> None:
        """Publish and send until ``leaving``."""
        self._believe_signers()
        self._block_list.republish(self._swarm, start_thread)
        self.counter.measure_power(leaving, start_thread)
        while not leaving.wait(POLL_SECONDS):
            if time.monotonic() - self._published_at > PEER_INFO.lifetime_seconds / 3:
                self._introduction.publish()
                ACTIVITY.publish(self._swarm, self._run_id, self.counter.record())
                HEALTH.publish(self._swarm, self._run_id, self.counter.health())
                if (power := self.counter.power()) is not None:
                    POWER.publish(self._swarm, self._run_id, power)
                self._publish_ledger()
                self._published_at = time.monotonic()
            tracker = self._optimizer.tracker
            if self._duplicates.look(tracker.reports.get(tracker.own_subkey), tracker.dht.report_times):
                self._channel.emit(Warned(problem=ErrorKind.SAME_PEER_ID.key))
            self._details.refresh(tracker.reports.keys(), tracker.global_epoch)
            peers = self._statistics.peers(self._details.infos)
            if peers:  # before the first look nobody is known, ourselves included
                self._channel.emit(PeersSeen(peers=peers, loss=self._details.loss))
            if time.monotonic() - self._looked_at > SLOW_POLL_SECONDS:
                self._looked_at = time.monotonic()
                if self._swarm.peer_id in self._believed:
                    self._own_findings.publish(start_thread)
                found = self._findings.poll(self._believed)
                self._send_suspects(found.values())
                self._obey(frozenset().union(*(each.barred(time.time()) for each in found.values())))
                self._send_scores()

    def publish_metrics(self, epoch: int, trainer: Trainer) -> None:
        """Tell the swarm's training monitors how the last epoch went on this peer."""
        metrics = LocalMetrics(
            step=epoch,
            samples_per_second=float(self._statistics.my_rate() or 0.0),
            samples_accumulated=trainer.epoch_samples,
            loss=trainer.loss_sum,
            mini_steps=trainer.mini_steps,
        )
        METRICS.publish(self._swarm, self._run_id, metrics)

    def _publish_ledger(self) -> None:
        record, norms = self._ledger.record(), self._ledger.norms(but=self._swarm.peer_id)
        if record.suspects:
            SUSPECTS.publish(self._swarm, self._run_id, record)
        if norms.norms:
            NORMS.publish(self._swarm, self._run_id, norms)

    def _send_suspects(self, findings: Collection[AuditFindings]) -> None:
        """Tell the client whom signers and the peers that report progress name, if others are named, or by others."""
        if self._ledger.has_changed:
            self._publish_ledger()
        records = SUSPECTS.read(self._swarm.dht, self._run_id, ask="in turn")
        suspects = suspects_in(records, self._optimizer.tracker.reports, findings)
        named = tuple((each.peer_id, each.named_by, each.found_out) for each in suspects)
        if named != self._named:
            self._named = named
            self._channel.emit(SuspectsSeen(suspects=suspects))

    def _obey(self, liars: frozenset[str]) -> None:
        """Have nothing to do with whom the organiser has blocked, or a signer found out; leave if we are blocked."""
        authority = self.gate.authority
        blocked = self._block_list.poll(authority) - {authority.leader} if authority.leader else frozenset()
        before, self.gate.blocked = self.gate.blocked, blocked
        if self.gate.is_own_blocked:
            self._channel.emit(Failed(problem=ErrorKind.BLOCKED.key))
            self._channel.leave()
            return
        self._believe_signers()
        also_barred = self._outdated() | liars - self._believed - {self._swarm.peer_id}
        if (blocked, also_barred) != (before, self.gate.also_barred):
            log.info("%d peers are blocked, %d too old for the run or found out", len(blocked), len(also_barred))
            self.gate.also_barred = also_barred
            self._optimizer.bar(self.gate.barred)

    def _believe_signers(self) -> None:
        """Have the averagers believe what the signers find out, but for those who are blocked."""
        believed = frozenset(self.gate.authority.signers) - self.gate.blocked
        if believed != self._believed:
            self._believed = believed
            for each in self._optimizer.averagers:
                each.know_signers(believed)

    def _is_leader(self) -> bool:
        return self._swarm.peer_id == self.gate.authority.leader

    def _outdated(self) -> frozenset[str]:
        """The peers that are older than the organiser asks for."""
        if not self.minimum_version:
            return frozenset()
        activities = ACTIVITY.read(self._swarm.dht, self._run_id, ask="in turn")
        outdated = outdated_peers(activities, self._optimizer.tracker.reports, self.minimum_version)
        return outdated - {self.gate.authority.leader, self._swarm.peer_id}

    def _send_scores(self) -> None:
        """Tell the client of new scores, and who judges others' states of those that we have not signed ourselves."""
        signers = tuple(each for each in self.gate.authority.signers if each not in self.gate.blocked)
        history = published_scores(self._swarm.dht, self._run_id, signers)
        is_signer = self._swarm.peer_id in signers
        others = others_scores(self._swarm, self._run_id, signers) if is_signer else history.scores
        for each in self._score_readers:
            each.know_scores(others)
        if scores := history.since(self._scored_epoch):
            *earlier, latest = scores
            self._scored_epoch = latest.epoch
            self._channel.emit(RunScored(latest=latest, earlier=tuple(earlier)))
