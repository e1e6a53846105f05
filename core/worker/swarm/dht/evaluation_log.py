"""The evaluations of a run by its organiser and keepers: kept on disk, signed, published in the DHT, read by everybody.

What is signed, and how it is verified, is in ``core/run/signed_scores.py``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from hivemind.dht import DHT

from core.protocol.events import Evaluated
from core.run.manifest import RunManifest
from core.run.signed_scores import MAX_SCORES_BYTES, EvaluationHistory, Score, scores_in, sign_scores
from core.run.steering.kept_record import keep_record
from core.run.steering.rollback import Rollback
from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.dht.peer_values import dht_key, values_of
from core.worker.swarm.dht.publisher import Publisher, StartThread

DHT_KIND = "workerbee_scores"  # of values, in the DHT key


class EvaluationLog:
    """Publishes the scores of every ``every_epochs``-th epoch and keeps them in ``file`` for the next start."""

    def __init__(self, swarm: Swarm, every_epochs: int, file: Path, history: EvaluationHistory) -> None:
        self._identity, self._every_epochs, self._file = swarm.identity, every_epochs, file
        self._history = self._told = history
        self._publisher = Publisher(swarm.dht, dht_key(history.run_id, DHT_KIND), swarm.peer_id, self._signed())

    @classmethod
    def load(cls, swarm: Swarm, manifest: RunManifest, file: Path, rollback: Rollback | None = None) -> EvaluationLog:
        """Go on from what an earlier start has left in that file, if our own key has signed it.

        What was measured before a rollback of epochs after it is left out.
        """
        run_id = manifest.run.id
        kept = scores_in(file.read_bytes(), swarm.peer_id, run_id) if file.exists() else None
        history = kept or EvaluationHistory(run_id)
        if rollback is not None:
            history = history.gone_back_to(rollback.epoch, rollback.at)
        return cls(swarm, manifest.evaluation.every_epochs, file, history)

    def start(self, start_thread: StartThread) -> None:
        """Publish what there is, and go on doing so in the background."""
        self._publisher.start(start_thread)

    def add(self, evaluated: Evaluated, roots: Mapping[int, bytes]) -> None:
        """Publish and keep a score, if its epoch is one whose score the run wants; call it after every epoch.

        ``roots`` are those of the base weights that ours lead on from, by their number of outer steps, ours included.
        That of ours is signed once a step has led on from them: until then a group may find that others are right.
        """
        loss, steps = evaluated.loss, max(roots, default=0)
        self._history = self._history.only_roots(roots)
        if evaluated.epoch % self._every_epochs == 0 and loss is not None and math.isfinite(loss):
            score = Score(epoch=evaluated.epoch, loss=loss, at=time.time(), steps=steps, root=roots.get(steps, b""))
            self._history = self._history.with_score(score)
        told = self._history.only_roots({number: root for number, root in roots.items() if number < steps})
        if told != self._told:
            self._told = told
            encoded = self._signed()
            self._publisher.publish_instead(encoded)
            keep_record(self._file, encoded)

    def _signed(self) -> bytes:
        return sign_scores(msgspec.structs.replace(self._told, at=time.time()), self._identity)


def published_scores(dht: DHT, run_id: str, signers: Sequence[str]) -> EvaluationHistory:
    """What these peer ids have signed, the organiser's first and then its keepers'; empty where that is nothing."""
    if not signers:
        return EvaluationHistory(run_id)
    latest = {signer: EvaluationHistory(run_id) for signer in signers}
    for signer, value in values_of(dht, dht_key(run_id, DHT_KIND), signers, MAX_SCORES_BYTES, ask="in turn"):
        if (history := scores_in(value, signer, run_id)) and history.at >= latest[signer].at:
            latest[signer] = history
    first, *keepers = latest.values()
    return first.completed_by(keepers)


def others_scores(swarm: Swarm, run_id: str, signers: Sequence[str]) -> tuple[Score, ...]:
    """The same without our own: what we sign ourselves says nothing of how far others are."""
    return published_scores(swarm.dht, run_id, [each for each in signers if each != swarm.peer_id]).scores
