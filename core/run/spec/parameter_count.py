"""How many parameters a language model has, counted without building it; tests compare with the real ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from core.run.spec.language_models import (
    GPT2,
    OPT,
    Albert,
    Bert,
    CausalConfig,
    DistilBert,
    ExpertConfig,
    GPTNeoX,
    Llama,
    MaskedConfig,
    ModelConfig,
    Qwen2,
    Roberta,
)


@dataclass(frozen=True)
class Linear:
    """One kind of linear layer in the model, by its module's name; there are ``count`` of them."""

    name: str
    inputs: int
    outputs: int
    count: int
    has_bias: bool = True

    @property
    def parameters(self) -> int:
        """The parameters of all of these layers."""
        return self.count * (self.inputs + self.has_bias) * self.outputs

    def adapter(self, rank: int) -> int:
        """The parameters of low-rank adapters to all of these layers."""
        return self.count * rank * (self.inputs + self.outputs)


def parameter_count(config: ModelConfig) -> int:
    """The number of the model's parameters, adapters left out; shared weights count once."""
    return sum(linear.parameters for linear in linears_of(config)) + _others_of(config)


def adapters_of(config: ModelConfig, rank: int, names: tuple[str, ...]) -> int:
    """The parameters of low-rank adapters to the layers of those names, or to all where none is named."""
    adapted = [linear for linear in linears_of(config) if not names or linear.name in names]
    return sum(linear.adapter(rank) for linear in adapted)


def feed_forward_parameters_of(config: ExpertConfig) -> int:
    """The parameters of one layer's feed-forward network, in whose place experts can be."""
    width, wide = config.hidden_size, config.expanded_size
    match config:
        case GPT2() | GPTNeoX():
            return 2 * width * wide + wide + width
        case Llama() | Qwen2():
            return 3 * width * wide
        case _:
            assert_never(config)


def linears_of(config: ModelConfig) -> tuple[Linear, ...]:
    """The linear layers of the model, but for embeddings and the output."""
    match config:
        case Bert() | Roberta() | DistilBert() | Albert():
            return _of_masked(config)
        case _:
            return _of_causal(config)


def _of_causal(config: CausalConfig) -> tuple[Linear, ...]:
    width, wide, layers = config.hidden_size, config.expanded_size, config.num_hidden_layers
    match config:
        case GPT2():
            return (
                Linear("c_attn", width, 3 * width, layers),
                Linear("c_proj", width, width, layers),
                Linear("c_fc", width, wide, layers),
                Linear("c_proj", wide, width, layers),
            )
        case Llama() | Qwen2():
            return _of_llama(config)
        case GPTNeoX():
            return (
                Linear("query_key_value", width, 3 * width, layers),
                Linear("dense", width, width, layers),
                Linear("dense_h_to_4h", width, wide, layers),
                Linear("dense_4h_to_h", wide, width, layers),
            )
        case OPT():
            attention = ("q_proj", "k_proj", "v_proj", "out_proj")
            return (
                *(Linear(name, width, width, layers) for name in attention),
                Linear("fc1", width, wide, layers),
                Linear("fc2", wide, width, layers),
            )
        case _:
            assert_never(config)


def _of_llama(config: Llama | Qwen2) -> tuple[Linear, ...]:
    width, wide, layers = config.hidden_size, config.expanded_size, config.num_hidden_layers
    narrow = width // config.num_attention_heads * config.key_value_heads
    has_bias = isinstance(config, Qwen2)
    return (
        Linear("q_proj", width, width, layers, has_bias),
        Linear("k_proj", width, narrow, layers, has_bias),
        Linear("v_proj", width, narrow, layers, has_bias),
        Linear("o_proj", width, width, layers, has_bias=False),
        Linear("gate_proj", width, wide, layers, has_bias=False),
        Linear("up_proj", width, wide, layers, has_bias=False),
        Linear("down_proj", wide, width, layers, has_bias=False),
    )


def _of_masked(config: MaskedConfig) -> tuple[Linear, ...]:
    """The one matrix between the last layer and the output among them."""
    width, wide, layers = config.hidden_size, config.expanded_size, config.num_hidden_layers
    match config:
        case Bert() | Roberta():
            return (
                *(Linear(name, width, width, layers) for name in ("query", "key", "value")),
                Linear("dense", width, width, layers + 1),
                Linear("dense", width, wide, layers),
                Linear("dense", wide, width, layers),
            )
        case DistilBert():
            attention = ("q_lin", "k_lin", "v_lin", "out_lin")
            return (
                *(Linear(name, width, width, layers) for name in attention),
                Linear("lin1", width, wide, layers),
                Linear("lin2", wide, width, layers),
                Linear("vocab_transform", width, width, 1),
            )
        case Albert():
            groups = config.num_hidden_groups
            return (
                *(Linear(name, width, width, groups) for name in ("query", "key", "value", "dense")),
                Linear("dense", width, config.embedding_size, 1),
                Linear("ffn", width, wide, groups),
                Linear("ffn_output", wide, width, groups),
                Linear("embedding_hidden_mapping_in", config.embedding_size, width, 1),
            )
        case _:
            assert_never(config)


def _others_of(config: ModelConfig) -> int:
    """Embeddings, norms and the output; a norm that has a bias has two numbers for each of its width."""
    width, layers, tokens = config.hidden_size, config.num_hidden_layers, config.vocab_size
    positions = config.max_position_embeddings
    match config:
        case GPT2():
            return (tokens + positions + 4 * layers + 2) * width
        case Llama() | Qwen2():
            embeddings = tokens if config.tie_word_embeddings else 2 * tokens
            return (embeddings + 2 * layers + 1) * width
        case GPTNeoX():
            return (2 * tokens + 4 * layers + 2) * width
        case OPT():
            return (tokens + positions + 2 + 4 * layers + 2) * width
        case Bert() | Roberta():
            return (tokens + positions + 2 + 4 * layers + 4) * width + tokens
        case DistilBert():
            return (tokens + positions + 4 * layers + 4) * width + tokens
        case Albert():
            embedded = (tokens + positions + 2 + 4) * config.embedding_size
            return embedded + 4 * config.num_hidden_groups * width + tokens
        case _:
            assert_never(config)
