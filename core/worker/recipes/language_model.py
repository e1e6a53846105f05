"""Language models of `transformers`: what is trained, asked and shown is the same for all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.run.spec.recipe import LanguageModelSpec
from core.worker.data import Blocks
from core.worker.recipes.objective import NOT_ASKED, Objective
from core.worker.recipes.precision import MixedPrecision, compiled
from core.worker.recipes.recipe import Batch, Evaluation

MOST_EVALUATED_TOKENS = 8192
LEAST_EVALUATED_BLOCKS = 4
EVALUATION_FLOP = 5e11  # some seconds of a slow CPU: training stands still meanwhile
SHOWN_BLOCKS = 3
_LOGITS_AT_ONCE = 2**24  # 64 MiB of float32; an evaluation must fit beside the training


class LanguageModel:
    """A model, the blocks that it learns from and the held-out blocks that it is asked about."""

    def __init__(
        self,
        spec: LanguageModelSpec,
        model: nn.Module,
        blocks: Blocks,
        objective: Objective,
        numbers: MixedPrecision,
        device: torch.device,
    ) -> None:
        self.model = model.train()
        self._blocks, self._objective, self._numbers, self._device = blocks, objective, numbers, device
        self._held_out = bounded(blocks.held_out(), model)
        self._forward: Callable[..., Any] = self.model
        if spec.compile:
            self._forward = compiled(self.model, self._try)

    def draw(self, batch_size: int) -> Batch:
        """Blocks of this peer's own, on its device."""
        return self._to_device(self._objective.pose(self._blocks.draw(batch_size)))

    def loss(self, batch: Batch) -> Tensor:
        """The mean cross-entropy of the tokens that are asked, in nats; every block has as many."""
        return _cross_entropy(self._logits(batch.inputs, self._forward), batch.targets)

    def backward(self, loss: Tensor) -> bool:
        """The gradient of the loss, in the parameters that are trained."""
        return self._numbers.backward(loss)

    def evaluate(self) -> Evaluation:
        """Loss, the share of right tokens, and a few held-out blocks with what the model makes of them."""
        self.model.eval()
        with torch.inference_mode():
            loss, right = self._examine()
            chosen = torch.randperm(len(self._held_out))[:SHOWN_BLOCKS]
            examples = tuple(
                self._objective.shown(block.to(self._device), self._plain_logits, self._text)
                for block in self._held_out[chosen]
            )
        self.model.train()
        return Evaluation(loss, right, examples)

    def close(self) -> None:
        """Read no further."""
        self._blocks.close()

    def _examine(self) -> tuple[float, float]:
        """Loss and share of right tokens, some blocks at a time."""
        exam = self._objective.exam(self._held_out)
        at_once = max(1, _LOGITS_AT_ONCE // (exam.inputs.shape[1] * self._blocks.vocabulary_size))
        loss = right = 0.0
        for start in range(0, len(exam.inputs), at_once):
            inputs, targets = exam.inputs[start : start + at_once], exam.targets[start : start + at_once]
            part = self._to_device(Batch(inputs, targets))
            logits = self._plain_logits(part.inputs)
            asked = part.targets != NOT_ASKED
            loss += float(_cross_entropy(logits, part.targets)) * len(inputs)
            right += float((logits.argmax(-1) == part.targets)[asked].float().mean()) * len(inputs)
        return loss / len(exam.inputs), right / len(exam.inputs)

    def _try(self, forward: Callable[..., Any]) -> None:
        """One step of the compiled model, forgotten afterwards."""
        batch = self._to_device(self._objective.exam(self._held_out[:2]))
        torch.autograd.backward(_cross_entropy(self._logits(batch.inputs, forward), batch.targets))
        self.model.zero_grad()

    def _plain_logits(self, inputs: Tensor) -> Tensor:
        return self._logits(inputs, self.model)

    def _logits(self, inputs: Tensor, forward: Callable[..., Any]) -> Tensor:
        with self._numbers.autocast():
            logits: Tensor = forward(input_ids=inputs).logits
        return logits

    def _text(self, tokens: Tensor) -> str:
        return self._blocks.text(tokens.cpu())

    def _to_device(self, batch: Batch) -> Batch:
        return Batch(batch.inputs.to(self._device), batch.targets.to(self._device))


def bounded(held_out: Tensor, model: nn.Module) -> Tensor:
    """As many of those blocks as such a model is soon done with; the same for everybody."""
    flop = 2 * sum(parameter.numel() for parameter in model.parameters())
    tokens = min(MOST_EVALUATED_TOKENS, EVALUATION_FLOP / flop)
    return held_out[: max(LEAST_EVALUATED_BLOCKS, int(tokens / held_out.shape[1]))]


def _cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    """In float32, whatever the model computes in."""
    return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten(), ignore_index=NOT_ASKED)
