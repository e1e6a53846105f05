"""Muon, which steps a matrix by its momentum with all singular values made nearly equal, and AdamW beside it.

Jordan and others, "Muon: An optimizer for hidden layers in neural networks", 2024; the size of a step is that of Liu
and others, "Muon is Scalable for LLM Training", arXiv:2502.16982. The orthogonalization, five steps of a Newton-Schulz
iteration, is pytorch-optimizer's.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import torch
from torch import Tensor, nn

MOMENTUM = "momentum_buffer"
_ADAMW_RMS = 0.2  # of AdamW's usual step, for a learning rate of 1


def hidden_matrices(model: nn.Module) -> frozenset[int]:
    """The places of the matrices of hidden layers among the parameters of a model that are trained.

    Embeddings are none, nor is the output layer, which is the last linear one; a convolution has more dimensions.
    """
    outer = {id(each.weight) for each in model.modules() if isinstance(each, nn.Embedding)}
    linear = [each for each in model.modules() if isinstance(each, nn.Linear)]
    outer |= {id(each.weight) for each in linear[-1:]}
    trained = [each for each in model.parameters() if each.requires_grad]
    return frozenset(place for place, each in enumerate(trained) if each.dim() == 2 and id(each) not in outer)


class MuonWithAdamW(torch.optim.AdamW):
    """AdamW, but for the parameters at those places, whose steps are Muon's; all matrices where none are told.

    Both are one optimizer with the parameter groups that it is given, as hivemind's averagers need. A matrix has one
    number of ``MOMENTUM`` for each of its own.
    """

    def __init__(
        self, params: Any, *, momentum: float, hidden_matrices: Collection[int] | None = None, **adamw: Any
    ) -> None:
        super().__init__(params, **adamw)
        self._momentum = momentum
        every = [parameter for group in self.param_groups for parameter in group["params"]]
        places = (
            (place for place, each in enumerate(every) if each.dim() == 2)
            if hidden_matrices is None
            else hidden_matrices
        )
        self._matrices = {every[place] for place in places}

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        """Step the matrices, then all else as AdamW does; gradients stay as they are.

        `optimizers.Clipping`, over all optimizers, takes the closure.
        """
        gradients = dict[Tensor, Tensor]()
        for group in self.param_groups:
            for matrix in group["params"]:
                if matrix in self._matrices and matrix.grad is not None:
                    self._step_matrix(matrix, matrix.grad, group)
                    gradients[matrix], matrix.grad = matrix.grad, None
        super().step()
        for matrix, gradient in gradients.items():
            matrix.grad = gradient

    def _step_matrix(self, matrix: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        """One step with Nesterov's momentum and decoupled weight decay."""
        state = self.state[matrix]
        if not state:
            state["step"], state[MOMENTUM] = torch.zeros(()), torch.zeros_like(matrix)
        state["step"] += 1  # as AdamW's states have it, which are loaded alike
        state[MOMENTUM].lerp_(gradient, 1 - self._momentum)
        update = orthogonalized(gradient.lerp(state[MOMENTUM], self._momentum))
        size = _ADAMW_RMS * math.sqrt(max(matrix.shape))
        matrix.mul_(1 - group["lr"] * group["weight_decay"]).add_(update, alpha=-group["lr"] * size)


def orthogonalized(matrix: Tensor) -> Tensor:
    """That matrix with its singular values between 0.7 and 1.2, approximately; zeros stay zeros.

    On a GPU in bfloat16, as it was published; on a CPU in float32, since many have no arithmetic for bfloat16.
    """
    from pytorch_optimizer.optimizer.utils.matrix import zero_power_via_newton_schulz_5

    dtype = torch.float32 if matrix.device.type == "cpu" else torch.bfloat16
    return zero_power_via_newton_schulz_5(matrix, dtype=dtype).to(matrix.dtype)
