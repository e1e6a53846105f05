"""Whether what is computed here can be right: finite losses and gradients, and a model that is not absurd."""

from __future__ import annotations

import math

import torch

from core.worker.recipes import Recipe

ABSURD = 3.0  # times the loss of a model that has learned nothing yet
PATIENCE_STEPS = 50  # micro-batches in a row without a finite gradient


class NumericChecks:
    """Knows how the untrained model does; build it before anything is trained or loaded."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._limit = 1.0 + ABSURD * recipe.evaluate().loss
        self.consecutive_bad_steps = 0
        parameters = [each for each in recipe.model.parameters() if each.requires_grad]
        self._ends = (parameters[0], parameters[-1])

    def flaw(self) -> str:
        """What is wrong with the model's present parameters, in words; nothing where they may be right."""
        return self.flaw_of(self._recipe.evaluate().loss)

    def flaw_of(self, loss: float) -> str:
        """The same, where the loss on the held-out samples is known."""
        if not math.isfinite(loss):
            return "its loss is no number"
        if loss > self._limit:
            return f"its loss is {loss:.3g}, far beyond that of a model that has learned nothing"
        return ""

    def note_step(self, loss: torch.Tensor) -> bool:
        """Whether a micro-batch may be used: its loss and its gradient are finite.

        Only both ends of the model are looked at, because the device has to stand still for every look: what
        is no number in between spreads to the first parameters. Should it not, the averager still keeps it.
        """
        looked_at = [loss.detach(), *(each.grad for each in self._ends if each.grad is not None)]
        norms = [norm.to(loss.dtype) for norm in torch._foreach_norm(looked_at)]
        is_usable = bool(torch.stack(norms).isfinite().all())
        self.consecutive_bad_steps = 0 if is_usable else self.consecutive_bad_steps + 1
        return is_usable
