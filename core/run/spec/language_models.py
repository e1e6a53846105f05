"""The language models that a run may name: families of `transformers`, with its own names for their numbers.

The set is closed, and so is what may be said of each: nothing here can name a file, a class or any code.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from core.localizable import localized
from core.schema import Fraction, StrictStruct

_Width = Annotated[int, Meta(ge=8, le=65_536)]


class _Family(StrictStruct, tag_field="model_type", kw_only=True, frozen=True):
    """What all have; ``intermediate_size`` is four times ``hidden_size`` where nothing is said."""

    vocab_size: Annotated[int, Meta(ge=8, le=1_000_000)]
    """The number of tokens that the model knows."""
    hidden_size: Annotated[int, Meta(ge=8, le=16_384)]
    """The size of the hidden state; a multiple of ``num_attention_heads``."""
    num_hidden_layers: Annotated[int, Meta(ge=1, le=128)]
    """The number of transformer layers."""
    num_attention_heads: Annotated[int, Meta(ge=1, le=256)]
    """The number of attention heads."""
    max_position_embeddings: Annotated[int, Meta(ge=8, le=131_072)]
    """The largest number of positions, and so the longest sequence."""
    intermediate_size: _Width | None = None
    """The inner size of the feed-forward layers; without it, four times ``hidden_size``."""
    dropout: Fraction = 0.0
    """The share of activations that are dropped while training."""

    def __post_init__(self) -> None:
        if self.hidden_size % self.num_attention_heads:
            raise ValueError(
                localized(
                    "hidden_size %1 cannot be shared evenly by %2 heads", self.hidden_size, self.num_attention_heads
                )
            )

    @property
    def expanded_size(self) -> int:
        """The width of the feed-forward layers."""
        return self.intermediate_size or 4 * self.hidden_size

    @property
    def longest_sequence(self) -> int:
        """The largest number of tokens that a sample may have."""
        return self.max_position_embeddings


class GPT2(_Family, tag="gpt2", kw_only=True, frozen=True):
    """GPT-2, whose output layer shares the weights of the embedding."""


class _Grouped(_Family, kw_only=True, frozen=True):
    """Several heads may share keys and values; every head has its own where nothing is said."""

    num_key_value_heads: Annotated[int, Meta(ge=1, le=256)] | None = None
    """The number of heads of keys and values; without it, each attention head has its own."""
    tie_word_embeddings: bool = False
    """Whether the output layer shares the weights of the embedding."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.num_attention_heads % self.key_value_heads:
            raise ValueError(localized("num_attention_heads must be a multiple of num_key_value_heads"))
        if self.hidden_size // self.num_attention_heads % 2:
            raise ValueError(localized("hidden_size must be an even number for every head"))

    @property
    def key_value_heads(self) -> int:
        """The number of heads for keys and values, whether the run file names it or not."""
        return self.num_key_value_heads or self.num_attention_heads


class Llama(_Grouped, tag="llama", kw_only=True, frozen=True):
    """Llama, and models of the same shape: rotary positions, RMS norm, gated feed-forward layers."""


class Qwen2(_Grouped, tag="qwen2", kw_only=True, frozen=True):
    """Qwen2, a Llama with biases for queries, keys and values."""


class GPTNeoX(_Family, tag="gpt_neox", kw_only=True, frozen=True):
    """GPT-NeoX, the family of Pythia: rotary positions, and attention beside the feed-forward layers."""


class OPT(_Family, tag="opt", kw_only=True, frozen=True):
    """OPT, whose output layer shares the weights of the embedding."""


class Bert(_Family, tag="bert", kw_only=True, frozen=True):
    """BERT, an encoder that reads in both directions."""


class Roberta(_Family, tag="roberta", kw_only=True, frozen=True):
    """RoBERTa, a BERT whose first two positions are for padding."""

    @property
    def longest_sequence(self) -> int:
        """The largest number of tokens of a sample; two positions are for padding."""
        return self.max_position_embeddings - 2


class DistilBert(_Family, tag="distilbert", kw_only=True, frozen=True):
    """DistilBERT, a BERT with half of its layers and no token types."""


class Albert(_Family, tag="albert", kw_only=True, frozen=True):
    """ALBERT, whose layers share their weights within a group; hivemind's best-known example."""

    embedding_size: Annotated[int, Meta(ge=8, le=16_384)] = 128
    """The size of the token embedding, before it is widened to ``hidden_size``."""
    num_hidden_groups: Annotated[int, Meta(ge=1, le=128)] = 1
    """The number of groups of layers; the layers of a group share their weights."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.num_hidden_groups > self.num_hidden_layers:
            raise ValueError(localized("num_hidden_groups must not be more than num_hidden_layers"))


CausalConfig = GPT2 | Llama | Qwen2 | GPTNeoX | OPT
ExpertConfig = GPT2 | Llama | Qwen2 | GPTNeoX
"""Those whose feed-forward network is one module, in whose place experts can be."""
MaskedConfig = Bert | Roberta | DistilBert | Albert
ModelConfig = CausalConfig | MaskedConfig
