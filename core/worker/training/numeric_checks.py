"""Sanity checks of what is computed here: finite losses and gradients, and a model whose loss is plausible."""

from __future__ import annotations

import logging
import math
import statistics
from collections import deque
from collections.abc import Callable, Sequence

import torch

from core.localizable import Detail, localized
from core.run.signed_scores import Score
from core.worker.recipes import Recipe

ABSURD = 3.0  # times the loss of a model that has learned nothing yet
REMEMBERED_LOSSES = 10  # of our own model
MIN_LOSSES = 3
LOST_SHARE = 0.1  # of what was learned, that another peer's model may lack
SIGNED_LOST_SHARE = 0.3  # the same, of what the organiser has measured, on another computer and at another moment
LEAST_NOISE = 0.02  # of the loss of a model that has learned nothing
MOST_REFUSALS = 5  # in a row, of models of an agreed epoch, because our own was better; then others' losses count
PATIENCE_STEPS = 50  # micro-batches in a row without a finite gradient

log = logging.getLogger(__name__)


class NumericChecks:
    """Refuses losses, gradients and models that cannot be right; ``untrained_loss`` is that of the initial model.

    Once our own model has had some losses, another one's is compared with them; before that, with those that the run's
    organiser has signed. Who was away while the run got worse would refuse all others for ever: after some refusals of
    models of an epoch that is signed or agreed on, what is signed counts also here, and where nothing is, the median of
    what was refused. A model, or what is signed, of an epoch with other data than ours is compared with nothing: the
    validation set is not the same. ``is_same_data`` tells which epochs have the same.
    """

    is_same_data: Callable[[int], bool] = staticmethod(lambda _epoch: True)

    def __init__(self, recipe: Recipe, untrained_loss: float) -> None:
        self._recipe, self._untrained_loss = recipe, untrained_loss
        self._own_losses = deque[float](maxlen=REMEMBERED_LOSSES)
        self._refused_losses = deque[float](maxlen=REMEMBERED_LOSSES)  # of agreed epochs, since the last that was not
        self._best_loss = math.inf
        self._scores: Sequence[Score] = ()
        self._limit = 1.0 + ABSURD * untrained_loss
        self.consecutive_bad_steps = 0
        self._refused_model: Detail = ""
        parameters = [each for each in recipe.model.parameters() if each.requires_grad]
        self._ends = (parameters[0], parameters[-1])

    @classmethod
    def of_untrained(cls, recipe: Recipe) -> NumericChecks:
        """Evaluate the recipe's model, in which nothing is trained or loaded yet."""
        return cls(recipe, recipe.evaluate().loss)

    def model_error(self, is_agreed: bool = False, epoch: int = 0) -> Detail:
        """What is wrong with the model's present parameters, another peer's of that epoch; empty if they may be right.

        ``is_agreed`` says that they are of an epoch beyond ours which is signed, or which most have come to. Where
        experts of some layer are lacking, so that no loss can be compared, it must only be a number.
        """
        evaluation = self._recipe.evaluate()
        if evaluation.of_all_layers and not self.is_same_data(epoch):
            self._refused_model = self.loss_error(evaluation.loss)
        elif evaluation.of_all_layers:
            self._refused_model = self._model_error(evaluation.loss, is_agreed)
        else:
            log.info("a state is not compared with others: experts of some layer are lacking")
            self._refused_model = "" if math.isfinite(evaluation.loss) else localized("its loss is not a number")
        return self._refused_model

    def why_refused(self) -> Detail:
        """What is wrong with the last model of another peer; empty where that was in order."""
        return self._refused_model

    def _model_error(self, loss: float, is_agreed: bool) -> Detail:
        if error := self.loss_error(loss):
            return error
        worst, signed = self.worst_loss(), self._worst_signed
        if worst is None and signed is not None and loss > signed:
            return localized(
                "its loss is %1, and what the organiser has signed allows no more than %2",
                f"{loss:.3g}",
                f"{signed:.3g}",
            )
        if worst is not None and loss > worst and not (is_agreed and self._others_have(loss)):
            return localized(
                "its loss is %1, and our own were no more than %2", f"{loss:.3g}", f"{max(self._own_losses):.3g}"
            )
        self._refused_losses.clear()
        return ""

    def _others_have(self, loss: float) -> bool:
        """Whether the run has become so much worse than our own model, which then counts no more."""
        limit, refused = self._worst_signed, self._refused_losses
        if limit is None and refused:
            usual = min(statistics.median_low(refused), self._untrained_loss)
            limit = usual + LEAST_NOISE * self._untrained_loss
        if len(refused) < MOST_REFUSALS or limit is None or loss > limit:
            refused.append(loss)
            return False
        log.warning("a model whose loss is %.3g is the run's: ours of %.3g counts no more", loss, self._best_loss)
        self.forget_losses()
        return True

    def know_scores(self, scores: Sequence[Score]) -> None:
        """Learn what the run's losses were, as its organiser and the keepers have signed them, by rising epoch."""
        self._scores = scores

    @property
    def _worst_signed(self) -> float | None:
        """The highest loss that another peer's model may have by what is signed; ``None`` where that is too little."""
        losses = [score.loss for score in self._scores if self.is_same_data(score.epoch)]
        if len(losses) < MIN_LOSSES:
            return None
        may_lack = SIGNED_LOST_SHARE * (self._untrained_loss - min(losses))
        return max(losses[-REMEMBERED_LOSSES:]) + max(may_lack, LEAST_NOISE * self._untrained_loss)

    def forget_losses(self) -> None:
        """Compare no model with the losses that our own has had until now."""
        self._own_losses.clear()
        self._refused_losses.clear()
        self._best_loss = math.inf

    def begin_other_data(self) -> None:
        """Forget the losses on the data until now; our model's on the new ones is not absurd, however high it is."""
        self.forget_losses()
        loss = self._recipe.evaluate().measured_loss
        if loss is not None and math.isfinite(loss):
            self._limit = max(self._limit, 1.0 + ABSURD * loss)

    def observe_checkpoint(self) -> None:
        """Remember the loss of the model that we go on with; it counts from the beginning, if it can be measured."""
        if (loss := self._recipe.evaluate().measured_loss) is not None:
            for _ in range(MIN_LOSSES):
                self.observe(loss)

    def observe(self, loss: float) -> None:
        """Remember what our own model's loss is."""
        if not self.loss_error(loss):
            self._own_losses.append(loss)
            self._best_loss = min(loss, self._best_loss)

    def worst_loss(self) -> float | None:
        """The highest loss that another peer's model may have; ``None`` while our own has had too few.

        It is the worst of our last ones, which differ by the run's noise, and a part of what we have learned.
        """
        if len(self._own_losses) < MIN_LOSSES:
            return None
        learned = self._untrained_loss - self._best_loss
        return max(self._own_losses) + max(LOST_SHARE * learned, LEAST_NOISE * self._untrained_loss)

    def loss_error(self, loss: float) -> Detail:
        """What is wrong with a model that has this loss on the validation set, in words; empty if nothing is."""
        if not math.isfinite(loss):
            return localized("its loss is not a number")
        if loss > self._limit:
            return localized("its loss is %1, far beyond that of a model that has learned nothing", f"{loss:.3g}")
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
