"""The objectives of language models: next-token prediction, and masked tokens as in BERT."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import torch
from torch import Tensor

from core.worker.recipes.recipe import Batch, Example

MASKED_SHARE = 0.15
IGNORED_TARGET = -100  # the target of a token that is not predicted; torch's default ``ignore_index``
_REPLACED_SHARE, _KEPT_SHARE = 0.8, 0.1  # of the tokens to be predicted; the rest becomes a random token


class Masking:
    """BERT's masking (arXiv:1810.04805, section 3.1), with the same number of predicted tokens in every block.

    15 % of a block's tokens are to be predicted; of these 80 % become the mask token, 10 % a random token, and 10 %
    stay as they are. BERT draws the number too; here it is fixed, so that each block counts the same in a loss.
    """

    def __init__(self, vocabulary_size: int, mask_token: int, seed: int) -> None:
        self._vocabulary_size, self._mask_token = vocabulary_size, mask_token
        self._generator = torch.Generator().manual_seed(seed)  # on the CPU: the same for every device

    def prepare_batch(self, blocks: Tensor) -> Batch:
        """Mask blocks; inputs and targets are (blocks, tokens) int64 on the CPU, other targets IGNORED_TARGET."""
        asked = self._chosen(blocks.shape)
        targets = torch.where(asked, blocks, IGNORED_TARGET)
        what = torch.rand(blocks.shape, generator=self._generator)
        others = torch.randint(self._vocabulary_size, blocks.shape, generator=self._generator)
        inputs = torch.where(asked & (what < _REPLACED_SHARE), self._mask_token, blocks)
        inputs = torch.where(asked & (what >= _REPLACED_SHARE + _KEPT_SHARE), others, inputs)
        return Batch(inputs, targets)

    def _chosen(self, shape: torch.Size) -> Tensor:
        """Which tokens are to be predicted: the same number in each block, at least one."""
        count = max(1, round(MASKED_SHARE * shape[1]))
        places = torch.rand(shape, generator=self._generator).topk(count, dim=1).indices
        return torch.zeros(shape, dtype=torch.bool).scatter(1, places, value=True)


Logits = Callable[[Tensor], Tensor]
"""(blocks, tokens) of int64 in; out (blocks, tokens, vocabulary), on the model's device both."""
Text = Callable[[Tensor], str]

_GIVEN_TOKENS, _CONTINUED_TOKENS = 32, 12
_SEEN_AROUND = 24
_SHOWN_CHARACTERS = 40


class Objective(Protocol):
    """What a language model predicts of blocks of tokens.

    ``prepare_batch`` makes inputs and targets of blocks on the CPU; ``evaluation_batch`` always the same ones of the
    same blocks. ``example_of`` is a block of the validation set with the model's answer, for people.
    """

    def prepare_batch(self, blocks: Tensor) -> Batch: ...

    def evaluation_batch(self, blocks: Tensor) -> Batch: ...

    def example_of(self, block: Tensor, logits: Logits, text: Text) -> Example: ...


class NextToken:
    """Causal language modelling: every token but the first is predicted from those before it."""

    def prepare_batch(self, blocks: Tensor) -> Batch:
        """Inputs and targets, both (blocks, tokens - 1), shifted by one token."""
        return Batch(blocks[:, :-1], blocks[:, 1:])

    evaluation_batch = prepare_batch

    def example_of(self, block: Tensor, logits: Logits, text: Text) -> Example:
        """The block's beginning and the model's continuation, by greedy decoding."""
        given = min(_GIVEN_TOKENS, len(block) // 2)
        tokens, end = block[:given], min(len(block), given + _CONTINUED_TOKENS)
        while len(tokens) < end:
            tokens = torch.cat([tokens, logits(tokens[None])[0, -1:].argmax(-1)])
        question, answer = _end(text(tokens[:given])), _beginning(text(tokens[given:]))
        return Example(f"{question} ▸ {answer}", torch.equal(tokens, block[:end]), question, answer)


class MaskedTokens:
    """Masked language modelling: some tokens of each block are hidden and predicted."""

    def __init__(self, vocabulary_size: int, mask_token: int, seed: int) -> None:
        self._masking = Masking(vocabulary_size, mask_token, seed)
        self._precision = (vocabulary_size, mask_token)

    def prepare_batch(self, blocks: Tensor) -> Batch:
        """Mask blocks for training, at other places with every call."""
        return self._masking.prepare_batch(blocks)

    def evaluation_batch(self, blocks: Tensor) -> Batch:
        """Mask blocks for evaluation, at the same places on every peer and with every call."""
        return Masking(*self._precision, seed=0).prepare_batch(blocks)

    def example_of(self, block: Tensor, logits: Logits, text: Text) -> Example:
        """One masked token with the text around it, and the model's prediction."""
        question = self.evaluation_batch(block.cpu()[None])
        place = int((question.targets[0] != IGNORED_TARGET).nonzero()[0])
        guess = logits(question.inputs.to(block.device))[0, place].argmax(-1)
        before = block[max(0, place - _SEEN_AROUND) : place]
        after = block[place + 1 : place + 1 + _SEEN_AROUND]
        answer, around = _beginning(text(guess[None])), (_end(text(before)), _beginning(text(after)))
        words, asked = (f"{around[0]} [{each}] {around[1]}" for each in (answer, " "))
        return Example(words, bool(guess == block[place]), asked, answer)


def _end(text: str) -> str:
    """The end of a text in one line of at most ``_SHOWN_CHARACTERS``."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN_CHARACTERS else f"…{line[-_SHOWN_CHARACTERS:]}"


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN_CHARACTERS else f"{line[:_SHOWN_CHARACTERS]}…"
