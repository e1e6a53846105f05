"""What others have changed is tried out on held-out samples, by the run's organiser and its keepers.

After Zeno (Xie, Koyejo and Gupta, arXiv:1805.10032), which scores a gradient by how far the loss falls along it. Here
the held-out loss is measured a quarter of the way along a peer's weight changes and as far in the opposite direction:
of the difference, what any change costs cancels out, as that of samples of another kind, and a sign remains. Changes
count no more than those of usual norm, as in the average.

Experts on other computers learn between the two measurements, so that the second one is better whatever was changed.
Which of the two comes first therefore changes from one try of a peer to its next. An expert that comes or goes between
them changes the loss far more than what a peer has changed: then neither counts.
"""

from __future__ import annotations

import math
import statistics
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from core.worker.compute.kept_weights import kept_weights
from core.worker.recipes import Evaluation, Recipe
from core.worker.swarm import EncodedTensors, LocalSgdOptimizer, SwarmOptimizer

REMEMBERED_NORMS = 10
COUNTED_PEERS = 1000
STEP = 0.25  # of a peer's changes; all of them lead too far where the model has learned nearly everything


class ChangeTrials:
    """Tries out what peers have changed, between two micro-batches; ``report`` is told of each how the loss changes."""

    time_share = 0.05  # that they take at the most

    def __init__(self, recipe: Recipe, optimizer: SwarmOptimizer, report: Callable[[str, float], None]) -> None:
        self._recipe, self._optimizer, self._report = recipe, optimizer, report
        self._places = [each for each in recipe.model.parameters() if each.requires_grad]
        self._norms = deque[float](maxlen=REMEMBERED_NORMS)
        self._due_at, self._tries = 0.0, Counter[str]()

    def poll(self) -> None:
        """Try out what some have shown, in the trainer's thread and while nothing else uses the model's weights."""
        optimizer, began = self._optimizer, time.monotonic()
        if not isinstance(optimizer, LocalSgdOptimizer) or began < self._due_at:
            return
        is_busy = optimizer.state_averager.pending_updates or optimizer.grad_averager.rounds.is_exchanging
        shown = None if is_busy else optimizer.grad_averager.take_shown()
        if shown is None:
            return
        base, changes = shown
        with optimizer.state_averager.lock_averaged_tensors:
            for peer_id, change in self.changes_of_loss(base, changes).items():
                self._report(peer_id, change)
        self._due_at = time.monotonic() + (time.monotonic() - began) / self.time_share

    @torch.no_grad()
    def changes_of_loss(self, base: Sequence[Tensor], changes: dict[str, EncodedTensors]) -> dict[str, float]:
        """By which share of it the held-out loss of base weights changes along each peer's changes.

        Who shows what is no encoding is left out; changes or losses that are no numbers are the worst that there is.
        Nobody is judged by losses of which one had other experts than the other.
        """
        norms = {peer_id: norm for peer_id, change in changes.items() if (norm := _norm(change, len(base))) is not None}
        self._norms.extend(filter(math.isfinite, norms.values()))
        found, usual = dict[str, float](), statistics.median_low(self._norms) if self._norms else 0.0
        with kept_weights(self._places):
            for peer_id, norm in norms.items():
                step = STEP * min(1.0, usual / norm) if norm > 0 else 0.0
                steps = (step, -step) if self._is_even_try(peer_id) else (-step, step)
                tried = {each: self._evaluated(base, changes[peer_id], each) for each in steps}
                if not tried[step].is_routed_as(tried[-step]):
                    continue
                towards, away = tried[step].loss, tried[-step].loss
                share = (towards - away) / (towards + away) if towards != away else 0.0
                found[peer_id] = share if math.isfinite(share + norm) else 1.0
        return found

    def _is_even_try(self, peer_id: str) -> bool:
        if len(self._tries) >= COUNTED_PEERS:
            self._tries.clear()
        self._tries[peer_id] += 1
        return self._tries[peer_id] % 2 == 0

    def _evaluated(self, base: Sequence[Tensor], change: EncodedTensors, step: float) -> Evaluation:
        for index, (place, weights) in enumerate(zip(self._places, base, strict=True)):
            place.copy_(weights - step * change.decoded(index))
        return self._recipe.evaluate()


def _norm(change: EncodedTensors, tensors: int) -> float | None:
    """That of all of a peer's changes; ``None`` for what is no encoding."""
    try:
        return math.hypot(*(float(change.decoded(index).norm()) for index in range(tensors)))
    except ValueError:
        return None
