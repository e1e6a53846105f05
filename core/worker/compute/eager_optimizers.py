"""Optimizers that work without PyTorch's compiler, whose import takes as long as all of torch and 80 MiB of memory.

torch 2.13 imports ``torch._dynamo`` with the first optimizer that is built, only to mark what its compiler
must leave alone. Nobody here compiles an optimizer. A model that is compiled imports it by itself, and so do those of
``transformers``.
"""

from __future__ import annotations

from types import FunctionType

import torch
from torch.optim import Optimizer
from torch.optim.optimizer import _use_grad_for_differentiable

_MARKED = Optimizer.add_param_group, Optimizer.state_dict, Optimizer.load_state_dict, Optimizer.zero_grad
_DIFFERENTIABLE = _use_grad_for_differentiable(lambda: None).__code__


def load_no_compiler(kind: type[Optimizer]) -> None:
    """Have optimizers of that class, and of those that it is made of, do without it; more calls change nothing more.

    They cannot be ``differentiable`` any more: a step is never a part of a graph.
    """
    for marked in _MARKED:
        plain = getattr(marked, "__wrapped__", marked)
        setattr(plain, "__dynamo_disable", plain)  # where torch's decorator looks for it
    for each in kind.__mro__:
        step = vars(each).get("step")
        if isinstance(step, FunctionType) and step.__code__ is _DIFFERENTIABLE:
            each.step = torch.no_grad()(step.__wrapped__)  # type: ignore[attr-defined]
