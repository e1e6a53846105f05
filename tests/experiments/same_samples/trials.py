"""What is simulated: the sizes of the model, the ways to train it, and how many samples of text each of them sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import msgspec

from core.run.spec.collaboration import Collaboration, DeltaCodec
from core.run.spec.language_models import OPT
from core.run.spec.optimizer import AdamW, Muon, OptimizerSpec
from core.run.spec.recipe import CausalLM
from tests.experiments.same_samples.program_text import LENGTH

PEERS = 4
MICRO_BATCH = 8  # samples of one peer's step
INNER_STEPS = 30  # of a peer in a round
SWARM_BATCH = 1024  # samples of a step of all peers, with gradients
WARM_UP_SAMPLES = 640  # 20 steps of each peer, as long as local SGD's own ramp
FULL_ROUNDS, LONG_ROUNDS, QUICK_ROUNDS = 21, 84, 2  # 960 samples each: 20,160 samples, or 80,640
EVALUATED_EVERY = 3  # rounds

Way = Literal[
    "every-step",
    "gradients",
    "int8",
    "int4",
    "topk",
    "int8-mean",
    "int8-diloco",
    "every-step-muon",
    "gradients-muon",
    "int8-muon",
    "int4-muon",
]
"""One step with all peers' micro-batches, or with `SWARM_BATCH` samples; or local SGD, with one of these `CODECS`.

The optimizer is AdamW, where nothing else is said.
"""
WAYS = get_args(Way)
CODECS: dict[Way, DeltaCodec] = {
    "int8": "int8",
    "int4": "int4",
    "topk": "topk",
    "int8-mean": "int8",
    "int8-diloco": "int8",
    "int8-muon": "int8",
    "int4-muon": "int4",
}
NAMES: dict[Way, str] = {
    "every-step": "averaged at every step",
    "gradients": "gradients, batch 1,024",
    "int8": "local SGD, int8",
    "int4": "local SGD, int4",
    "topk": "local SGD, topk",
    "int8-mean": "local SGD, int8, plain mean",
    "int8-diloco": "local SGD, int8, outer momentum 0.9",
    "every-step-muon": "Muon, averaged at every step",
    "gradients-muon": "Muon, gradients, batch 1,024",
    "int8-muon": "Muon, local SGD, int8",
    "int4-muon": "Muon, local SGD, int4",
}


@dataclass(frozen=True)
class Size:
    """A model of about so many ``parameters``: its width, layers and heads."""

    name: str
    parameters: str
    width: int
    layers: int
    heads: int

    @property
    def recipe(self) -> CausalLM:
        """The run's recipe of such a model, of bytes."""
        config = OPT(
            vocab_size=258,
            hidden_size=self.width,
            num_hidden_layers=self.layers,
            num_attention_heads=self.heads,
            max_position_embeddings=LENGTH,
        )
        return CausalLM(config=config, sequence_length=LENGTH)


SIZES = {
    each.name: each
    for each in (
        Size("0.3M", "0.25 million", 96, 2, 4),
        Size("0.8M", "0.83 million", 128, 4, 4),
        Size("1.8M", "1.8 million", 192, 4, 4),
        Size("6M", "6.3 million", 320, 5, 5),
    )
}


@dataclass(frozen=True)
class Trial:
    """One size of the model, trained one way with one learning rate, for so many rounds' samples."""

    size: str
    way: Way
    learning_rate: float
    rounds: int = FULL_ROUNDS

    @property
    def samples(self) -> int:
        """All samples of all peers."""
        return self.rounds * INNER_STEPS * PEERS * MICRO_BATCH


@dataclass(frozen=True)
class Curve:
    """The held-out loss in nats a byte after so many samples, in order; the first is that of the untrained model."""

    losses: tuple[tuple[int, float], ...]

    @property
    def last(self) -> float:
        """After all samples."""
        return self.losses[-1][1]


def collaboration(way: Way) -> Collaboration:
    """The options of local SGD as a run file would have them; without outer momentum for topk and for a plain mean.

    DiLoCo's outer momentum is 0.9 (Douillard and others, arXiv:2311.08105), a run file's default 0.5.
    """
    options = Collaboration(
        mode="local-sgd", target_batch_size=INNER_STEPS * PEERS * MICRO_BATCH, delta_codec=CODECS[way]
    )
    if way in ("topk", "int8-mean"):
        return msgspec.structs.replace(options, outer_lr=1.0, outer_momentum=0.0)
    return msgspec.structs.replace(options, outer_momentum=0.9) if way == "int8-diloco" else options


