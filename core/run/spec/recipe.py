"""What a run may train: a closed set of recipes, each with its numbers."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from core.localizable import localized
from core.run.spec.data import Repository, Revision
from core.run.spec.experts import MAX_LAYERS, ExpertsSpec
from core.run.spec.image_models import ViT
from core.run.spec.language_models import CausalConfig, ExpertConfig, MaskedConfig, ModelConfig
from core.run.spec.parameter_count import linears_of
from core.schema import Fraction, StrictStruct


class ArithmeticGPT(StrictStruct, tag_field="kind", tag="arithmetic-gpt", kw_only=True, frozen=True):
    """The built-in recipe: a small decoder-only transformer that learns sums."""

    layers: Annotated[int, Meta(ge=1, le=24)] = 2
    """The number of transformer layers."""
    width: Annotated[int, Meta(ge=16, le=2048)] = 128
    """The size of the hidden state; a multiple of ``heads``."""
    heads: Annotated[int, Meta(ge=1, le=64)] = 4
    """The number of attention heads."""
    dropout: Fraction = 0.0
    """The share of activations that are dropped while training."""

    def __post_init__(self) -> None:
        if self.width % self.heads:
            raise ValueError(localized("width %1 cannot be shared evenly by %2 heads", self.width, self.heads))


class Pretrained(StrictStruct, kw_only=True, frozen=True):
    """Weights to begin with, as safetensors; what they are the weights of is said by ``[recipe.config]``."""

    repository: Repository
    """The model repository of the hub that holds the safetensors files."""
    revision: Revision
    """The commit of that repository."""


class Lora(StrictStruct, kw_only=True, frozen=True):
    """Low-rank adapters, which alone are trained and averaged; no ``target_modules`` means all matrices.

    Hu and others, LoRA, arXiv:2106.09685.
    """

    rank: Annotated[int, Meta(ge=1, le=1024)] = 8
    """The rank of the adapters."""
    alpha: Annotated[float, Meta(gt=0, le=4096)] = 16.0
    """The scale of the adapters; what they add is multiplied by ``alpha / rank``."""
    dropout: Fraction = 0.0
    """The share of the adapters' inputs that are dropped while training."""
    target_modules: Annotated[tuple[Annotated[str, Meta(max_length=64)], ...], Meta(max_length=16)] = ()
    """The names of the linear layers that get adapters; an empty list means all of them."""


class Quantization(StrictStruct, kw_only=True, frozen=True):
    """The frozen weights in fewer bits, which only some GPUs support.

    8 bits: Dettmers and others, arXiv:2208.07339; 4 bits: Dettmers and others, QLoRA, arXiv:2305.14314.
    """

    kind: Literal["8bit", "nf4"]
    """The encoding of the frozen weights: 8 bits, or 4 bits as NormalFloat (QLoRA)."""


Precision = Literal["auto", "bf16", "fp16", "fp32"]
"""What is computed in; ``auto`` is bf16 on a GPU that has it, fp16 on any other, fp32 on a CPU."""
_Colour = Annotated[float, Meta(ge=0, le=1)]
_Spread = Annotated[float, Meta(ge=0.001, le=100)]
_Colours = tuple[_Colour, _Colour, _Colour]
_Spreads = tuple[_Spread, _Spread, _Spread]


class _Transformer(StrictStruct, tag_field="kind", kw_only=True, frozen=True):
    """What all models of `transformers` may have."""

    pretrained: Pretrained | None = None
    """The published weights to begin with; without them training begins from nothing."""
    precision: Precision = "auto"
    """The number format that is computed in; what is averaged is fp32 in any case."""
    gradient_checkpointing: bool = False
    """Whether activations are computed twice instead of kept, which saves memory and costs speed."""
    compile: bool = False
    """Whether the model is compiled with ``torch.compile`` where the computer can."""


class _LanguageModel(_Transformer, kw_only=True, frozen=True):
    """``sequence_length`` is in tokens: one sample of the run."""

    sequence_length: Annotated[int, Meta(ge=8, le=131_072)]
    """The number of tokens of one sample."""
    lora: Lora | None = None
    """The low-rank adapters, which alone are trained then."""
    quantization: Quantization | None = None
    """The encoding of the frozen weights in few bits."""

    def _check(self, config: ModelConfig) -> None:
        if self.sequence_length > config.longest_sequence:
            raise ValueError(localized("sequence_length must be at most %1 with this config", config.longest_sequence))
        if self.quantization is not None and (self.lora is None or self.pretrained is None):
            raise ValueError(localized("quantization needs lora and pretrained: weights in few bits cannot be trained"))
        known = {linear.name for linear in linears_of(config)}
        if self.lora is not None and (unknown := set(self.lora.target_modules) - known):
            raise ValueError(
                localized(
                    "target_modules: this model has no %1; it has %2",
                    ", ".join(sorted(unknown)),
                    ", ".join(sorted(known)),
                )
            )


class CausalLM(_LanguageModel, tag="causal-lm", kw_only=True, frozen=True):
    """A language model that is trained to predict the next token."""

    config: CausalConfig
    """The model family and its numbers."""

    def __post_init__(self) -> None:
        self._check(self.config)


class MaskedLM(_LanguageModel, tag="masked-lm", kw_only=True, frozen=True):
    """A language model that is trained to predict masked tokens (Devlin and others, BERT, arXiv:1810.04805)."""

    config: MaskedConfig
    """The model family and its numbers."""

    def __post_init__(self) -> None:
        self._check(self.config)


class ImageClassification(_Transformer, tag="image-classification", kw_only=True, frozen=True):
    """A model that classifies images; one sample of the run is one image.

    From each of the three colours, between 0 and 1, its ``image_mean`` is taken away, and the rest is divided
    by its ``image_std``.
    """

    config: ViT
    """The model and its numbers."""
    image_mean: _Colours = (0.5, 0.5, 0.5)
    """What is subtracted from red, green and blue, which are between 0 and 1."""
    image_std: _Spreads = (0.5, 0.5, 0.5)
    """What red, green and blue are then divided by."""


class MoeLM(StrictStruct, tag_field="kind", tag="moe-lm", kw_only=True, frozen=True):
    """A language model that predicts the next token, and in which volunteers host the experts of some layers.

    Trunk and routers are trained by all and averaged as in any run, in float32; each expert is trained by its host.
    """

    config: ExpertConfig
    """The model family of the trunk and its numbers; layers with experts have no feed-forward network of it."""
    sequence_length: Annotated[int, Meta(ge=8, le=131_072)]
    """The number of tokens of one sample."""
    experts: ExpertsSpec = ExpertsSpec()
    """The experts, and how their hosts train them."""

    def __post_init__(self) -> None:
        layers, config = self.config.num_hidden_layers, self.config
        if self.sequence_length > config.longest_sequence:
            raise ValueError(localized("sequence_length must be at most %1 with this config", config.longest_sequence))
        if layers > MAX_LAYERS:
            raise ValueError(localized("num_hidden_layers must be at most %1 in a model with experts", MAX_LAYERS))
        if self.experts.every_layers > layers:
            raise ValueError(
                localized(
                    "every_layers %1 is more than the %2 layers: none has experts", self.experts.every_layers, layers
                )
            )

    @property
    def expert_layers(self) -> tuple[int, ...]:
        """The numbers of the layers that have experts, from 0."""
        return tuple(filter(self.experts.has_experts, range(self.config.num_hidden_layers)))


LanguageModelSpec = CausalLM | MaskedLM
TransformerSpec = LanguageModelSpec | ImageClassification
RecipeSpec = ArithmeticGPT | CausalLM | MaskedLM | MoeLM | ImageClassification
