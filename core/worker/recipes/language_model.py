"""The recipe of causal and masked language models of `transformers`: loss, evaluation, examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.worker.data import Blocks
from core.worker.recipes.objective import IGNORED_TARGET, Objective
from core.worker.recipes.precision import MixedPrecision, compile_model
from core.worker.recipes.recipe import EVALUATED_AT_ONCE, Batch, Evaluation, evaluation_mode, shown_examples

MOST_EVALUATED_TOKENS = 8192
LEAST_EVALUATED_BLOCKS = 4
EVALUATION_FLOP = 5e11  # some seconds of a slow CPU: the training loop blocks meanwhile
SHOWN_BLOCKS = 3
_MAX_LOGITS = 2**24  # 64 MiB of float32; an evaluation must fit beside the training


class LanguageModel:
    """A language model, the blocks of tokens that it trains on, and the validation set."""

    def __init__(
        self,
        model: nn.Module,
        blocks: Blocks,
        objective: Objective,
        numbers: MixedPrecision,
        device: torch.device,
        *,
        compiles: bool = False,
    ) -> None:
        self.model = model.train()
        self._blocks, self._objective, self._precision, self._device = blocks, objective, numbers, device
        self._held_out = limit_evaluation(blocks.held_out(), model)
        self._forward: Callable[..., Any] = self.model
        if compiles:
            self._forward = compile_model(self.model, self._trial_step)

    def use(self, blocks: Blocks) -> None:
        """Draw from these from now on, and evaluate on their validation set."""
        self._blocks.close()
        self._blocks, self._held_out = blocks, limit_evaluation(blocks.held_out(), self.model)

    def draw(self, batch_size: int) -> Batch:
        """Draw so many blocks in this peer's own order, prepared for the objective, on its device."""
        return self._to_device(self._objective.prepare_batch(self._blocks.draw(batch_size)))

    def loss(self, batch: Batch) -> Tensor:
        """The mean cross-entropy of the predicted tokens, in nats; every block has the same number of them."""
        return _cross_entropy(self._logits(batch.inputs, self._forward), batch.targets)

    def backward(self, loss: Tensor) -> bool:
        """Leave the loss's gradient in the trained parameters; false where it must be forgotten (fp16)."""
        return self._precision.backward(loss)

    def evaluate(self) -> Evaluation:
        """Loss, share of right tokens, and a few blocks with the model's answers, on the validation set."""
        with evaluation_mode(self.model):
            loss, right = self._evaluate_held_out()
            chosen = shown_examples(len(self._held_out), SHOWN_BLOCKS)
            examples = tuple(
                self._objective.example_of(block.to(self._device), self._plain_logits, self._text)
                for block in self._held_out[chosen]
            )
        return Evaluation(loss, right, examples)

    def close(self) -> None:
        """Stop the thread that reads data ahead."""
        self._blocks.close()

    def _evaluate_held_out(self) -> tuple[float, float]:
        """Loss in nats and share of right tokens on the validation set, some blocks at a time."""
        everything = self._objective.evaluation_batch(self._held_out)
        tokens = min(EVALUATED_AT_ONCE, _MAX_LOGITS // self._blocks.vocabulary_size)
        chunk_size = max(1, tokens // everything.inputs.shape[1])
        loss = right = 0.0
        for start in range(0, len(everything.inputs), chunk_size):
            chunk = slice(start, start + chunk_size)
            part = self._to_device(Batch(everything.inputs[chunk], everything.targets[chunk]))
            logits = self._plain_logits(part.inputs)
            asked = part.targets != IGNORED_TARGET
            loss += float(_cross_entropy(logits, part.targets)) * len(part.inputs)
            right += float((logits.argmax(-1) == part.targets)[asked].float().mean()) * len(part.inputs)
        return loss / len(everything.inputs), right / len(everything.inputs)

    def _trial_step(self, forward: Callable[..., Any]) -> None:
        """Try one step of the compiled model, and forget its gradient."""
        batch = self._to_device(self._objective.evaluation_batch(self._held_out[:2]))
        torch.autograd.backward(_cross_entropy(self._logits(batch.inputs, forward), batch.targets))
        self.model.zero_grad()

    def _plain_logits(self, inputs: Tensor) -> Tensor:
        return self._logits(inputs, self.model)

    def _logits(self, inputs: Tensor, forward: Callable[..., Any]) -> Tensor:
        with self._precision.autocast():
            logits: Tensor = forward(input_ids=inputs).logits
        return logits

    def _text(self, tokens: Tensor) -> str:
        return self._blocks.text(tokens.cpu())

    def _to_device(self, batch: Batch) -> Batch:
        return Batch(batch.inputs.to(self._device), batch.targets.to(self._device))


def limit_evaluation(held_out: Tensor, model: nn.Module) -> Tensor:
    """The first blocks of the validation set that such a model evaluates within seconds; the same on every peer.

    A forward pass takes about 2 FLOP for each parameter and token (arXiv:2001.08361).
    """
    flop = 2 * sum(parameter.numel() for parameter in model.parameters())
    tokens = min(MOST_EVALUATED_TOKENS, EVALUATION_FLOP / flop)
    return held_out[: max(LEAST_EVALUATED_BLOCKS, int(tokens / held_out.shape[1]))]


def _cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    """The mean cross-entropy in float32, whatever precision the model computes in."""
    return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten(), ignore_index=IGNORED_TARGET)
