"""The evaluations of the organiser's peer: kept on disk, signed and published for everybody's graphs."""

from __future__ import annotations

import logging
import math
import time
from pathlib import Path

from core.files.atomic import write_atomically
from core.protocol.events import Evaluated
from core.run.manifest import RunManifest
from core.run.signed_scores import EvaluationHistory, Score, scores_in
from core.worker.process.supervisor import StartThread
from core.worker.swarm import Swarm, score_publisher, signed

log = logging.getLogger(__name__)


class EvaluationLog:
    """Publishes the scores of every ``every_epochs``-th epoch and keeps them in ``file`` for the next start."""

    def __init__(self, swarm: Swarm, every_epochs: int, file: Path, history: EvaluationHistory) -> None:
        self._swarm, self._every_epochs, self._file, self._history = swarm, every_epochs, file, history
        self._publisher = score_publisher(swarm, history)

    @classmethod
    def load(cls, swarm: Swarm, manifest: RunManifest, file: Path) -> EvaluationLog:
        """Go on from what an earlier start has left in that file, if our own key has signed it."""
        run_id = manifest.run.id
        kept = scores_in(file.read_bytes(), swarm.peer_id, run_id) if file.exists() else None
        return cls(swarm, manifest.evaluation.every_epochs, file, kept or EvaluationHistory(run_id))

    def start(self, start_thread: StartThread) -> None:
        """Publish what there is, and go on doing so in the background."""
        self._publisher.start(start_thread)

    def add(self, evaluated: Evaluated) -> None:
        """Publish and keep a score, if its epoch is one whose score the run wants."""
        loss = evaluated.loss
        if evaluated.epoch % self._every_epochs or loss is None or not math.isfinite(loss):
            return
        self._history = self._history.with_score(Score(epoch=evaluated.epoch, loss=loss, at=time.time()))
        encoded = signed(self._swarm, self._history)
        self._publisher.publish_instead(encoded)
        try:
            write_atomically(self._file, encoded)
        except OSError as error:
            log.warning("the scores are not kept for the next start: %s", error)
