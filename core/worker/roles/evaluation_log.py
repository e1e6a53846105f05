"""What the organiser's peer measures of its run, kept, signed and published for everybody's graphs."""

from __future__ import annotations

import logging
import math
import time
from pathlib import Path

from core.files.atomic import write_atomically
from core.protocol.events import Evaluated
from core.run.manifest import RunManifest
from core.run.signed_scores import EvaluationHistory, Score, scores_in
from core.worker.swarm import Swarm, score_publisher, signed

log = logging.getLogger(__name__)


class EvaluationLog:
    """Goes on from what an earlier start has left in that file, if it is ours."""

    def __init__(self, swarm: Swarm, manifest: RunManifest, file: Path) -> None:
        self._swarm, self._every_epochs = swarm, manifest.evaluation.every_epochs
        self._file = file
        run_id = manifest.run.id
        left = scores_in(self._file.read_bytes(), swarm.peer_id, run_id) if self._file.exists() else None
        self._scores = left or EvaluationHistory(run_id)
        self._publisher = score_publisher(swarm, self._scores)

    def start(self) -> None:
        """Publish what there is, and go on doing so."""
        self._publisher.start()

    def note(self, evaluated: Evaluated) -> None:
        """It counts if its epoch is one whose score the run wants to be told."""
        loss = evaluated.loss
        if evaluated.epoch % self._every_epochs or loss is None or not math.isfinite(loss):
            return
        self._scores = self._scores.with_score(Score(epoch=evaluated.epoch, loss=loss, at=time.time()))
        encoded = signed(self._swarm, self._scores)
        self._publisher.publish_instead(encoded)
        try:
            write_atomically(self._file, encoded)
        except OSError as error:
            log.warning("the scores are not kept for the next start: %s", error)
