"""Low-rank adapters: the model's own weights stay as they are, and only the adapters learn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.run.spec.language_models import GPT2, ModelConfig
from core.run.spec.parameter_count import linears_of
from core.run.spec.recipe import Lora
from core.worker.recipes.initialization import same_on_every_peer

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def with_adapters(model: PreTrainedModel, lora: Lora, config: ModelConfig) -> PreTrainedModel:
    """The same model, frozen, with adapters that are the same on every peer and change nothing yet."""
    from peft import LoraConfig, inject_adapter_in_model

    names = lora.target_modules or tuple(linear.name for linear in linears_of(config))
    wanted = LoraConfig(
        r=lora.rank,
        lora_alpha=lora.alpha,
        lora_dropout=lora.dropout,
        target_modules=sorted(set(names)),
        fan_in_fan_out=isinstance(config, GPT2),  # its matrices lie on their side
        bias="none",
    )
    with same_on_every_peer():
        inject_adapter_in_model(wanted, model)
    for parameter in model.parameters():
        if parameter.requires_grad:
            parameter.data = parameter.data.float()  # hivemind averages in float32
    return model
