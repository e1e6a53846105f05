"""The recipe of image classifiers of `transformers`: loss, evaluation, examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.protocol.examples import MAX_SIDE, Picture
from core.run.spec.recipe import ImageClassification
from core.worker.data import Images, LabelledImages
from core.worker.recipes.precision import MixedPrecision, compile_model
from core.worker.recipes.recipe import EVALUATED_AT_ONCE, Batch, Evaluation, Example, evaluation_mode, shown_examples

LEAST_EVALUATED_IMAGES = 16
EVALUATION_FLOP = 5e11  # some seconds of a slow CPU: the training loop blocks meanwhile
SHOWN_IMAGES = 6
_MAX_PIXEL = 255


class ImageClassifier:
    """An image classifier, the images that it trains on, and the validation set."""

    def __init__(
        self,
        spec: ImageClassification,
        model: nn.Module,
        images: Images,
        numbers: MixedPrecision,
        device: torch.device,
    ) -> None:
        self.model = model.train()
        self._images, self._precision, self._device = images, numbers, device
        self._mean, self._std = _per_channel(spec.image_mean, device), _per_channel(spec.image_std, device)
        self._patches = spec.config.patches
        self._held_out = limit_evaluation(images.held_out(), model, self._patches)
        self._forward: Callable[..., Any] = self.model
        if spec.compile:
            self._forward = compile_model(self.model, self._trial_step)

    def use(self, images: Images) -> None:
        """Draw from these from now on, and evaluate on their validation set."""
        self._images.close()
        self._images = images
        self._held_out = limit_evaluation(images.held_out(), self.model, self._patches)

    def draw(self, batch_size: int) -> Batch:
        """Draw so many images in this peer's own order, on its device."""
        return self._to_device(self._images.draw(batch_size))

    def loss(self, batch: Batch) -> Tensor:
        """The mean cross-entropy of the classes, in nats."""
        return F.cross_entropy(self._logits(batch.inputs, self._forward), batch.targets)

    def backward(self, loss: Tensor) -> bool:
        """Leave the loss's gradient in all parameters; false where it must be forgotten (fp16)."""
        return self._precision.backward(loss)

    def evaluate(self) -> Evaluation:
        """Loss, share of right classes, and a few images with the model's answers, on the validation set."""
        with evaluation_mode(self.model):
            logits = self._evaluate_held_out()
        classes, guesses = self._held_out.classes, logits.argmax(-1)
        chosen = shown_examples(len(classes), SHOWN_IMAGES).tolist()
        return Evaluation(
            float(F.cross_entropy(logits, classes)),
            float((guesses == classes).float().mean()),
            tuple(self._example_of(each, int(guesses[each])) for each in chosen),
        )

    def close(self) -> None:
        """Stop the thread that reads data ahead."""
        self._images.close()

    def _evaluate_held_out(self) -> Tensor:
        """The logits of the validation set, (images, classes) on the CPU, computed some images at a time."""
        chunk_size = max(1, EVALUATED_AT_ONCE // self._patches)
        parts = (self._to_device(part) for part in _chunks(self._held_out, chunk_size))
        return torch.cat([self._logits(part.inputs, self.model).cpu() for part in parts])

    def _example_of(self, place: int, guess: int) -> Example:
        """What the model takes the held-out image at that place for."""
        right = int(self._held_out.classes[place])
        question, answer = self._images.name(right), self._images.name(guess)
        picture = picture_of(self._held_out.pixels[place])
        return Example(f"{question} ▸ {answer}", right == guess, question, answer, picture)

    def _trial_step(self, forward: Callable[..., Any]) -> None:
        """Try one step of the compiled model, and forget its gradient."""
        batch = self._to_device(next(_chunks(self._held_out, 2)))
        torch.autograd.backward(F.cross_entropy(self._logits(batch.inputs, forward), batch.targets))
        self.model.zero_grad()

    def _logits(self, pixels: Tensor, forward: Callable[..., Any]) -> Tensor:
        """The logits (images, classes) in float32, whatever precision the model computes in."""
        colours = (pixels.float() / _MAX_PIXEL - self._mean) / self._std
        with self._precision.autocast():
            logits: Tensor = forward(pixel_values=colours).logits
        return logits.float()

    def _to_device(self, images: LabelledImages) -> Batch:
        return Batch(images.pixels.to(self._device), images.classes.to(self._device))


def limit_evaluation(held_out: LabelledImages, model: nn.Module, patches: int) -> LabelledImages:
    """The first images of the validation set that such a model evaluates within seconds; the same on every peer.

    A forward pass takes about 2 FLOP for each parameter and patch, and one patch more for the class token.
    """
    flop = 2 * sum(parameter.numel() for parameter in model.parameters()) * (patches + 1)
    most = max(LEAST_EVALUATED_IMAGES, int(EVALUATION_FLOP / flop))
    return LabelledImages(held_out.pixels[:most], held_out.classes[:most])


def picture_of(pixels: Tensor) -> Picture:
    """An image, uint8 (3, side, side), as small as it is told to people."""
    side = min(pixels.shape[-1], MAX_SIDE)
    if side < pixels.shape[-1]:
        pixels = F.interpolate(pixels[None], (side, side), mode="bilinear", antialias=True)[0]
    return Picture(side=side, rgb=bytes(pixels.permute(1, 2, 0).flatten().tolist()))


def _chunks(images: LabelledImages, chunk_size: int) -> Iterator[LabelledImages]:
    for start in range(0, len(images.classes), chunk_size):
        some = slice(start, start + chunk_size)
        yield LabelledImages(images.pixels[some], images.classes[some])


def _per_channel(numbers: tuple[float, float, float], device: torch.device) -> Tensor:
    return torch.tensor(numbers, device=device)[:, None, None]
