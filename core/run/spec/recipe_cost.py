"""How large a recipe's model is, and what one sample of it costs; counted without building anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from core.run.spec.data import DataSpec, SumsData
from core.run.spec.experts import expert_parameters
from core.run.spec.image_models import ViT, image_parameters_of
from core.run.spec.language_models import Llama, ModelConfig, Qwen2
from core.run.spec.parameter_count import adapters_of, feed_forward_parameters_of, parameter_count
from core.run.spec.recipe import (
    ArithmeticGPT,
    CausalLM,
    ImageClassification,
    LanguageModelSpec,
    MaskedLM,
    MoeLM,
    RecipeSpec,
)

_FLOAT_BYTES = 4
_LIBRARY_BYTES = 125_000_000  # measured: transformers and peft
_IMAGE_BYTES = 200_000_000  # those that are read ahead, mixed and held out, at the most
_TOKENS, _DIGITS = 12, 10  # the digits, + and =; only digits are predicted


@dataclass(frozen=True)
class ExpertsSize:
    """All experts of a model; each has so many ``parameters``, and is ``state_bytes`` large with AdamW's statistics.

    A trainer sends ``sent_floats`` of each sample to hosts: tokens forward, and tokens and gradients backward. It
    receives ``received_floats``, both at the most: tokens beyond an expert's capacity are not sent.
    """

    count: int
    parameters: int
    sent_floats: int
    received_floats: int

    @property
    def state_bytes(self) -> int:
        """The memory of one expert's weights and AdamW's two statistics of each, in float32."""
        return 3 * _FLOAT_BYTES * self.parameters

    @property
    def sent_bytes(self) -> int:
        """What a trainer sends of a sample, in float32."""
        return _FLOAT_BYTES * self.sent_floats

    @property
    def received_bytes(self) -> int:
        """What a trainer receives of a sample."""
        return _FLOAT_BYTES * self.received_floats


@dataclass(frozen=True)
class RecipeSize:
    """The size of a recipe's model and the cost of a sample; ``kept_floats`` is what backward needs of one forward.

    ``frozen_bytes`` hold the weights that are not trained; ``pretrained_bytes`` are fetched from a hub.
    ``library_bytes`` of ordinary memory hold the code that only such models need. A model with ``experts`` is counted
    without them, as each is with its host.
    """

    parameters: int
    trained: int
    kept_floats: int
    sample_flop: int
    frozen_bytes: int = 0
    pretrained_bytes: int = 0
    library_bytes: int = 0
    experts: ExpertsSize | None = None


# Training costs 6 FLOP for each parameter and token, 2 forward and 4 backward (Kaplan and others, arXiv:2001.08361,
# section 2.1); frozen weights need no gradient of their own, which leaves 4. What backward keeps of forward counts
# vectors of each layer as Korthikanti and others do (arXiv:2205.05198, section 4.1), and tests compare it with torch.
def size_of(recipe: RecipeSpec, data: DataSpec) -> RecipeSize:
    """The size of a recipe's model, and the cost of a sample of that data."""
    match recipe:
        case ArithmeticGPT():
            return _of_arithmetic(recipe, data if isinstance(data, SumsData) else SumsData())
        case CausalLM() | MaskedLM():
            return _of_language_model(recipe)
        case MoeLM():
            return _of_mixture(recipe)
        case ImageClassification():
            return _of_image_classifier(recipe)
        case _:
            assert_never(recipe)


def _of_arithmetic(recipe: ArithmeticGPT, data: SumsData) -> RecipeSize:
    """Backward keeps 18 vectors a token and layer, and the attention's weights."""
    width, tokens = recipe.width, 3 * data.digits + 2
    block = 12 * width**2 + 9 * width
    parameters = recipe.layers * block + (_TOKENS + tokens) * width + 2 * width + _DIGITS * width
    return RecipeSize(
        parameters=parameters,
        trained=parameters,
        kept_floats=tokens * recipe.layers * (18 * width + 2 * recipe.heads * tokens),
        sample_flop=6 * parameters * tokens,
    )


