"""How peers train and average together: the section ``[collaboration]`` of a run, with its bounds."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from msgspec import Meta

from core.localizable import localized
from core.run.spec.web_address import folder_flaw
from core.schema import StrictStruct, fields_of

_Seconds = Annotated[float, Meta(ge=0.5, le=3600)]
_RefreshSeconds = Annotated[float, Meta(ge=0.1, le=60)]

StateCompression = Literal["none", "float16", "scaled_float16"]
"""Of weights: in 8 bits, each would be rounded to one of 256 values, epoch after epoch."""
Compression = Literal[StateCompression, "uniform_8bit", "quantile_8bit", "size_adaptive"]
Statistic = Literal["exp_avg", "exp_avg_sq", "momentum_buffer"]
Mode = Literal["gradients", "local-sgd"]
DeltaCodec = Literal["fp16", "int8", "int4", "topk"]
Aggregation = Literal["mean", "clip", "centered-clip"]
# What hivemind 1.1.12 accepts of
# (delay_state_averaging, delay_optimizer_step, delay_grad_averaging, reuse_grad_buffers)
_ORDINARY_MODES = {
    (False, False, False, False),
    (True, False, False, False),
    (True, True, True, False),
    (False, False, False, True),
    (True, True, True, True),
    (True, True, False, True),
}


LOCAL_SGD_OPTIONS = (
    "max_round_seconds",
    "inner_steps_min",
    "inner_steps_max",
    "outer_lr",
    "outer_momentum",
    "delta_codec",
    "overlap",
    "max_stale_rounds",
    "mirror",
)
_GRADIENTS_OPTIONS = (
    "delay_grad_averaging",
    "delay_optimizer_step",
    "delay_state_averaging",
    "offload_optimizer",
    "reuse_grad_buffers",
    "use_local_updates",
    "average_state_every",
    "grad_compression",
    "state_averaging_compression",
    "load_state_compression",
    "average_opt_statistics",
    "powersgd_rank",
)


class Collaboration(StrictStruct, kw_only=True, frozen=True):
    """How peers train and average together, under hivemind.Optimizer's own names; overlap is the default.

    Batch sizes are in samples; ``batch_size_per_step`` is the micro-batch, and without it every computer
    trains with what a dry run has found to be fast on it; times are in seconds;
    ``average_opt_statistics`` are averaged with the weights, and ``powersgd_rank`` directions of a gradient
    (Vogels and others, PowerSGD, arXiv:1905.13727).
    ``bandwidth`` is one peer's, in Mbit/s: peers share the work of averaging in proportion to theirs.
    """

    mode: Mode = "gradients"
    """What peers average: gradients, for one step of all together in every epoch (plain hivemind), or with
    ``local-sgd`` what the many steps of each have changed, for slow lines (DiLoCo, arXiv:2311.08105; experimental)."""
    target_batch_size: Annotated[int, Meta(ge=1, le=100_000_000)]
    """The number of samples of one epoch of the whole swarm: one step of all together, or one round of local-sgd."""
    batch_size_per_step: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    """The micro-batch, in samples; without it every computer finds the fastest one by a dry run."""
    matchmaking_time: _Seconds = 5.0
    """Seconds in which peers find each other before an averaging round begins."""
    averaging_timeout: _Seconds = 60.0
    """Seconds after which an averaging round without a group is given up."""
    allreduce_timeout: _Seconds | None = None
    """Seconds that the exchange of a group may take; without it, what a line of 1 Mbit/s needs for this model."""
    next_chunk_timeout: _Seconds = 60.0
    """Seconds without any data after which a peer that sends its state counts as gone."""
    load_state_timeout: _Seconds = 600.0
    """hivemind's limit to a newcomer's download, of no effect here: that lasts for as long as data arrives."""
    delay_grad_averaging: bool = True
    """Whether training goes on while gradients are averaged, for half of an epoch's samples."""
    delay_optimizer_step: bool = True
    """Whether training goes on while the optimizer takes its step."""
    delay_state_averaging: bool = True
    """Whether training goes on while weights and statistics are averaged."""
    offload_optimizer: bool = True
    """Whether the optimizer and its state are kept in ordinary memory instead of the GPU's; overlap needs it."""
    reuse_grad_buffers: bool = False
    """Whether gradients add up in the model's own buffers, which saves one copy of them."""
    use_local_updates: bool = False
    """Whether each peer takes steps by itself and only weights are averaged, for slow lines."""
    average_state_every: Annotated[int, Meta(ge=1, le=1000)] = 1
    """The number of epochs from one averaging of the weights to the next."""
    aggregation: Aggregation = "clip"
    """How gradients, weights and changes are averaged: as they are (``mean``), each peer's clipped to the median norm
    (``clip``), or by centered clipping (Karimireddy, He and Jaggi, arXiv:2012.10333). It takes three peers to clip."""
    weight_cap: Annotated[float, Meta(ge=1, le=1000)] = 4.0
    """How many times the median of all peers' samples one peer's may count at the most."""
    grad_compression: Compression = "none"
    """How gradients are encoded when they are sent."""
    state_averaging_compression: StateCompression = "none"
    """How weights and statistics are encoded when they are averaged."""
    load_state_compression: StateCompression = "none"
    """How the state is encoded when a newcomer downloads it."""
    average_opt_statistics: tuple[Statistic, ...] = ()
    """The optimizer's statistics that are averaged together with the weights."""
    powersgd_rank: Annotated[int, Meta(ge=1, le=256)] | None = None
    """The rank to which PowerSGD reduces each large gradient; without it gradients are averaged in full."""
    bandwidth: Annotated[float, Meta(gt=0, le=1e6)] | None = None
    """The speed of every peer's line in Mbit/s, by which they share the work of averaging; without it, each measures
    its own upload."""
    min_refresh_period: _RefreshSeconds = 0.5
    """Seconds between two looks at the others' progress, at least."""
    default_refresh_period: _RefreshSeconds = 3.0
    """Seconds between two looks at the others' progress, while no other peer is known."""
    max_refresh_period: _RefreshSeconds = 10.0
    """Seconds between two looks at the others' progress, at most; with more than ten peers, whose reports each look
    brings, longer: up to half of ``metadata_expiration``."""
    expected_drift_peers: Annotated[float, Meta(ge=0, le=1000)] = 3.0
    """The number of peers that are expected to join within an epoch."""
    expected_drift_rate: Annotated[float, Meta(ge=0, le=10)] = 0.2
    """The share of the peers that is expected to come or go within an epoch."""
    performance_ema_alpha: Annotated[float, Meta(gt=0, le=1)] = 0.1
    """The weight of the latest measurement in a peer's smoothed speed."""
    metadata_expiration: Annotated[float, Meta(ge=20, le=600)] = 60.0
    """Seconds for which a peer that has vanished is still counted."""
    max_round_seconds: Annotated[float, Meta(ge=5, le=86_400)] | None = None
    """With local-sgd, seconds after which a round ends, however few samples two peers or more have seen in it."""
    inner_steps_min: Annotated[int, Meta(ge=1, le=1_000_000)] = 1
    """With local-sgd, how many steps a computer must have taken in a round for its changes to count."""
    inner_steps_max: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    """With local-sgd, how many steps a computer takes in a round at the most; it rests until the round ends then."""
    outer_lr: Annotated[float, Meta(gt=0, le=2)] = 0.7
    """With local-sgd, the learning rate of the step that all take together at the end of a round."""
    outer_momentum: Annotated[float, Meta(ge=0, le=0.99)] = 0.5
    """With local-sgd, the Nesterov momentum of that step, kept in bfloat16. With DiLoCo's 0.9, small models had
    learned less after 21 and 84 rounds."""
    delta_codec: DeltaCodec = "int8"
    """With local-sgd, how changes of weights are encoded: 2, 1.01 or 0.56 bytes a parameter each way; ``topk`` sends
    the largest of them in 0.032 bytes, and receives as much of each other peer (SparseLoCo, arXiv:2508.15706)."""
    overlap: Literal["none", "delayed"] = "none"
    """With local-sgd, whether training goes on while changes are exchanged (``delayed``)."""
    max_stale_rounds: Annotated[int, Meta(ge=0, le=4)] = 2
    """With local-sgd, how many rounds a computer may have missed at the most to keep what it has changed meanwhile."""
    mirror: Annotated[str, Meta(max_length=500)] = ""
    """With local-sgd, the https address of a folder with the base weights, which newcomers try before they ask peers;
    ``publish --mirror`` writes it."""

    def __post_init__(self) -> None:
        self._refuse_other_mode()
        if not self.min_refresh_period <= self.default_refresh_period <= self.max_refresh_period:
            raise ValueError(localized("min_, default_ and max_refresh_period must not be in another order"))
        if self.target_batch_size < self.sure_batch_size:
            raise ValueError(localized("target_batch_size must be at least batch_size_per_step"))
        if self.averaging_timeout <= self.matchmaking_time:
            raise ValueError(localized("averaging_timeout must be longer than matchmaking_time"))
        if self.delay_optimizer_step and not self.offload_optimizer:
            raise ValueError(localized("delay_optimizer_step needs offload_optimizer"))
        self._refuse_rounded_statistics()
        self._refuse_what_hivemind_cannot()

    def _refuse_what_hivemind_cannot(self) -> None:
        """Raises ValueError for options that hivemind does not have together."""
        if self.powersgd_rank is not None and self.use_local_updates:
            raise ValueError(localized("powersgd_rank is about gradients, which use_local_updates never sends"))
        if self.powersgd_rank is not None and self.grad_compression not in get_args(StateCompression):
            raise ValueError(
                localized(
                    "powersgd_rank needs grad_compression in halves at least: in 8 bits every peer would look in "
                    "other directions"
                )
            )
        mode = (
            self.delay_state_averaging,
            self.delay_optimizer_step,
            self.delay_grad_averaging,
            self.reuse_grad_buffers,
        )
        if self.use_local_updates and any(mode[1:]):
            raise ValueError(
                localized(
                    "use_local_updates averages no gradients: it needs delay_optimizer_step, delay_grad_averaging "
                    "and reuse_grad_buffers = false"
                )
            )
        if mode not in _ORDINARY_MODES and not self.use_local_updates:
            raise ValueError(
                localized(
                    "hivemind does not accept this combination of delay_state_averaging, delay_optimizer_step, "
                    "delay_grad_averaging and reuse_grad_buffers"
                )
            )

    def _refuse_rounded_statistics(self) -> None:
        """Raises ValueError where a compression would spoil the optimizer's statistics that are averaged with it."""
        if self.average_opt_statistics and self.state_averaging_compression == "float16":
            raise ValueError(
                localized('state_averaging_compression = "float16" would make zeros of small average_opt_statistics')
            )
        if "exp_avg_sq" in self.average_opt_statistics and self.state_averaging_compression != "none":
            raise ValueError(
                localized(
                    'average_opt_statistics with "exp_avg_sq" needs state_averaging_compression = "none": rounding '
                    "would make some of these squares negative, and the model's weights no numbers"
                )
            )

    def _refuse_other_mode(self) -> None:
        """Raises ValueError where an option is set that the mode does not have, or one of local-sgd makes no sense."""
        of_mode = _GRADIENTS_OPTIONS if self.mode == "local-sgd" else LOCAL_SGD_OPTIONS
        for field in fields_of(type(self)):
            if field.name in of_mode and getattr(self, field.name) != field.default:
                needed = "gradients" if self.mode == "local-sgd" else "local-sgd"
                raise ValueError(localized('%1 needs mode = "%2"', field.name, needed))
        if self.max_round_seconds is not None and self.max_round_seconds <= self.matchmaking_time:
            raise ValueError(localized("max_round_seconds must be longer than matchmaking_time"))
        if self.inner_steps_max is not None and self.inner_steps_max < self.inner_steps_min:
            raise ValueError(localized("inner_steps_max must be at least inner_steps_min"))
        if self.inner_steps_max is not None and self.max_round_seconds is None:
            raise ValueError(
                localized(
                    "inner_steps_max needs max_round_seconds: where everybody has taken so many steps, nothing "
                    "else ends the round"
                )
            )
        if self.mirror and (flaw := folder_flaw(self.mirror)):
            raise ValueError(localized("mirror: %1", flaw))

    @property
    def is_optimizer_offloaded(self) -> bool:
        """Whether the optimizer steps copies of the parameters in host memory.

        Local updates step the parameters of the model themselves, which is also hivemind's default.
        """
        return self.offload_optimizer and not self.use_local_updates and self.mode == "gradients"

    @property
    def sure_batch_size(self) -> int:
        """The micro-batch as far as the run knows it: one sample, where each computer finds its own."""
        return self.batch_size_per_step or 1
