"""Labelled images: training samples in this peer's own order, and the validation set."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import torch
from torch import Tensor

from core.errors import ErrorKind, UserError
from core.localizable import localized
from core.worker.data.documents import content_hash
from core.worker.data.image_decoding import BrokenImageError, decode_image
from core.worker.data.image_labels import Labels, SkippedImages
from core.worker.data.image_sources import EncodedImage, ImageSource
from core.worker.data.prefetch import Prefetch
from core.worker.data.read_order import shuffle_buffer
from core.worker.data.validation_split import ValidationSplit, read_validation_split, write_validation_split
from core.worker.fetch.background_task import BackgroundTask, ProgressListener, run_in_background

HELD_OUT_IMAGES = 256
_SEARCHED_BYTES = 200_000_000  # in which the validation set is looked for
_TRIED_IMAGES = 20_000  # in which the first image that can be used is looked for
_SHUFFLE_BUFFER_BYTES = _AHEAD_BYTES = _HELD_OUT_BYTES = 64_000_000
_AHEAD_IMAGES = 512  # are read ahead, or fewer large ones


@dataclass(frozen=True)
class LabelledImages:
    """``pixels`` are uint8 (n, 3, size, size), ``classes`` int64 (n); both on the CPU."""

    pixels: Tensor
    classes: Tensor


class Images(Protocol):
    """The images of a run, as a recipe sees them.

    ``draw`` is in this peer's own order, and raises UserError. ``held_out``, the validation set, is the same on every
    peer, n ≤ 256, and never drawn. ``name`` is what people call a class.
    """

    def draw(self, images: int) -> LabelledImages: ...

    def held_out(self) -> LabelledImages: ...

    def name(self, number: int) -> str: ...

    def close(self) -> None: ...


class ImageSamples:
    """Implements ``Images`` on a source of encoded images; the validation set is empty until ``load_validation_set``.

    Images become squares of ``size`` pixels; one of ``held_out_one_in`` belongs to the validation set.
    """

    def __init__(
        self,
        source: ImageSource,
        labels: Labels,
        *,
        size: int,
        held_out_one_in: int,
        seed: str,
        listener: ProgressListener,
    ) -> None:
        self._source, self._labels, self._size = source, labels, size
        self._one_in, self._seed, self._listener = held_out_one_in, seed, listener
        self._skipped = SkippedImages()
        self._first_digest = -1
        self._held_out = LabelledImages(torch.empty((0, 3, size, size), dtype=torch.uint8), torch.empty(0).long())
        ahead = min(_AHEAD_IMAGES, _AHEAD_BYTES // (3 * size**2))
        self._ahead = Prefetch(self._training_samples, max(2, ahead), listener)

    def load_validation_set(self, path: Path) -> None:
        """Read the validation set from ``path``, or find it in the data and write it there; raises UserError."""
        shapes = {"pixels": (torch.uint8, (3, self._size, self._size)), "classes": (torch.int64, ())}
        kept = read_validation_split(path, shapes)
        if kept is not None:
            self._first_digest, self._held_out = kept.first_digest, LabelledImages(**kept.tensors)
            return
        self._held_out = run_in_background(self._find_held_out, self._listener)
        write_validation_split(path, ValidationSplit(vars(self._held_out), self._first_digest))

    def draw(self, images: int) -> LabelledImages:
        """The next images to train on; waits for them, and raises UserError where none will come."""
        return _stack([self._ahead.take() for _ in range(images)])

    def held_out(self) -> LabelledImages:
        """The validation set, which no peer trains on."""
        return self._held_out

    def name(self, number: int) -> str:
        """The name of that class, or its number as text."""
        return self._labels.name(number)

    def close(self) -> None:
        """Stop the thread that reads images ahead."""
        self._ahead.close()

    def _training_samples(self, task: BackgroundTask) -> Iterator[tuple[Tensor, int]]:
        """Training samples, through the data again and again, each time in another order."""
        passes = 0
        while True:
            order = random.Random(f"{self._seed}:{passes}")
            is_empty = True
            images = self._source.read(order, task)
            for image in shuffle_buffer(images, order, lambda each: len(each.encoded), _SHUFFLE_BUFFER_BYTES):
                task.check()
                if not self._is_held_out(image) and (usable := self._decode(image, task)):
                    is_empty = False
                    yield usable
            if is_empty:
                raise UserError(ErrorKind.FILES_REFUSED, localized("There is no image in it to train on."))
            passes += 1

    def _decode(self, image: EncodedImage, task: BackgroundTask) -> tuple[Tensor, int] | None:
        """Pixels and class of an image; ``None`` and a count where it lacks either."""
        self._skipped.seen += 1
        try:
            number = self._labels.number(image.label)
            if number is None:
                raise BrokenImageError(localized("it has no label"))
            return decode_image(image.encoded, self._size), number
        except BrokenImageError as error:
            self._skipped.add(error, task)
            return None

    def _is_held_out(self, image: EncodedImage) -> bool:
        """Whether an image is in the validation set: its content alone decides, wherever it stands."""
        number = content_hash(image.encoded)
        return number == self._first_digest or number % self._one_in == 0

    def _find_held_out(self, task: BackgroundTask) -> LabelledImages:
        """Collect the validation set in a shuffled order: many data sets are sorted by class."""
        found: list[tuple[Tensor, int]] = []
        searched = 0
        for number, image in enumerate(self._source.read(random.Random("held out"), task), 1):
            task.check()
            if not found and (first := self._decode(image, task)):
                self._first_digest = content_hash(image.encoded)
                found.append(first)
            elif found and self._is_held_out(image) and (usable := self._decode(image, task)):
                found.append(usable)
            searched += len(image.encoded)
            if len(found) == self._most_held_out() or searched > _SEARCHED_BYTES:
                break
            if not found and number == _TRIED_IMAGES:
                break
        if not found:
            raise UserError(ErrorKind.FILES_REFUSED, localized("There is no image in it that can be used."))
        return _stack(found)

    def _most_held_out(self) -> int:
        return max(1, min(HELD_OUT_IMAGES, _HELD_OUT_BYTES // (3 * self._size**2)))


def _stack(images: list[tuple[Tensor, int]]) -> LabelledImages:
    pixels, classes = zip(*images, strict=True)
    return LabelledImages(torch.stack(pixels), torch.tensor(classes))
