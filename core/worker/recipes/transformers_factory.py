"""Builds the recipes of `transformers` models: data, weights, adapters, precision, gradient checkpointing."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import torch

from core.errors import ErrorKind, UserError
from core.localizable import localized
from core.run.spec.data import ImageData, TextData
from core.run.spec.recipe import CausalLM, ImageClassification, LanguageModelSpec, MoeLM, TransformerSpec
from core.worker.data import Blocks, Images, open_blocks, open_images
from core.worker.fetch.file_store import FetchContext
from core.worker.fetch.hub_files import fetch_model
from core.worker.fetch.hub_listing import configure_hub_library
from core.worker.recipes.image_classifier import ImageClassifier
from core.worker.recipes.initialization import model_from_scratch
from core.worker.recipes.language_model import LanguageModel
from core.worker.recipes.lora import add_adapters
from core.worker.recipes.mixture_language_model import MixtureLanguageModel
from core.worker.recipes.objective import MaskedTokens, NextToken, Objective
from core.worker.recipes.precision import MixedPrecision, dtype_for
from core.worker.recipes.pretrained import model_from_hub

if TYPE_CHECKING:
    from transformers import PreTrainedModel

log = logging.getLogger(__name__)


def fetch_and_build_language_model(
    spec: LanguageModelSpec,
    data: TextData,
    *,
    seed: int,
    device: torch.device,
    context: FetchContext,
) -> LanguageModel:
    """Fetch the run's weights and text, and build its model on that device; raises UserError.

    ``seed`` is the peer's own: it draws blocks in an order of its own.
    """
    folder = _fetch_weights(spec, context)
    return build_language_model(spec, open_text_of(spec, data, seed, context), seed=seed, device=device, folder=folder)


def fetch_and_build_classifier(
    spec: ImageClassification, data: ImageData, *, seed: int, device: torch.device, context: FetchContext
) -> ImageClassifier:
    """Fetch the run's weights and images, and build its classifier on that device; raises UserError."""
    folder = _fetch_weights(spec, context)
    return build_classifier(spec, open_images_of(spec, data, seed, context), device=device, folder=folder)


def open_text_of(spec: LanguageModelSpec | MoeLM, data: TextData, seed: int, context: FetchContext) -> Blocks:
    """Open the text that a run of that recipe learns from; raises UserError."""
    length = spec.sequence_length
    return open_blocks(data, sequence_length=length, seed=seed, store=context.store, listener=context.listener)


def open_images_of(spec: ImageClassification, data: ImageData, seed: int, context: FetchContext) -> Images:
    """Open the images that a run of that recipe learns from; raises UserError."""
    size, classes, store = spec.config.image_size, spec.config.num_labels, context.store
    return open_images(data, size=size, classes=classes, seed=seed, store=store, listener=context.listener)


def _fetch_weights(spec: TransformerSpec, context: FetchContext) -> Path | None:
    """The folder with the pretrained weights; ``None`` where the run starts from random ones."""
    configure_hub_library(context.store.folder("library"))
    if (begin := spec.pretrained) is None:
        return None
    return fetch_model(begin.repository, begin.revision, context.store, context.listener)


def build_language_model(
    spec: LanguageModelSpec,
    blocks: Blocks,
    *,
    seed: int,
    device: torch.device,
    folder: Path | None = None,
) -> LanguageModel:
    """Build the run's language model, with the weights in ``folder`` or random ones; raises UserError.

    It is initialised on the CPU, so that the random weights do not depend on the device.
    """
    objective = _objective(spec, blocks, seed)
    dtype = dtype_for(spec.precision, device)
    model = _initial_model(spec, folder, dtype, device)
    if spec.lora is not None:
        frozen = model if spec.quantization else model.to(dtype)
        model = add_adapters(frozen, spec.lora, spec.config)
    if spec.quantization is None:
        model.to(device)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    numbers = MixedPrecision(dtype, device, trained)
    return LanguageModel(model, blocks, objective, numbers, device, compiles=spec.compile)


def fetch_and_build_mixture(
    spec: MoeLM, data: TextData, *, seed: int, device: torch.device, context: FetchContext
) -> MixtureLanguageModel:
    """Fetch the run's text, and build its trunk and routers on that device; raises UserError."""
    configure_hub_library(context.store.folder("library"))
    blocks = open_text_of(spec, data, seed, context)
    _refuse_unknown_tokens(blocks, spec.config.vocab_size)
    return MixtureLanguageModel(spec, blocks, device)


def build_classifier(
    spec: ImageClassification, images: Images, *, device: torch.device, folder: Path | None = None
) -> ImageClassifier:
    """Build the run's image classifier, with the weights in ``folder`` or random ones; raises UserError."""
    dtype = dtype_for(spec.precision, device)
    model = _initial_model(spec, folder, dtype, device)
    model.to(device)
    return ImageClassifier(spec, model, images, MixedPrecision(dtype, device, model.parameters()), device)


def _initial_model(
    spec: TransformerSpec, folder: Path | None, dtype: torch.dtype, device: torch.device
) -> PreTrainedModel:
    """The model with which every peer starts: with the weights in that folder, or with random ones."""
    model = model_from_scratch(spec) if folder is None else model_from_hub(spec, folder, dtype, device)
    if spec.gradient_checkpointing:
        _enable_gradient_checkpointing(model)
    return model


def exact_initial_model(spec: TransformerSpec, context: FetchContext) -> PreTrainedModel:
    """The model with which every peer starts, in float32 on the CPU and without adapters, to be exported.

    Raises UserError for weights that cannot be fetched or used.
    """
    plain = spec if isinstance(spec, ImageClassification) else msgspec.structs.replace(spec, quantization=None)
    eager = msgspec.structs.replace(plain, gradient_checkpointing=False)
    return _initial_model(eager, _fetch_weights(spec, context), torch.float32, torch.device("cpu"))


def _enable_gradient_checkpointing(model: PreTrainedModel) -> None:
    """Recompute activations in the backward pass instead of keeping them (arXiv:1604.06174)."""
    if model.supports_gradient_checkpointing:
        model.activation_checkpointing_enable({"use_reentrant": False})
    else:
        log.warning("this model has no gradient checkpointing, so it trains without it")


def _objective(spec: LanguageModelSpec, blocks: Blocks, seed: int) -> Objective:
    """The objective of the recipe; raises UserError where the tokenizer does not suit the model."""
    _refuse_unknown_tokens(blocks, spec.config.vocab_size)
    if isinstance(spec, CausalLM):
        return NextToken()
    if blocks.mask_token is None:
        raise UserError(ErrorKind.FILES_REFUSED, localized("The tokenizer has no mask, which masked-lm needs."))
    return MaskedTokens(blocks.vocabulary_size, blocks.mask_token, seed)


def _refuse_unknown_tokens(blocks: Blocks, known: int) -> None:
    """Raise UserError where the tokenizer has more tokens than the ``known`` ones of the model."""
    if blocks.vocabulary_size > known:
        raise UserError(
            ErrorKind.FILES_REFUSED,
            localized("The tokenizer has %1 tokens, and the model's vocab_size is %2.", blocks.vocabulary_size, known),
        )
