"""The optimizers that a run may name: each by its name in the field, with its own hyperparameters only.

``statistics`` are what it keeps for each parameter, by the names of its state, and peers may average;
``kept_bytes`` is what a newcomer downloads of all that it keeps, for each parameter.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from core.localizable import localized
from core.schema import Fraction, StrictStruct

_Rate = Annotated[float, Meta(gt=0, le=10)]
_Epsilon = Annotated[float, Meta(gt=0, le=1)]
_Decay = Annotated[float, Meta(ge=0, le=1)]


class _Optimizer(StrictStruct, tag_field="name", kw_only=True, frozen=True):
    """``max_grad_norm`` clips the gradient that the swarm has averaged."""

    statistics: ClassVar[tuple[str, ...]]
    needs_gpu: ClassVar[bool] = False

    learning_rate: _Rate = 1e-3
    """The learning rate before the scheduler."""
    weight_decay: _Decay = 0.0
    """The weight decay for each step."""
    max_grad_norm: Annotated[float, Meta(gt=0, le=1e6)] | None = 1.0
    """The norm to which the averaged gradient is clipped; ``none`` for no clipping."""

    @property
    def kept_bytes(self) -> float:
        """Each of the statistics is a float."""
        return 4.0 * len(self.statistics)


class AdamW(_Optimizer, tag="adamw", kw_only=True, frozen=True):
    """Adam with decoupled weight decay, torch's (Loshchilov and Hutter, arXiv:1711.05101)."""

    statistics = ("exp_avg", "exp_avg_sq")

    beta1: Fraction = 0.9
    """The decay of the mean of gradients."""
    beta2: Fraction = 0.99
    """The decay of the mean of squared gradients."""
    epsilon: _Epsilon = 1e-8
    """The constant in the denominator, against division by zero."""


class AdamW8bit(_Optimizer, tag="adamw8bit", kw_only=True, frozen=True):
    """AdamW with its statistics in 8 bits, blocks of which share a scale; bitsandbytes'.

    A mean of such numbers means nothing, so that peers never average them.
    """

    statistics = ()
    needs_gpu = True

    beta1: Fraction = 0.9
    """The decay of the mean of gradients."""
    beta2: Fraction = 0.99
    """The decay of the mean of squared gradients."""
    epsilon: _Epsilon = 1e-8
    """The constant in the denominator, against division by zero."""

    @property
    def kept_bytes(self) -> float:
        """Two bytes, and of every 256 parameters two scales."""
        return 2 + 2 * 4 / 256


class SGD(_Optimizer, tag="sgd", kw_only=True, frozen=True):
    """Stochastic gradient descent with momentum, torch's."""

    statistics = ("momentum_buffer",)

    momentum: Fraction = 0.9
    """The decay of the sum of gradients; 0 for plain SGD."""
    nesterov: bool = False
    """Whether the momentum is Nesterov's, which looks one step ahead."""

    def __post_init__(self) -> None:
        if self.nesterov and not self.momentum:
            raise ValueError(localized("nesterov needs a momentum"))


class Adafactor(_Optimizer, tag="adafactor", kw_only=True, frozen=True):
    """Adafactor, torch's, which keeps sums over rows and columns only: next to nothing (arXiv:1804.04235)."""

    statistics = ()

    beta2_decay: Annotated[float, Meta(ge=-1, lt=0)] = -0.8
    """The exponent by which the decay of squared gradients approaches 1 over the steps."""


class Lamb(_Optimizer, tag="lamb", kw_only=True, frozen=True):
    """LAMB, for very large batches of transformers; pytorch-optimizer's (arXiv:1904.00962)."""

    statistics = ("exp_avg", "exp_avg_sq")

    beta1: Fraction = 0.9
    """The decay of the mean of gradients."""
    beta2: Fraction = 0.999
    """The decay of the mean of squared gradients."""
    epsilon: _Epsilon = 1e-6
    """The constant in the denominator, against division by zero."""


class Lars(_Optimizer, tag="lars", kw_only=True, frozen=True):
    """LARS, for very large batches of images; pytorch-optimizer's (arXiv:1708.03888)."""

    statistics = ("momentum_buffer",)

    momentum: Fraction = 0.9
    """The decay of the sum of gradients; 0 for none."""
    trust_coefficient: Annotated[float, Meta(gt=0, le=1)] = 1e-3
    """The factor between a layer's norm and the length of its step."""


class Lion(_Optimizer, tag="lion", kw_only=True, frozen=True):
    """Lion, pytorch-optimizer's, which keeps half of what Adam keeps and wants a third of its learning rate.

    Chen and others, arXiv:2302.06675.
    """

    statistics = ("exp_avg",)

    learning_rate: _Rate = 1e-4
    """The learning rate before the scheduler; about a third of what AdamW would take."""
    beta1: Fraction = 0.9
    """The weight of the old mean in the direction of a step."""
    beta2: Fraction = 0.99
    """The decay of the mean of gradients."""


class Muon(_Optimizer, tag="muon", kw_only=True, frozen=True):
    """Muon: orthogonalized momentum for the matrices of hidden layers, AdamW for all else (Jordan and others, 2024).

    A matrix's step is as large as AdamW's would be, so that one learning rate suits both (Liu and others,
    arXiv:2502.16982). Matrices keep one number for each parameter, embeddings, output layer, biases and norms two;
    peers average neither.
    """

    statistics = ()

    momentum: Fraction = 0.95
    """The decay of the mean of a matrix's gradients."""
    beta1: Fraction = 0.9
    """AdamW's decay of the mean of gradients."""
    beta2: Fraction = 0.99
    """AdamW's decay of the mean of squared gradients."""
    epsilon: _Epsilon = 1e-8
    """AdamW's constant in the denominator, against division by zero."""

    @property
    def kept_bytes(self) -> float:
        """At the most, as of an embedding: two floats."""
        return 8.0


OptimizerSpec = AdamW | AdamW8bit | SGD | Adafactor | Lamb | Lars | Lion | Muon
