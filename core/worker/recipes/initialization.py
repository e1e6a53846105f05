"""Configs and initial weights of `transformers` models, the same on every peer."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, assert_never

import msgspec
import torch

from core.run.spec.image_models import ViT
from core.run.spec.language_models import Llama, ModelConfig, Qwen2
from core.run.spec.recipe import CausalLM, ImageClassification, MaskedLM, MoeLM, TransformerSpec

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedModel

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
    """The name of the model's family, as `transformers` calls it."""
    return str(config.__struct_config__.tag)


def numbers_of(config: ModelConfig | ViT) -> dict[str, Any]:
    """The numbers that give the model its shape, under the names that its family has for them."""
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
    """The run's one dropout rate, under every name that the family has for one."""
    return dict.fromkeys(_DROPOUTS[model_type(config)], config.dropout)


def fresh_config(config: ModelConfig | ViT) -> PreTrainedConfig:
    """The config of a model that is built with random weights."""
    from transformers import AutoConfig

    numbers = numbers_of(config) | dropouts_of(config)
    if not isinstance(config, ViT):
        numbers |= dict.fromkeys(_TOKENS) | {"use_cache": False}
    built: PreTrainedConfig = AutoConfig.for_model(model_type(config), **numbers)
    return built


ATTENTION = "sdpa"  # torch's own; named here, because a config may otherwise name a kernel to download
_SAME_ON_EVERY_PEER = 0


@contextlib.contextmanager
def seeded_initialization() -> Iterator[None]:
    """A context with a fixed seed of torch's CPU generator; the peer's own random numbers go on afterwards."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(_SAME_ON_EVERY_PEER)
        yield


def model_from_scratch(spec: TransformerSpec | MoeLM) -> PreTrainedModel:
    """Build the model that the run's config describes, with random weights, on the CPU."""
    with seeded_initialization():
        config = fresh_config(spec.config)
        model: PreTrainedModel = auto_class(spec).from_config(config, attn_implementation=ATTENTION)
    return model


def auto_class(spec: TransformerSpec | MoeLM) -> Any:
    """The Auto class of `transformers` for such models; `transformers` is imported here and not before."""
    from transformers import AutoModelForCausalLM, AutoModelForImageClassification, AutoModelForMaskedLM

    match spec:
        case CausalLM() | MoeLM():
            return AutoModelForCausalLM
        case MaskedLM():
            return AutoModelForMaskedLM
        case ImageClassification():
            return AutoModelForImageClassification
        case _:
            assert_never(spec)