def _of_language_model(recipe: LanguageModelSpec) -> RecipeSize:
    """With adapters, the gradient of the frozen weights need not be computed: a third of the work."""
    whole, lora = parameter_count(recipe.config), recipe.lora
    adapters = 0 if lora is None else adapters_of(recipe.config, lora.rank, lora.target_modules)
    flop = 6 if lora is None else 4
    return RecipeSize(
        parameters=whole + adapters,
        trained=whole if lora is None else adapters,
        kept_floats=_kept_floats(recipe),
        sample_flop=flop * (whole + adapters) * recipe.sequence_length,
        frozen_bytes=0 if lora is None else round(whole * _frozen_width(recipe)),
        library_bytes=_LIBRARY_BYTES,
        pretrained_bytes=0 if recipe.pretrained is None else whole * _FLOAT_BYTES,
    )


def _of_mixture(recipe: MoeLM) -> RecipeSize:
    """The trunk and the routers; a layer with experts keeps the tokens that it has sent, and what has come back."""
    config, experts, tokens = recipe.config, recipe.experts, recipe.sequence_length
    width, layers = config.hidden_size, len(recipe.expert_layers)
    plain = parameter_count(config) - layers * feed_forward_parameters_of(config)
    trunk = plain + layers * width * experts.experts
    routed = layers * tokens * experts.top_k * width
    kept = tokens * (config.num_hidden_layers * _kept_by_layer(config) + 3 * config.vocab_size) + 4 * routed
    return RecipeSize(
        parameters=trunk,
        trained=trunk,
        kept_floats=kept,
        sample_flop=6 * trunk * tokens,
        library_bytes=_LIBRARY_BYTES,
        experts=ExpertsSize(
            count=layers * experts.experts,
            parameters=expert_parameters(width, experts.expansion),
            sent_floats=3 * routed,
            received_floats=2 * routed,
        ),
    )


def _of_image_classifier(recipe: ImageClassification) -> RecipeSize:
    """Its tokens are the patches, and the one that gathers what is to be told."""
    config, parameters = recipe.config, image_parameters_of(recipe.config)
    tokens = config.patches + 1
    layers, layer = config.num_hidden_layers, _kept_by_layer(config)
    kept = layers * config.hidden_size + layer if recipe.gradient_checkpointing else layers * layer
    return RecipeSize(
        parameters=parameters,
        trained=parameters,
        kept_floats=tokens * kept + 2 * 3 * config.image_size**2,
        sample_flop=6 * parameters * tokens,
        library_bytes=_LIBRARY_BYTES + _IMAGE_BYTES,
        pretrained_bytes=0 if recipe.pretrained is None else parameters * _FLOAT_BYTES,
    )


def _frozen_width(recipe: LanguageModelSpec) -> float:
    """Bytes of one weight that is not trained, at the most: ``auto`` may mean a CPU."""
    if recipe.quantization is not None:
        return 1.1 if recipe.quantization.kind == "8bit" else 0.6
    return 2.0 if recipe.precision in ("bf16", "fp16") else _FLOAT_BYTES


def _kept_floats(recipe: LanguageModelSpec) -> int:
    """Of each layer its vectors, or with checkpoints one each and all of one layer's; of the output three."""
    config, tokens = recipe.config, recipe.sequence_length
    layers, layer = config.num_hidden_layers, _kept_by_layer(config)
    kept = layers * config.hidden_size + layer if recipe.gradient_checkpointing else layers * layer
    return tokens * (kept + 3 * config.vocab_size)


def _kept_by_layer(config: ModelConfig | ViT) -> int:
    """Floats a token: the attention's and the norms' vectors, and those of the wider perceptron."""
    wide = 4 if isinstance(config, Llama | Qwen2) else 3
    return 9 * config.hidden_size + wide * config.expanded_size
