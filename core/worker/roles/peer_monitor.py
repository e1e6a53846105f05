"""What a peer tells the others of a run about itself, and what its client hears about them, every few seconds."""

from __future__ import annotations

import math
import threading
import time

import torch

from core.protocol.events import PeersSeen, RunScored
from core.security.sanitize import MAX_DEVICE_CHARACTERS
from core.worker.process.channel import WorkerChannel
from core.worker.swarm import (
    METRICS,
    PEER_INFO,
    LocalMetrics,
    PeerInfo,
    Swarm,
    SwarmOptimizer,
    published_scores,
    swarm_loss,
)
from core.worker.training.trainer import Trainer

POLL_SECONDS = 5.0


class PeerMonitor:
    """Publishes our PeerInfo in the DHT; sends PeersSeen, and RunScored as the organiser publishes scores.

    ``organiser`` is a peer id; empty where nobody has published the run, and so nobody signs scores.
    """

    def __init__(
        self,
        swarm: Swarm,
        run_id: str,
        organiser: str,
        info: PeerInfo,
        optimizer: SwarmOptimizer,
        channel: WorkerChannel,
    ) -> None:
        self._swarm, self._run_id, self._organiser, self._info = swarm, run_id, organiser, info
        self._statistics, self._channel = optimizer.tracker.statistics, channel
        self._published_at, self._scored_epoch = -math.inf, -1

    def run(self, leaving: threading.Event) -> None:
        """Publish and send until ``leaving``."""
        while not leaving.wait(POLL_SECONDS):
            if time.monotonic() - self._published_at > PEER_INFO.lifetime_seconds / 3:
                PEER_INFO.publish(self._swarm, self._run_id, self._info)
                self._published_at = time.monotonic()
            peers = self._statistics.peers(PEER_INFO.read(self._swarm.dht, self._run_id))
            self._channel.emit(PeersSeen(peers=peers, loss=swarm_loss(self._swarm.dht, self._run_id)))
            if self._organiser:
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

    def _send_scores(self) -> None:
        history = published_scores(self._swarm.dht, self._run_id, self._organiser)
        if scores := history.since(self._scored_epoch):
            *earlier, latest = scores
            self._scored_epoch = latest.epoch
            self._channel.emit(RunScored(latest=latest, earlier=tuple(earlier)))


def device_model(device: str) -> str:
    """The name of the device that computes, as other peers see it."""
    name = torch.cuda.get_device_name(device) if device.startswith("cuda") else "CPU"
    return name[:MAX_DEVICE_CHARACTERS]
