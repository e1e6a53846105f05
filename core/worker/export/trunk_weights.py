"""The trunk of a model with experts in the terms of the exported program, which are the same for every family."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from torch import Tensor

from core.run.spec.language_models import GPT2, ExpertConfig, GPTNeoX, Llama, Qwen2

_IN_LAYER = re.compile(r"(?:transformer\.h|model\.layers|gpt_neox\.layers)\.(\d+)\.(.+)")
_LAYER = {
    "ln_1": "before_attention",
    "ln_2": "before_feed_forward",
    "input_layernorm": "before_attention",
    "post_attention_layernorm": "before_feed_forward",
    "self_attn.q_proj": "attention.queries",
    "self_attn.k_proj": "attention.keys",
    "self_attn.v_proj": "attention.values",
    "attn.c_proj": "attention.output",
    "self_attn.o_proj": "attention.output",
    "attention.dense": "attention.output",
    "mlp.c_fc": "feed_forward.expand",
    "mlp.c_proj": "feed_forward.contract",
    "mlp.gate_proj": "feed_forward.gate",
    "mlp.up_proj": "feed_forward.expand",
    "mlp.down_proj": "feed_forward.contract",
    "mlp.dense_h_to_4h": "feed_forward.expand",
    "mlp.dense_4h_to_h": "feed_forward.contract",
    "mlp.router.gate": "feed_forward.router",
}
_OUTSIDE = {
    "transformer.wte": "token",
    "transformer.wpe": "position",
    "transformer.ln_f": "last_norm",
    "model.embed_tokens": "token",
    "model.norm": "last_norm",
    "gpt_neox.embed_in": "token",
    "gpt_neox.final_layer_norm": "last_norm",
    "lm_head": "head",
}
_CONV1D = ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj")
"""GPT-2's linear layers, whose weights are the other way round: (in, out)."""
_ACTIVATIONS = {"gelu_new": "gelu_tanh", "gelu": "gelu", "silu": "silu"}
_PARTS = ("queries", "keys", "values")


def trunk_numbers(config: ExpertConfig, built: Any) -> dict[str, Any]:
    """What the program needs to know of a trunk; ``built`` is the config of `transformers`."""
    is_llama = isinstance(config, Llama | Qwen2)
    told = built.to_dict()
    rope = None if isinstance(config, GPT2) else built.rope_parameters
    return {
        "vocabulary": config.vocab_size,
        "positions": config.max_position_embeddings,
        "layers": config.num_hidden_layers,
        "width": config.hidden_size,
        "heads": config.num_attention_heads,
        "key_value_heads": told.get("num_key_value_heads", config.num_attention_heads),
        "inner": config.expanded_size,
        "norm": "rms" if is_llama else "layer",
        "epsilon": _first(told, "layer_norm_epsilon", "layer_norm_eps", "rms_norm_eps"),
        "activation": _ACTIVATIONS[_first(told, "activation_function", "hidden_act")],
        "attention_bias": not isinstance(config, Llama),
        "output_bias": not is_llama,
        "feed_forward_bias": not is_llama,
        "rotary": rope and {"share": rope.get("partial_rotary_factor", 1.0), "base": rope["rope_theta"]},
        "parallel": isinstance(config, GPTNeoX),
        "tied": bool(built.tie_word_embeddings),
    }


def trunk_weights(numbers: Mapping[str, Any], state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights of the program by their names; ``state`` are those of `transformers`, with the routers."""
    found: dict[str, Tensor] = {}
    for name, value in state.items():
        module, kind = name.rsplit(".", 1)
        if (placed := _IN_LAYER.fullmatch(module)) is None:
            if module != "lm_head" or not numbers["tied"]:
                found[f"{_OUTSIDE[module]}.{kind}"] = value
            continue
        number, inner = placed.groups()
        upright = value.T if inner in _CONV1D and value.dim() == 2 else value
        for place, weight in _places(inner, upright, numbers["heads"]):
            found[f"layers.{number}.{place}.{kind}"] = weight
    return found


def _places(inner: str, value: Tensor, heads: int) -> Iterator[tuple[str, Tensor]]:
    """Where the weight of one module of a layer belongs; queries, keys and values are one in some families."""
    if inner == "attn.c_attn":
        parts = value.chunk(3)
    elif inner == "attention.query_key_value":  # head by head
        parts = tuple(each.flatten(0, 1) for each in value.reshape(heads, 3, -1, *value.shape[1:]).unbind(1))
    else:
        yield _LAYER[inner], value
        return
    yield from zip((f"attention.{part}" for part in _PARTS), parts, strict=True)


def _first(told: Mapping[str, Any], *names: str) -> Any:
    """The value of the only one of these names that a family has."""
    return next(told[name] for name in names if name in told)
