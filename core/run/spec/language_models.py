"""The language models that a run may name: families of `transformers`, with its own names for their numbers.

The set is closed, and so is what may be said of each: nothing here can name a file, a class or any code.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from core.schema import Fraction, StrictStruct

_Width = Annotated[int, Meta(ge=8, le=65_536)]


class _Family(StrictStruct, tag_field="model_type", kw_only=True, frozen=True):
    """What all have; ``intermediate_size`` is four times ``hidden_size`` where nothing is said."""

    vocab_size: Annotated[int, Meta(ge=8, le=1_000_000)]
    hidden_size: Annotated[int, Meta(ge=8, le=16_384)]
    num_hidden_layers: Annotated[int, Meta(ge=1, le=128)]
    num_attention_heads: Annotated[int, Meta(ge=1, le=256)]
    max_position_embeddings: Annotated[int, Meta(ge=8, le=131_072)]
    intermediate_size: _Width | None = None
    dropout: Fraction = 0.0

    def __post_init__(self) -> None:
        if self.hidden_size % self.num_attention_heads:
            raise ValueError(
                f"hidden_size {self.hidden_size} cannot be shared evenly by {self.num_attention_heads} heads"
            )

    @property
    def expanded_size(self) -> int:
        """How wide the perceptrons are."""
        return self.intermediate_size or 4 * self.hidden_size

    @property
    def longest_sequence(self) -> int:
        """How many tokens a sample may have."""
        return self.max_position_embeddings


class GPT2(_Family, tag="gpt2", kw_only=True, frozen=True):
    """Its output shares the embedding's weights."""


class _Grouped(_Family, kw_only=True, frozen=True):
    """Several heads may share keys and values; every head has its own where nothing is said."""

    num_key_value_heads: Annotated[int, Meta(ge=1, le=256)] | None = None
    tie_word_embeddings: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.num_attention_heads % self.key_value_heads:
            raise ValueError("num_attention_heads must be a multiple of num_key_value_heads")
        if self.hidden_size // self.num_attention_heads % 2:
            raise ValueError("hidden_size must be an even number for every head")

    @property
    def key_value_heads(self) -> int:
        """As many as there are, whether said or not."""
        return self.num_key_value_heads or self.num_attention_heads


class Llama(_Grouped, tag="llama", kw_only=True, frozen=True):
    """And what is built like it."""


class Qwen2(_Grouped, tag="qwen2", kw_only=True, frozen=True):
    """Llama with biases for queries, keys and values."""


class GPTNeoX(_Family, tag="gpt_neox", kw_only=True, frozen=True):
    """Pythia's family."""


class OPT(_Family, tag="opt", kw_only=True, frozen=True):
    """Its output shares the embedding's weights."""


class Bert(_Family, tag="bert", kw_only=True, frozen=True):
    """Reads in both directions."""


class Roberta(_Family, tag="roberta", kw_only=True, frozen=True):
    """Its first two positions are for padding."""

    @property
    def longest_sequence(self) -> int:
        """How many tokens a sample may have."""
        return self.max_position_embeddings - 2


class DistilBert(_Family, tag="distilbert", kw_only=True, frozen=True):
    """Bert with half of its layers."""


class Albert(_Family, tag="albert", kw_only=True, frozen=True):
    """All layers of a group share their weights; hivemind's best-known example."""

    embedding_size: Annotated[int, Meta(ge=8, le=16_384)] = 128
    num_hidden_groups: Annotated[int, Meta(ge=1, le=128)] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.num_hidden_groups > self.num_hidden_layers:
            raise ValueError("num_hidden_groups must not be more than num_hidden_layers")


CausalConfig = GPT2 | Llama | Qwen2 | GPTNeoX | OPT
MaskedConfig = Bert | Roberta | DistilBert | Albert
ModelConfig = CausalConfig | MaskedConfig
