"""Puts a language model together: its data, its weights, what is frozen, and in which numbers it computes."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import torch

from core.data_spec import HubDataset, TextFiles
from core.problems import ClientError, Problem
from core.recipe_spec import CausalLM, LanguageModelSpec
from core.worker.data import Blocks, open_blocks
from core.worker.recipes.language_model import LanguageModel
from core.worker.recipes.lora import with_adapters
from core.worker.recipes.objective import HiddenTokens, NextToken, Objective
from core.worker.recipes.precision import Numbers, dtype_for
from core.worker.recipes.scratch import model_from_scratch
from core.worker.recipes.supplies import Supplies

if TYPE_CHECKING:
    from transformers import PreTrainedModel

log = logging.getLogger(__name__)


def assemble(
    spec: LanguageModelSpec,
    data: TextFiles | HubDataset,
    *,
    seed: int,
    device: torch.device,
    supplies: Supplies,
) -> LanguageModel:
    """The run's model on that device, with blocks in this peer's own order; raises ClientError."""
    blocks = open_blocks(
        data, sequence_length=spec.sequence_length, seed=seed, store=supplies.store, watch=supplies.watch
    )
    return put_together(spec, blocks, seed=seed, device=device)


def put_together(
    spec: LanguageModelSpec, blocks: Blocks, *, seed: int, device: torch.device
) -> LanguageModel:
    """The run's model for those blocks; raises ClientError where they do not suit each other."""
    objective = _objective(spec, blocks, seed)
    dtype = dtype_for(spec.precision, device)
    model = model_from_scratch(spec)
    if spec.gradient_checkpointing:
        _keep_less(model)
    if spec.lora is not None:
        model = with_adapters(model.to(dtype), spec.lora, spec.config)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    return LanguageModel(spec, model, blocks, objective, Numbers(dtype, device, trained), device)


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
        raise ClientError(
            Problem.FILES_REFUSED,
            f"The tokenizer has {blocks.vocabulary_size} tokens, and the model's vocab_size is {known}.",
        )
    if isinstance(spec, CausalLM):
        return NextToken()
    if blocks.mask_token is None:
        raise ClientError(Problem.FILES_REFUSED, "The tokenizer has no mask, which masked-lm needs.")
    return HiddenTokens(blocks.vocabulary_size, blocks.mask_token, seed)
