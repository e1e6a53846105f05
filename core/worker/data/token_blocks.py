"""Packed blocks of tokens: training samples in this peer's own order, and the validation set."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

import torch
from torch import Tensor

from core.errors import ErrorKind, UserError
from core.localizable import localized
from core.worker.data.documents import Documents, content_hash
from core.worker.data.prefetch import Prefetch
from core.worker.data.read_order import shuffle_buffer
from core.worker.data.tokenizers import Tokenizer
from core.worker.data.validation_split import ValidationSplit, read_validation_split, write_validation_split
from core.worker.fetch.background_task import BackgroundTask, ProgressListener, run_in_background

HELD_OUT_BLOCKS = 64
_HELD_OUT_SEARCHED = 20_000  # documents, in which the validation set is looked for
_SHUFFLE_BUFFER_CHARACTERS = 8_000_000
_AHEAD_TOKENS, _AHEAD_BLOCKS = 262_144, 512  # are read ahead, whichever is less


class Blocks(Protocol):
    """The text of a run, as a recipe sees it; every tensor is int64 and on the CPU.

    ``draw`` is in this peer's own order, (blocks, sequence length), and raises UserError.
    ``held_out``, the validation set, is the same on every peer, (n ≤ 64, sequence length), and never drawn.
    """

    @property
    def vocabulary_size(self) -> int: ...

    @property
    def mask_token(self) -> int | None: ...

    def draw(self, blocks: int) -> Tensor: ...

    def held_out(self) -> Tensor: ...

    def text(self, tokens: Tensor) -> str: ...

    def close(self) -> None: ...


class PackedBlocks:
    """Implements ``Blocks`` by packing: documents, each with an end of text, are joined and cut into blocks.

    One document of ``held_out_one_in`` belongs to the validation set, empty until ``load_validation_set``.
    """

    def __init__(
        self,
        documents: Documents,
        tokenizer: Tokenizer,
        *,
        sequence_length: int,
        held_out_one_in: int,
        seed: str,
        listener: ProgressListener,
    ) -> None:
        self._documents, self._tokenizer, self._length = documents, tokenizer, sequence_length
        self._one_in, self._seed, self._listener = held_out_one_in, seed, listener
        self._first_digest = -1
        self._held_out = torch.empty((0, sequence_length), dtype=torch.int64)
        ahead = min(_AHEAD_TOKENS // sequence_length, _AHEAD_BLOCKS)
        self._ahead = Prefetch(self._training_samples, max(2, ahead), listener)

    def load_validation_set(self, path: Path) -> None:
        """Read the validation set from ``path``, or find it in the data and write it there; raises UserError."""
        kept = read_validation_split(path, {"blocks": (torch.int64, (self._length,))})
        if kept is not None:
            self._first_digest, self._held_out = kept.first_digest, kept.tensors["blocks"]
            return
        self._held_out = run_in_background(self._find_held_out, self._listener)
        write_validation_split(path, ValidationSplit({"blocks": self._held_out}, self._first_digest))

    @property
    def vocabulary_size(self) -> int:
        """How many different tokens the tokenizer has."""
        return self._tokenizer.vocabulary_size

    @property
    def mask_token(self) -> int | None:
        """The mask token, which a masked language model replaces; ``None`` where the tokenizer has none."""
        return self._tokenizer.mask_token

    def draw(self, blocks: int) -> Tensor:
        """The next blocks to train on; waits for them, and raises UserError where none will come."""
        return torch.stack([self._ahead.take() for _ in range(blocks)])

    def held_out(self) -> Tensor:
        """The validation set, which no peer trains on."""
        return self._held_out

    def text(self, tokens: Tensor) -> str:
        """The text that those tokens stand for."""
        return self._tokenizer.decode(tokens.tolist())

    def close(self) -> None:
        """Stop the thread that reads documents ahead."""
        self._ahead.close()

    def _training_samples(self, task: BackgroundTask) -> Iterator[Tensor]:
        """Training blocks, through the data again and again, each time in another order."""
        return self._pack(self._training_documents(task))

    def _training_documents(self, task: BackgroundTask) -> Iterator[str]:
        passes = 0
        while True:
            order = random.Random(f"{self._seed}:{passes}")
            is_empty = True
            for text in shuffle_buffer(self._documents.read(order, task), order, len, _SHUFFLE_BUFFER_CHARACTERS):
                task.check()
                if not self._is_held_out(text):
                    is_empty = False
                    yield text
            if is_empty:
                raise UserError(ErrorKind.FILES_REFUSED, localized("There is no text in it to train on."))
            passes += 1

    def _is_held_out(self, text: str) -> bool:
        """Whether a document is in the validation set; its text alone decides, wherever and however often it stands."""
        number = content_hash(text)
        return number == self._first_digest or number % self._one_in == 0

    def _find_held_out(self, task: BackgroundTask) -> Tensor:
        blocks = list(self._pack(self._held_out_documents(task), HELD_OUT_BLOCKS, is_filled_up=True))
        if not blocks:
            raise UserError(ErrorKind.FILES_REFUSED, localized("There is no text in it."))
        return torch.stack(blocks)

    def _held_out_documents(self, task: BackgroundTask) -> Iterator[str]:
        """Documents of the validation set among the first ones; the very first always is, so that there is one."""
        for number, text in enumerate(self._documents.read(None, task)):
            task.check()
            if number == 0:
                self._first_digest = content_hash(text)
            if self._is_held_out(text):
                yield text
            if number >= _HELD_OUT_SEARCHED:
                return

    def _pack(self, texts: Iterable[str], limit: int | None = None, *, is_filled_up: bool = False) -> Iterator[Tensor]:
        """Blocks without gaps, ``limit`` at most; a single one that is too short may be filled up with end tokens."""
        tokens: list[int] = []
        made = 0
        for text in texts:
            tokens += self._tokenizer.encode(text)
            tokens.append(self._tokenizer.end_token)
            whole = len(tokens) // self._length * self._length
            for start in range(0, whole, self._length):
                if made == limit:
                    return
                yield torch.tensor(tokens[start : start + self._length], dtype=torch.int64)
                made += 1
            del tokens[:whole]
        if is_filled_up and tokens and not made:
            tokens += [self._tokenizer.end_token] * (self._length - len(tokens))
            yield torch.tensor(tokens, dtype=torch.int64)
