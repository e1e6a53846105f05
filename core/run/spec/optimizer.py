"""The optimizers that a run may name: each by what it is called in the field, with its own numbers only.

``statistics`` are what it keeps for each parameter, by the names of its state, and peers may average;
``kept_bytes`` is what a newcomer downloads of all that it keeps, for each parameter.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from core.schema import Fraction, StrictStruct

_Rate = Annotated[float, Meta(gt=0, le=10)]
_Epsilon = Annotated[float, Meta(gt=0, le=1)]
_Decay = Annotated[float, Meta(ge=0, le=1)]


class _Optimizer(StrictStruct, tag_field="name", kw_only=True, frozen=True):
    """``max_grad_norm`` clips the gradient that the swarm has averaged."""

    statistics: ClassVar[tuple[str, ...]]
    needs_gpu: ClassVar[bool] = False

    learning_rate: _Rate = 1e-3
    weight_decay: _Decay = 0.0
    max_grad_norm: Annotated[float, Meta(gt=0, le=1e6)] | None = 1.0

    @property
    def kept_bytes(self) -> float:
        """Each of the statistics is a float."""
        return 4.0 * len(self.statistics)


class AdamW(_Optimizer, tag="adamw", kw_only=True, frozen=True):
    """torch's."""

    statistics = ("exp_avg", "exp_avg_sq")

    beta1: Fraction = 0.9
    beta2: Fraction = 0.99
    epsilon: _Epsilon = 1e-8


class AdamW8bit(_Optimizer, tag="adamw8bit", kw_only=True, frozen=True):
    """AdamW with its statistics in 8 bits, blocks of which share a scale; bitsandbytes'.

    A mean of such numbers means nothing, so that peers never average them.
    """

    statistics = ()
    needs_gpu = True

    beta1: Fraction = 0.9
    beta2: Fraction = 0.99
    epsilon: _Epsilon = 1e-8

    @property
    def kept_bytes(self) -> float:
        """Two bytes, and of every 256 parameters two scales."""
        return 2 + 2 * 4 / 256


class SGD(_Optimizer, tag="sgd", kw_only=True, frozen=True):
    """torch's."""

    statistics = ("momentum_buffer",)

    momentum: Fraction = 0.9
    nesterov: bool = False

    def __post_init__(self) -> None:
        if self.nesterov and not self.momentum:
            raise ValueError("nesterov needs a momentum")


class Adafactor(_Optimizer, tag="adafactor", kw_only=True, frozen=True):
    """torch's: it keeps sums over rows and columns, and so next to nothing."""

    statistics = ()

    beta2_decay: Annotated[float, Meta(ge=-1, lt=0)] = -0.8


class Lamb(_Optimizer, tag="lamb", kw_only=True, frozen=True):
    """For very large batches of transformers; pytorch-optimizer's."""

    statistics = ("exp_avg", "exp_avg_sq")

    beta1: Fraction = 0.9
    beta2: Fraction = 0.999
    epsilon: _Epsilon = 1e-6


class Lars(_Optimizer, tag="lars", kw_only=True, frozen=True):
    """For very large batches of images; pytorch-optimizer's."""

    statistics = ("momentum_buffer",)

    momentum: Fraction = 0.9
    trust_coefficient: Annotated[float, Meta(gt=0, le=1)] = 1e-3


class Lion(_Optimizer, tag="lion", kw_only=True, frozen=True):
    """It keeps half of what Adam keeps, and wants a third of its learning rate; pytorch-optimizer's."""

    statistics = ("exp_avg",)

    learning_rate: _Rate = 1e-4
    beta1: Fraction = 0.9
    beta2: Fraction = 0.99


OptimizerSpec = AdamW | AdamW8bit | SGD | Adafactor | Lamb | Lars | Lion
