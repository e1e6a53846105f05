"""Sanity checks of what is computed here: finite losses and gradients, and a model whose loss is plausible."""

from __future__ import annotations

import math

import torch

from core.worker.recipes import Recipe

ABSURD = 3.0  # times the loss of a model that has learned nothing yet
PATIENCE_STEPS = 50  # micro-batches in a row without a finite gradient


class NumericChecks:
    """Refuses losses, gradients and models that cannot be right; ``untrained_loss`` is that of the initial model."""

    def __init__(self, recipe: Recipe, untrained_loss: float) -> None:
        self._recipe = recipe
        self._limit = 1.0 + ABSURD * untrained_loss
        self.consecutive_bad_steps = 0
        parameters = [each for each in recipe.model.parameters() if each.requires_grad]
        self._ends = (parameters[0], parameters[-1])

    @classmethod
    def of_untrained(cls, recipe: Recipe) -> NumericChecks:
        """Evaluate the recipe's model, in which nothing is trained or loaded yet."""
        return cls(recipe, recipe.evaluate().loss)

    def model_error(self) -> str:
        """What is wrong with the model's present parameters, in words; empty where they may be right."""
        return self.loss_error(self._recipe.evaluate().loss)

    def loss_error(self, loss: float) -> str:
        """What is wrong with a model that has this loss on the validation set, in words; empty if nothing is."""
        if not math.isfinite(loss):
            return "its loss is not a number"
        if loss > self._limit:
            return f"its loss is {loss:.3g}, far beyond that of a model that has learned nothing"
        return ""

    def check_step(self, loss: torch.Tensor) -> bool:
        """Whether a micro-batch may be used: its loss and its gradient are finite.

        Only the gradients of the first and the last parameter are read, because every read synchronises with
        the device: a NaN in between spreads to the first parameters in the backward pass. Should it not, the
        averager still refuses it.
        """
        checked = [loss.detach(), *(each.grad for each in self._ends if each.grad is not None)]
        norms = [norm.to(loss.dtype) for norm in torch._foreach_norm(checked)]
        is_usable = bool(torch.stack(norms).isfinite().all())
        self.consecutive_bad_steps = 0 if is_usable else self.consecutive_bad_steps + 1
        return is_usable
