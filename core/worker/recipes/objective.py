"""What a language model is asked: the next token, or those that were hidden."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import torch
from torch import Tensor

from core.worker.recipes.recipe import Batch, Example

SHARE = 0.15
NOT_ASKED = -100  # the target of a token that is not to be guessed; torch's own number for it
_HIDDEN, _KEPT = 0.8, 0.1  # of the tokens to be guessed; the rest becomes any other token


class Masking:
    """Hides the same number of tokens of every block, so that each block counts the same in a loss.

    Of those to be guessed 80 % become the mask, 10 % some other token and 10 % stay, as in BERT.
    """

    def __init__(self, vocabulary_size: int, mask_token: int, seed: int) -> None:
        self._vocabulary_size, self._mask_token = vocabulary_size, mask_token
        self._generator = torch.Generator().manual_seed(seed)  # on the CPU: the same for every device

    def pose(self, blocks: Tensor) -> Batch:
        """Blocks with hidden tokens, and what they were; (blocks, tokens) both, on the CPU."""
        asked = self._chosen(blocks.shape)
        targets = torch.where(asked, blocks, NOT_ASKED)
        what = torch.rand(blocks.shape, generator=self._generator)
        others = torch.randint(self._vocabulary_size, blocks.shape, generator=self._generator)
        inputs = torch.where(asked & (what < _HIDDEN), self._mask_token, blocks)
        inputs = torch.where(asked & (what >= _HIDDEN + _KEPT), others, inputs)
        return Batch(inputs, targets)

    def _chosen(self, shape: torch.Size) -> Tensor:
        """Which tokens are to be guessed: as many in each block, one at least."""
        count = max(1, round(SHARE * shape[1]))
        places = torch.rand(shape, generator=self._generator).topk(count, dim=1).indices
        return torch.zeros(shape, dtype=torch.bool).scatter(1, places, value=True)


Logits = Callable[[Tensor], Tensor]
"""(blocks, tokens) of int64 in; out (blocks, tokens, vocabulary), on the model's device both."""
Text = Callable[[Tensor], str]

_GIVEN_TOKENS, _CONTINUED_TOKENS = 32, 12
_SEEN_AROUND = 24
_SHOWN_CHARACTERS = 40


class Objective(Protocol):
    """``pose`` makes a question of blocks on the CPU, ``exam`` always the same one of the same blocks.

    ``shown`` is a held-out block with what the model makes of it, for people.
    """

    def pose(self, blocks: Tensor) -> Batch: ...

    def exam(self, blocks: Tensor) -> Batch: ...

    def shown(self, block: Tensor, logits: Logits, text: Text) -> Example: ...


class NextToken:
    """Every token but the first is asked, after those before it."""

    def pose(self, blocks: Tensor) -> Batch:
        """(blocks, tokens - 1) both."""
        return Batch(blocks[:, :-1], blocks[:, 1:])

    exam = pose

    def shown(self, block: Tensor, logits: Logits, text: Text) -> Example:
        """The block's beginning and how the model goes on, always with the likeliest token."""
        given = min(_GIVEN_TOKENS, len(block) // 2)
        tokens, end = block[:given], min(len(block), given + _CONTINUED_TOKENS)
        while len(tokens) < end:
            tokens = torch.cat([tokens, logits(tokens[None])[0, -1:].argmax(-1)])
        words = f"{_end(text(tokens[:given]))} ▸ {_beginning(text(tokens[given:]))}"
        return Example(words, torch.equal(tokens, block[:end]))


class HiddenTokens:
    """Some tokens of each block are asked."""

    def __init__(self, vocabulary_size: int, mask_token: int, seed: int) -> None:
        self._masking = Masking(vocabulary_size, mask_token, seed)
        self._numbers = (vocabulary_size, mask_token)

    def pose(self, blocks: Tensor) -> Batch:
        """Other ones with every call."""
        return self._masking.pose(blocks)

    def exam(self, blocks: Tensor) -> Batch:
        """The same ones for everybody."""
        return Masking(*self._numbers, seed=0).pose(blocks)

    def shown(self, block: Tensor, logits: Logits, text: Text) -> Example:
        """One hidden token in the middle of its surroundings, and the model's guess."""
        question = self.exam(block.cpu()[None])
        place = int((question.targets[0] != NOT_ASKED).nonzero()[0])
        guess = logits(question.inputs.to(block.device))[0, place].argmax(-1)
        before = block[max(0, place - _SEEN_AROUND) : place]
        after = block[place + 1 : place + 1 + _SEEN_AROUND]
        words = f"{_end(text(before))} [{_beginning(text(guess[None]))}] {_beginning(text(after))}"
        return Example(words, bool(guess == block[place]))


def _end(text: str) -> str:
    """In one line, and not longer than people can take in at a glance."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN_CHARACTERS else f"…{line[-_SHOWN_CHARACTERS:]}"


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN_CHARACTERS else f"{line[:_SHOWN_CHARACTERS]}…"
