"""Puts a model of `transformers` together: its data and weights, what is frozen, in what it computes."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from core.errors import ErrorKind, UserError
from core.run.spec.data import ImageData, TextData
from core.run.spec.recipe import CausalLM, ImageClassification, LanguageModelSpec, TransformerSpec
from core.worker.data import Blocks, Images, open_blocks, open_images
from core.worker.fetch.file_store import FetchContext
from core.worker.fetch.hub_files import fetch
from core.worker.fetch.hub_repository import prepare_library
from core.worker.recipes.image_classifier import ImageClassifier
from core.worker.recipes.initialization import model_from_scratch
from core.worker.recipes.language_model import LanguageModel
from core.worker.recipes.lora import with_adapters
from core.worker.recipes.objective import HiddenTokens, NextToken, Objective
from core.worker.recipes.precision import MixedPrecision, dtype_for
from core.worker.recipes.pretrained import model_from_hub

if TYPE_CHECKING:
    from transformers import PreTrainedModel

log = logging.getLogger(__name__)


def assemble(
    spec: LanguageModelSpec,
    data: TextData,
    *,
    seed: int,
    device: torch.device,
    supplies: FetchContext,
) -> LanguageModel:
    """The run's model on that device, with blocks in this peer's own order; raises ClientError."""
    store, watch, folder = supplies.store, supplies.watch, _fetched(spec, supplies)
    blocks = open_blocks(data, sequence_length=spec.sequence_length, seed=seed, store=store, watch=watch)
    return put_together(spec, blocks, seed=seed, device=device, folder=folder)


def assemble_classifier(
    spec: ImageClassification, data: ImageData, *, seed: int, device: torch.device, supplies: FetchContext
) -> ImageClassifier:
    """The run's model on that device, with images in this peer's own order; raises ClientError."""
    store, watch, folder = supplies.store, supplies.watch, _fetched(spec, supplies)
    config = spec.config
    images = open_images(data, size=config.image_size, classes=config.num_labels, seed=seed, store=store, watch=watch)
    return classifier(spec, images, device=device, folder=folder)


def _fetched(spec: TransformerSpec, supplies: FetchContext) -> Path | None:
    """The folder with the weights to begin with, where the run has such."""
    prepare_library(supplies.store)
    if (begin := spec.pretrained) is None:
        return None
    return fetch(begin.repository, begin.revision, supplies.store, supplies.watch)


def put_together(
    spec: LanguageModelSpec,
    blocks: Blocks,
    *,
    seed: int,
    device: torch.device,
    folder: Path | None = None,
) -> LanguageModel:
    """The run's model for those blocks, with the weights in that folder; raises ClientError.

    The model begins on the CPU, so that it is the same whatever it is trained on.
    """
    objective = _objective(spec, blocks, seed)
    dtype = dtype_for(spec.precision, device)
    model = _begun(spec, folder, dtype, device)
    if spec.lora is not None:
        frozen = model if spec.quantization else model.to(dtype)
        model = with_adapters(frozen, spec.lora, spec.config)
    if spec.quantization is None:
        model.to(device)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    return LanguageModel(spec, model, blocks, objective, MixedPrecision(dtype, device, trained), device)


def classifier(
    spec: ImageClassification, images: Images, *, device: torch.device, folder: Path | None = None
) -> ImageClassifier:
    """The run's model for those images, with the weights in that folder; raises ClientError."""
    dtype = dtype_for(spec.precision, device)
    model = _begun(spec, folder, dtype, device)
    model.to(device)
    return ImageClassifier(spec, model, images, MixedPrecision(dtype, device, model.parameters()), device)


def _begun(spec: TransformerSpec, folder: Path | None, dtype: torch.dtype, device: torch.device) -> PreTrainedModel:
    """As everybody begins, with the weights in that folder or with none."""
    model = model_from_scratch(spec) if folder is None else model_from_hub(spec, folder, dtype, device)
    if spec.gradient_checkpointing:
        _keep_less(model)
    return model


def _keep_less(model: PreTrainedModel) -> None:
    """Compute the layers again in backward instead of keeping what they were."""
    if model.supports_gradient_checkpointing:
        model.activation_checkpointing_enable({"use_reentrant": False})
    else:
        log.warning("this model has no gradient checkpointing, so it trains without it")


def _objective(spec: LanguageModelSpec, blocks: Blocks, seed: int) -> Objective:
    """What is asked; raises ClientError where the tokenizer does not suit the model."""
    known = spec.config.vocab_size
    if blocks.vocabulary_size > known:
        raise UserError(
            ErrorKind.FILES_REFUSED,
            f"The tokenizer has {blocks.vocabulary_size} tokens, and the model's vocab_size is {known}.",
        )
    if isinstance(spec, CausalLM):
        return NextToken()
    if blocks.mask_token is None:
        raise UserError(ErrorKind.FILES_REFUSED, "The tokenizer has no mask, which masked-lm needs.")
    return HiddenTokens(blocks.vocabulary_size, blocks.mask_token, seed)
