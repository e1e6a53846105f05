"""Images with their classes: those that this peer draws, and those that nobody ever draws."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import torch
from torch import Tensor

from core.errors import ErrorKind, UserError
from core.worker.data.documents import digest
from core.worker.data.image_decoding import BrokenImageError, decoded
from core.worker.data.image_labels import Labels, SkippedImages
from core.worker.data.image_sources import ImageSource, Picture
from core.worker.data.prefetch import Prefetch
from core.worker.data.read_order import shuffle_buffer
from core.worker.data.validation_split import HeldOut, read_held_out, write_held_out
from core.worker.fetch.background_task import BackgroundTask, ProgressListener, send

HELD_OUT_IMAGES = 256
_SEARCHED_BYTES = 200_000_000  # in which images are looked for that nobody trains on
_MIXED_BYTES = _AHEAD_BYTES = _HELD_OUT_BYTES = 64_000_000
_AHEAD_IMAGES = 512  # are read ahead, or fewer large ones


@dataclass(frozen=True)
class LabelledImages:
    """``pixels`` are uint8 (n, 3, size, size), ``classes`` int64 (n); both on the CPU."""

    pixels: Tensor
    classes: Tensor


class Images(Protocol):
    """All that a recipe knows of its data.

    ``draw`` is in this peer's own order, and raises ClientError in words. ``held_out`` is the same on every
    peer, n ≤ 256, and never drawn. ``name`` is what people call a class.
    """

    def draw(self, images: int) -> LabelledImages: ...

    def held_out(self) -> LabelledImages: ...

    def name(self, number: int) -> str: ...

    def close(self) -> None: ...


class DrawnImages:
    """Pictures, made squares of ``size`` pixels; one of ``held_out_one_in`` is held out.

    What is held out is kept in the file ``keep``, so that the next start need not look for it.
    """

    def __init__(
        self,
        pictures: ImageSource,
        labels: Labels,
        *,
        size: int,
        held_out_one_in: int,
        seed: str,
        keep: Path,
        watch: ProgressListener,
    ) -> None:
        self._pictures, self._labels, self._size = pictures, labels, size
        self._one_in, self._seed, self._left_out = held_out_one_in, seed, SkippedImages()
        kept = read_held_out(keep, {"pixels": (torch.uint8, (3, size, size)), "classes": (torch.int64, ())})
        self._first_digest = kept.first_digest if kept else -1
        self._held_out = LabelledImages(**kept.tensors) if kept else send(self._find_held_out, watch)
        if not kept:
            write_held_out(keep, HeldOut(vars(self._held_out), self._first_digest))
        ahead = min(_AHEAD_IMAGES, _AHEAD_BYTES // (3 * size**2))
        self._ahead = Prefetch(self._drawn, max(2, ahead), watch)

    def draw(self, images: int) -> LabelledImages:
        """The next ones to train on; waits for them, and raises ClientError where none will come."""
        return _together([self._ahead.take() for _ in range(images)])

    def held_out(self) -> LabelledImages:
        """What no peer trains on."""
        return self._held_out

    def name(self, number: int) -> str:
        """What people call that class."""
        return self._labels.name(number)

    def close(self) -> None:
        """Read no further."""
        self._ahead.close()

    def _drawn(self, errand: BackgroundTask) -> Iterator[tuple[Tensor, int]]:
        """Through the data again and again, each time in another order."""
        passes = 0
        while True:
            order = random.Random(f"{self._seed}:{passes}")
            is_empty = True
            pictures = self._pictures.read(order, errand)
            for picture in shuffle_buffer(pictures, order, lambda each: len(each.encoded), _MIXED_BYTES):
                errand.check()
                if not self._is_held_out(picture) and (usable := self._usable(picture, errand)):
                    is_empty = False
                    yield usable
            if is_empty:
                raise UserError(ErrorKind.FILES_REFUSED, "There is no image in it to train on.")
            passes += 1

    def _usable(self, picture: Picture, errand: BackgroundTask) -> tuple[Tensor, int] | None:
        """Pixels and class; what has none of either is left out and counted."""
        self._left_out.seen += 1
        try:
            number = self._labels.number(picture.label)
            if number is None:
                raise BrokenImageError("it has no label")
            return decoded(picture.encoded, self._size), number
        except BrokenImageError as error:
            self._left_out.note(str(error), errand)
            return None

    def _is_held_out(self, picture: Picture) -> bool:
        """By the file's content alone: so wherever it stands, and however often."""
        number = digest(picture.encoded)
        return number == self._first_digest or number % self._one_in == 0

    def _find_held_out(self, errand: BackgroundTask) -> LabelledImages:
        """In an order that is the same on every peer, because many data sets are sorted by class."""
        found: list[tuple[Tensor, int]] = []
        searched = 0
        for picture in self._pictures.read(random.Random("held out"), errand):
            errand.check()
            if not found and (first := self._usable(picture, errand)):
                self._first_digest = digest(picture.encoded)
                found.append(first)
            elif found and self._is_held_out(picture) and (usable := self._usable(picture, errand)):
                found.append(usable)
            searched += len(picture.encoded)
            if len(found) == self._most_held_out() or searched > _SEARCHED_BYTES:
                break
        if not found:
            raise UserError(ErrorKind.FILES_REFUSED, "There is no image in it that can be used.")
        return _together(found)

    def _most_held_out(self) -> int:
        return max(1, min(HELD_OUT_IMAGES, _HELD_OUT_BYTES // (3 * self._size**2)))


def _together(images: list[tuple[Tensor, int]]) -> LabelledImages:
    pixels, classes = zip(*images, strict=True)
    return LabelledImages(torch.stack(pixels), torch.tensor(classes))
