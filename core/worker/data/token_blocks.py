"""Documents as blocks of tokens: those that this peer draws, and those that nobody ever draws."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

import torch
from torch import Tensor

from core.errors import ErrorKind, UserError
from core.worker.data.documents import Documents, digest
from core.worker.data.prefetch import Prefetch
from core.worker.data.read_order import shuffle_buffer
from core.worker.data.tokenizers import Tokenizer
from core.worker.data.validation_split import HeldOut, read_held_out, write_held_out
from core.worker.fetch.background_task import BackgroundTask, ProgressListener, send

HELD_OUT_BLOCKS = 64
_HELD_OUT_SEARCHED = 20_000  # documents, in which blocks are looked for that nobody trains on
_MIXED_CHARACTERS = 8_000_000
_AHEAD_TOKENS, _AHEAD_BLOCKS = 262_144, 512  # are read ahead, whichever is less


class Blocks(Protocol):
    """All that a recipe knows of its data; every tensor is int64 and on the CPU.

    ``draw`` is in this peer's own order, (blocks, sequence length), and raises ClientError in words.
    ``held_out`` is the same on every peer, (n ≤ 64, sequence length), and never drawn.
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
    """Documents with an end of text behind each, cut into blocks; one of ``held_out_one_in`` is held out.

    What is held out is kept in the file ``keep``, so that the next start need not look for it.
    """

    def __init__(
        self,
        documents: Documents,
        tokenizer: Tokenizer,
        *,
        sequence_length: int,
        held_out_one_in: int,
        seed: str,
        keep: Path,
        watch: ProgressListener,
    ) -> None:
        self._documents, self._tokenizer, self._length = documents, tokenizer, sequence_length
        self._one_in, self._seed, self._watch = held_out_one_in, seed, watch
        kept = read_held_out(keep, {"blocks": (torch.int64, (sequence_length,))})
        self._first_digest = kept.first_digest if kept else -1
        self._held_out = kept.tensors["blocks"] if kept else send(self._find_held_out, watch)
        if not kept:
            write_held_out(keep, HeldOut({"blocks": self._held_out}, self._first_digest))
        ahead = min(_AHEAD_TOKENS // sequence_length, _AHEAD_BLOCKS)
        self._ahead = Prefetch(self._drawn, max(2, ahead), watch)

    @property
    def vocabulary_size(self) -> int:
        """How many tokens there are."""
        return self._tokenizer.vocabulary_size

    @property
    def mask_token(self) -> int | None:
        """What a masked language model fills in, where the tokenizer has such a thing."""
        return self._tokenizer.mask_token

    def draw(self, blocks: int) -> Tensor:
        """The next ones to train on; waits for them, and raises ClientError where none will come."""
        return torch.stack([self._ahead.take() for _ in range(blocks)])

    def held_out(self) -> Tensor:
        """What no peer trains on."""
        return self._held_out

    def text(self, tokens: Tensor) -> str:
        """Those tokens as people write them."""
        return self._tokenizer.decode(tokens.tolist())

    def close(self) -> None:
        """Read no further."""
        self._ahead.close()

    def _drawn(self, errand: BackgroundTask) -> Iterator[Tensor]:
        """Through the data again and again, each time in another order."""
        return self._packed(self._to_train_on(errand))

    def _to_train_on(self, errand: BackgroundTask) -> Iterator[str]:
        passes = 0
        while True:
            order = random.Random(f"{self._seed}:{passes}")
            is_empty = True
            for text in shuffle_buffer(self._documents.read(order, errand), order, len, _MIXED_CHARACTERS):
                errand.check()
                if not self._is_held_out(text):
                    is_empty = False
                    yield text
            if is_empty:
                raise UserError(ErrorKind.FILES_REFUSED, "There is no text in it to train on.")
            passes += 1

    def _is_held_out(self, text: str) -> bool:
        """By the text alone: so wherever it stands, and however often."""
        number = digest(text)
        return number == self._first_digest or number % self._one_in == 0

    def _find_held_out(self, errand: BackgroundTask) -> Tensor:
        blocks = list(self._packed(self._kept_back(errand), HELD_OUT_BLOCKS, is_filled_up=True))
        if not blocks:
            raise UserError(ErrorKind.FILES_REFUSED, "There is no text in it.")
        return torch.stack(blocks)

    def _kept_back(self, errand: BackgroundTask) -> Iterator[str]:
        """What is held out of the first documents; the very first one always is, so that there is one."""
        for number, text in enumerate(self._documents.read(None, errand)):
            errand.check()
            if number == 0:
                self._first_digest = digest(text)
            if self._is_held_out(text):
                yield text
            if number >= _HELD_OUT_SEARCHED:
                return

    def _packed(self, texts: Iterable[str], most: int | None = None, *, is_filled_up: bool = False) -> Iterator[Tensor]:
        """Blocks without gaps, ``most`` at the most; a single one that is too short may be filled up."""
        tokens: list[int] = []
        made = 0
        for text in texts:
            tokens += self._tokenizer.encode(text)
            tokens.append(self._tokenizer.end_token)
            whole = len(tokens) // self._length * self._length
            for start in range(0, whole, self._length):
                if made == most:
                    return
                yield torch.tensor(tokens[start : start + self._length], dtype=torch.int64)
                made += 1
            del tokens[:whole]
        if is_filled_up and tokens and not made:
            tokens += [self._tokenizer.end_token] * (self._length - len(tokens))
            yield torch.tensor(tokens, dtype=torch.int64)
