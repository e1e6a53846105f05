"""LoRA, low-rank adaptation (arXiv:2106.09685): the model is frozen, and only the adapters train."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.run.spec.language_models import GPT2, ModelConfig
from core.run.spec.parameter_count import linears_of
from core.run.spec.recipe import Lora
from core.worker.recipes.initialization import seeded_initialization

if TYPE_CHECKING:
    from peft import LoraConfig
    from transformers import PreTrainedModel


def lora_config(lora: Lora, config: ModelConfig) -> LoraConfig:
    """The adapters as `peft` describes them; without ``target_modules``, every linear layer of the blocks has one."""
    from peft import LoraConfig

    names = lora.target_modules or tuple(linear.name for linear in linears_of(config))
    return LoraConfig(
        r=lora.rank,
        lora_alpha=lora.alpha,
        lora_dropout=lora.dropout,
        target_modules=sorted(set(names)),
        fan_in_fan_out=isinstance(config, GPT2),  # its Conv1D layers keep their weights transposed
        bias="none",
    )


def add_adapters(model: PreTrainedModel, lora: Lora, config: ModelConfig) -> PreTrainedModel:
    """Freeze the model and add adapters to it, in float32 and the same on every peer; their product starts at zero."""
    from peft import inject_adapter_in_model

    with seeded_initialization():
        inject_adapter_in_model(lora_config(lora, config), model)
    for parameter in model.parameters():
        if parameter.requires_grad:
            parameter.data = parameter.data.float()  # hivemind averages in float32
    return model