def optimizer_of(trial: Trial) -> OptimizerSpec:
    """What steps the model, of each peer or of all together."""
    kind = Muon if trial.way.endswith("-muon") else AdamW
    return kind(learning_rate=trial.learning_rate)


SMALLEST = "0.3M"
RATES: dict[Way, tuple[float, ...]] = {
    "every-step": (1e-3, 2e-3, 4e-3),
    "gradients": (4e-3, 8e-3, 1.6e-2),
    "int8": (1e-3, 2e-3, 3e-3),
    "int4": (2e-3,),
    "topk": (1e-3, 2e-3),
    "int8-mean": (1e-3, 2e-3, 4e-3),
    "int8-diloco": (5e-4, 1e-3, 2e-3),
}
"""The learning rates that are tried with the smallest model."""
LARGER: dict[Way, tuple[float, ...]] = {
    "every-step": (1e-3, 2e-3),
    "int8": (1e-3, 2e-3),
    "gradients": (4e-3,),
    "int4": (1e-3,),
    "topk": (1e-3,),
}
"""Those that are tried with a larger model: the best of the smallest, and half of it."""
LARGEST: dict[Way, tuple[float, ...]] = {way: rates[:1] for way, rates in LARGER.items()}
"""Those that are tried with the largest models, where a trial takes long: the best of the next smaller one."""
LONG: dict[Way, tuple[float, ...]] = {
    "every-step": (1e-3, 2e-3),
    "gradients": (8e-3,),
    "int8": (1e-3, 2e-3),
    "int4": (2e-3,),
    "topk": (2e-3,),
    "int8-diloco": (5e-4, 1e-3),
}
"""Those that are tried with the smallest model and four times the samples."""
LONG_LARGER: dict[Way, tuple[float, ...]] = {"every-step": (1e-3,), "int8": (1e-3,)}
"""The same with larger models: the best of the smaller model's rates that were tried with one of them."""
LONG_LARGEST: dict[Way, tuple[float, ...]] = {"every-step": (5e-4,), "int8": (5e-4,)}
"""The same with the largest one: the best of its own rates, tried with fewer samples."""
WITH_MUON: dict[Way, tuple[float, ...]] = {
    "every-step": (2e-3,),
    "gradients": (8e-3,),
    "int8": (2e-3,),
    "every-step-muon": (4e-3, 8e-3, 1.6e-2),
    "gradients-muon": (8e-3, 1.6e-2),
    "int8-muon": (2e-3, 4e-3, 8e-3, 1.6e-2),
    "int4-muon": (8e-3,),
}
"""AdamW's best learning rates with the smallest model, and those of Muon that are tried with it."""
WITH_MUON_LARGER: dict[Way, tuple[float, ...]] = {
    "every-step": (2e-3,),
    "int8": (1e-3,),
    "every-step-muon": (4e-3, 8e-3),
    "int8-muon": (4e-3, 8e-3),
}
"""The same with a larger model."""
WITH_MUON_LARGEST: dict[Way, tuple[float, ...]] = {
    "every-step": (1e-3,),
    "int8": (1e-3,),
    "every-step-muon": (8e-3,),
    "int8-muon": (8e-3,),
}
"""The best of those with the largest model, where a trial takes long."""
PLANS = {
    "same-samples": (
        ((SMALLEST,), RATES, FULL_ROUNDS),
        ((SMALLEST,), LONG, LONG_ROUNDS),
        (("0.8M",), LARGER, FULL_ROUNDS),
        (("0.8M", "1.8M"), LONG_LARGER, LONG_ROUNDS),
        (("6M",), LONG_LARGEST, LONG_ROUNDS),
        (("1.8M", "6M"), LARGEST, FULL_ROUNDS),
    ),
    "muon": (
        ((SMALLEST,), WITH_MUON, FULL_ROUNDS),
        (("0.8M",), WITH_MUON_LARGER, FULL_ROUNDS),
        (("1.8M",), WITH_MUON_LARGEST, FULL_ROUNDS),
    ),
}
"""Of each experiment: sizes, learning rates of each way, and rounds."""


def trials(experiment: str, sizes: Sequence[str] = (), *, is_quick: bool) -> list[Trial]:
    """What is simulated with models of those sizes, or of all; quickly, two rounds of the smallest with one rate."""
    plan = PLANS[experiment]
    if is_quick:
        return [Trial(SMALLEST, way, rates[0], QUICK_ROUNDS) for way, rates in plan[0][1].items()]
    return [
        Trial(size, way, rate, rounds)
        for wanted, ways, rounds in plan
        for size in wanted
        if not sizes or size in sizes
        for way, rates in ways.items()
        for rate in rates
    ]
