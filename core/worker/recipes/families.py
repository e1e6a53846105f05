"""The run's words for a model's numbers, as `transformers` has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from core.image_config import ViT
from core.model_config import Llama, ModelConfig, Qwen2

if TYPE_CHECKING:
    from transformers import PreTrainedConfig

_ATTENTION = ("attention_dropout",)
_BERT_DROPOUTS = ("hidden_dropout_prob", "attention_probs_dropout_prob")
_DROPOUTS = {
    "gpt2": ("resid_pdrop", "embd_pdrop", "attn_pdrop"),
    "llama": _ATTENTION,
    "qwen2": _ATTENTION,
    "gpt_neox": ("attention_dropout", "hidden_dropout"),
    "opt": ("attention_dropout", "dropout"),
    "bert": _BERT_DROPOUTS,
    "roberta": _BERT_DROPOUTS,
    "distilbert": ("attention_dropout", "dropout"),
    "albert": _BERT_DROPOUTS,
    "vit": _BERT_DROPOUTS,
}
_EXPANDED = {"gpt2": "n_inner", "opt": "ffn_dim", "distilbert": "hidden_dim"}
_TOKENS = ("bos_token_id", "eos_token_id")  # nobody asks a model that is trained on blocks to stop


def model_type(config: ModelConfig | ViT) -> str:
    """The family's name."""
    return str(config.__struct_config__.tag)


def numbers_of(config: ModelConfig | ViT) -> dict[str, Any]:
    """What makes the model's shape, under the names that its family has for it."""
    numbers = msgspec.structs.asdict(config)
    for name in ("dropout", "intermediate_size"):
        del numbers[name]
    numbers[_EXPANDED.get(model_type(config), "intermediate_size")] = config.expanded_size
    if isinstance(config, ViT):
        numbers |= {"num_channels": 3, "qkv_bias": True}
    if isinstance(config, Llama | Qwen2):
        numbers["num_key_value_heads"] = config.key_value_heads
    return numbers


def dropouts_of(config: ModelConfig | ViT) -> dict[str, float]:
    """The one dropout of the run, wherever the family has one."""
    return dict.fromkeys(_DROPOUTS[model_type(config)], config.dropout)


def fresh_config(config: ModelConfig | ViT) -> PreTrainedConfig:
    """What a model is built from that begins with nothing."""
    from transformers import AutoConfig

    numbers = numbers_of(config) | dropouts_of(config)
    if not isinstance(config, ViT):
        numbers |= dict.fromkeys(_TOKENS) | {"use_cache": False}
    built: PreTrainedConfig = AutoConfig.for_model(model_type(config), **numbers)
    return built
