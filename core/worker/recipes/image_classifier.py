"""Image models of `transformers`: they say which class an image is of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.run.spec.recipe import ImageClassification
from core.worker.data import Images, LabelledImages
from core.worker.recipes.precision import MixedPrecision, compiled
from core.worker.recipes.recipe import Batch, Evaluation, Example

LEAST_EVALUATED_IMAGES = 16
EVALUATION_FLOP = 5e11  # some seconds of a slow CPU: training stands still meanwhile
SHOWN_IMAGES = 6
_PATCHES_AT_ONCE = 8192  # an evaluation must fit beside the training
_BRIGHTEST = 255


class ImageClassifier:
    """A model, the images that it learns from and the held-out ones that it is asked about."""

    def __init__(
        self,
        spec: ImageClassification,
        model: nn.Module,
        images: Images,
        numbers: MixedPrecision,
        device: torch.device,
    ) -> None:
        self.model = model.train()
        self._images, self._numbers, self._device = images, numbers, device
        self._mean, self._std = _colours(spec.image_mean, device), _colours(spec.image_std, device)
        self._patches = spec.config.patches
        self._held_out = bounded(images.held_out(), model, self._patches)
        self._forward: Callable[..., Any] = self.model
        if spec.compile:
            self._forward = compiled(self.model, self._try)

    def draw(self, batch_size: int) -> Batch:
        """Images of this peer's own, on its device."""
        return self._to_device(self._images.draw(batch_size))

    def loss(self, batch: Batch) -> Tensor:
        """The mean cross-entropy of the classes, in nats."""
        return F.cross_entropy(self._logits(batch.inputs, self._forward), batch.targets)

    def backward(self, loss: Tensor) -> bool:
        """The gradient of the loss, in all parameters."""
        return self._numbers.backward(loss)

    def evaluate(self) -> Evaluation:
        """Loss, the share of right classes, and a few held-out images' classes with the model's answers."""
        self.model.eval()
        with torch.inference_mode():
            logits = self._examine()
        self.model.train()
        classes, guesses = self._held_out.classes, logits.argmax(-1)
        chosen = torch.randperm(len(classes))[:SHOWN_IMAGES].tolist()
        return Evaluation(
            float(F.cross_entropy(logits, classes)),
            float((guesses == classes).float().mean()),
            tuple(self._shown(int(classes[each]), int(guesses[each])) for each in chosen),
        )

    def close(self) -> None:
        """Read no further."""
        self._images.close()

    def _examine(self) -> Tensor:
        """The logits of all held-out images, (images, classes) on the CPU, computed some at a time."""
        at_once = max(1, _PATCHES_AT_ONCE // self._patches)
        parts = (self._to_device(part) for part in _in_parts(self._held_out, at_once))
        return torch.cat([self._logits(part.inputs, self.model).cpu() for part in parts])

    def _shown(self, right: int, guess: int) -> Example:
        return Example(f"{self._images.name(right)} ▸ {self._images.name(guess)}", right == guess)

    def _try(self, forward: Callable[..., Any]) -> None:
        """One step of the compiled model, forgotten afterwards."""
        batch = self._to_device(next(_in_parts(self._held_out, 2)))
        torch.autograd.backward(F.cross_entropy(self._logits(batch.inputs, forward), batch.targets))
        self.model.zero_grad()

    def _logits(self, pixels: Tensor, forward: Callable[..., Any]) -> Tensor:
        """(images, classes) in float32, whatever the model computes in."""
        colours = (pixels.float() / _BRIGHTEST - self._mean) / self._std
        with self._numbers.autocast():
            logits: Tensor = forward(pixel_values=colours).logits
        return logits.float()

    def _to_device(self, images: LabelledImages) -> Batch:
        return Batch(images.pixels.to(self._device), images.classes.to(self._device))


def bounded(held_out: LabelledImages, model: nn.Module, patches: int) -> LabelledImages:
    """As many of those images as such a model is soon done with; the same for everybody."""
    flop = 2 * sum(parameter.numel() for parameter in model.parameters()) * (patches + 1)
    most = max(LEAST_EVALUATED_IMAGES, int(EVALUATION_FLOP / flop))
    return LabelledImages(held_out.pixels[:most], held_out.classes[:most])


def _in_parts(images: LabelledImages, at_once: int) -> Iterator[LabelledImages]:
    for start in range(0, len(images.classes), at_once):
        some = slice(start, start + at_once)
        yield LabelledImages(images.pixels[some], images.classes[some])


def _colours(numbers: tuple[float, float, float], device: torch.device) -> Tensor:
    return torch.tensor(numbers, device=device)[:, None, None]
