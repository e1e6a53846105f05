"""The two averagers of local SGD: changes of weights are averaged; base weights are shared with newcomers.

As ``averaging/averagers.py``, whose classes these extend, but for what is passed on to the averager's process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from core.worker.swarm.averaging.allreduce import ValidatingRunner
from core.worker.swarm.averaging.averagers import GradientAverager, TrainingStateAverager
from core.worker.swarm.local_sgd.codecs import CodecCompression
from core.worker.swarm.local_sgd.exchange import DeltaRunner, ReductionRule


class DeltaAverager(GradientAverager):
    """Averages what our steps have changed since the last round, in place of hivemind's gradients.

    ``base`` are the base weights, float32 on the CPU; ``parameters`` are the model's, which the steps change. With
    ``keeps_snapshot``, `snapshot` is what they were when the exchange began, for those who go on training meanwhile.
    Who is ``weightless`` averages for the others, and has changed nothing.
    """

    def __init__(
        self,
        *args: Any,
        base: Sequence[Tensor],
        rule: ReductionRule,
        keeps_snapshot: bool,
        weightless: bool,
        **kwargs: Any,
    ) -> None:
        self._base, self._rule, self._keeps_snapshot, self._weightless = base, rule, keeps_snapshot, weightless
        self.snapshot: list[Tensor] | None = None
        # hivemind's name for a gradient averager without sums of its own: the model's weights are the sum
        super().__init__(*args, reuse_grad_buffers=True, compression=CodecCompression(rule.codec), **kwargs)

    def step(self, *args: Any, **kwargs: Any) -> Any:
        """Begin a round as GradientAverager does; our weight is the number of our samples in it."""
        return super().step(*args, **kwargs | ({"weight": 0.0} if self._weightless else {}))

    @torch.no_grad()
    def load_accumulators_into_averager_(self) -> None:
        """Put the pseudo-gradient, base weights minus the model's, into the buffers that are averaged."""
        with self.get_tensors() as deltas:
            for delta, base, weights in zip(deltas, self._base, self.parameters, strict=True):
                torch.sub(base, weights.detach().to("cpu", torch.float32), out=delta)
        if self._keeps_snapshot:
            self.snapshot = [weights.detach().clone() for weights in self.parameters]

    def reset_accumulated_grads_(self) -> None:
        """Begin to count the samples of the next round."""
        self._accumulators_used_in_step = False
        self.local_samples_accumulated = self.local_times_accumulated = 0
        self._anchor_batch_size = None

    def _make_runner(self, **kwargs: Any) -> ValidatingRunner:
        return DeltaRunner(rule=self._rule, **kwargs)

    def _apply_update(self, tensor: Tensor, update: Tensor) -> None:
        """Take the average itself, which all peers have in the same bits."""
        tensor.copy_(update)


class BaseWeightsAverager(TrainingStateAverager):
    """Shares base weights and outer momentum with newcomers; nothing of it is averaged.

    ``on_base_moved`` is called, in the trainer's thread, once the base weights have changed; its argument is true
    where they are another peer's, so that our own steps since the last round are void.
    """

    def __init__(self, *args: Any, on_base_moved: Callable[[bool], None], **kwargs: Any) -> None:
        self._on_base_moved = on_base_moved
        self._is_loading = False
        super().__init__(*args, **kwargs)

    def load_state_from_peers(self, *args: Any, **kwargs: Any) -> None:
        """Take another peer's base weights, as TrainingStateAverager takes its state."""
        self._is_loading = True
        try:
            super().load_state_from_peers(*args, **kwargs)
        finally:
            self._is_loading = False

    def _apply_optimizer_parameters_(self) -> None:
        self._on_base_moved(self._is_loading)
