"""The manifest of a run: plain, bounded data that an organiser signs; never code.

Bounds are wide enough for any home computer and narrow enough that nobody can ask for the absurd.
"""

from __future__ import annotations

from typing import Annotated, Literal, assert_never, get_args

import msgspec
from msgspec import Meta

from core.errors import ErrorKind, UserError
from core.run.spec.data import BYTE_TOKENS, DataSpec, HubDataset, HubImages, ImageFiles, SumsData, TextFiles
from core.run.spec.optimizer import AdamW, OptimizerSpec
from core.run.spec.recipe import ArithmeticGPT, CausalLM, ImageClassification, MaskedLM, RecipeSpec
from core.schema import StrictStruct

FORMAT_VERSION = 1
MAX_MANIFEST_BYTES = 32 * 1024

_Line = Annotated[str, Meta(max_length=200)]
_Text = Annotated[str, Meta(max_length=8000)]
RunId = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}\Z",
        description="letters, digits, - and _; a letter or digit first; at most 64 characters",
    ),
]
_Seconds = Annotated[float, Meta(ge=0.5, le=3600)]
_RefreshSeconds = Annotated[float, Meta(ge=0.1, le=60)]


class RunInfo(StrictStruct, kw_only=True, frozen=True):
    """The run as people see it: its name, what it is for, who answers for it, and whether it is open."""

    id: RunId
    """The name of the run for machines, hivemind's ``run_id``; every peer of the run uses the same one."""
    name: Annotated[str, Meta(min_length=1, max_length=120)]
    """The title that volunteers read before they agree."""
    description: _Text = ""
    """What is trained and why, for volunteers to read."""
    homepage: _Line = ""
    """The http(s) address of a web page about the run."""
    license: _Line = ""
    """The licence of the trained model, such as ``Apache-2.0``."""
    contact: _Line = ""
    """How volunteers can reach the organiser."""
    state: Literal["open", "paused", "finished"] = "open"
    """Whether the run takes volunteers; ``paused`` and ``finished`` also end the training of those who are there."""
    notice: Annotated[str, Meta(max_length=500)] = ""
    """A sentence that every volunteer of the run is shown, such as when the run will pause."""


class SchedulerSpec(StrictStruct, kw_only=True, frozen=True):
    """The learning rate over the run, counted in epochs; linear and cosine end at ``total_epochs``.

    ``exponential`` is torch's ExponentialLR.
    """

    kind: Literal["constant", "linear", "cosine", "exponential"] = "constant"
    """The shape of the learning rate over the run: constant, falling to zero as a line or a cosine, or by ``gamma``."""
    warmup_epochs: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    """The number of epochs in which the learning rate rises to its value."""
    total_epochs: Annotated[int, Meta(ge=1, le=10_000_000)] | None = None
    """The epoch at which the learning rate reaches zero; ``linear`` and ``cosine`` need it."""
    gamma: Annotated[float, Meta(gt=0, le=1)] = 0.95
    """What the learning rate is multiplied by in every epoch after the warm-up, with ``exponential``."""

    def __post_init__(self) -> None:
        if self.kind in ("linear", "cosine") and self.total_epochs is None:
            raise ValueError(f"the {self.kind} schedule needs total_epochs")


StateCompression = Literal["none", "float16", "scaled_float16"]
"""Of weights: in 8 bits, each would be rounded to one of 256 values, epoch after epoch."""
Compression = Literal[StateCompression, "uniform_8bit", "quantile_8bit", "size_adaptive"]
Statistic = Literal["exp_avg", "exp_avg_sq", "momentum_buffer"]
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


class Collaboration(StrictStruct, kw_only=True, frozen=True):
    """How peers train and average together, under hivemind.Optimizer's own names; overlap is the default.

    Batch sizes are in samples; ``batch_size_per_step`` is the micro-batch, and without it every computer
    trains with what a dry run has found to be fast on it; times are in seconds;
    ``average_opt_statistics`` are averaged with the weights, and ``powersgd_rank`` directions of a gradient
    (Vogels and others, PowerSGD, arXiv:1905.13727).
    ``bandwidth`` is one peer's, in any unit: peers share the work of averaging in proportion to theirs.
    """

    target_batch_size: Annotated[int, Meta(ge=1, le=100_000_000)]
    """The number of samples of one epoch, which is one optimizer step of the whole swarm."""
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
    """Seconds that a newcomer's download of the whole state may take."""
    delay_grad_averaging: bool = True
    """Whether training goes on while gradients are averaged."""
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
    """The speed of one peer's line, in any unit; peers share the work of averaging in proportion to it."""
    min_refresh_period: _RefreshSeconds = 0.5
    """Seconds between two looks at the others' progress, at least."""
    default_refresh_period: _RefreshSeconds = 3.0
    """Seconds between two looks at the others' progress, while no other peer is known."""
    max_refresh_period: _RefreshSeconds = 10.0
    """Seconds between two looks at the others' progress, at most."""
    expected_drift_peers: Annotated[float, Meta(ge=0, le=1000)] = 3.0
    """The number of peers that are expected to join within an epoch."""
    expected_drift_rate: Annotated[float, Meta(ge=0, le=10)] = 0.2
    """The share of the peers that is expected to come or go within an epoch."""
    performance_ema_alpha: Annotated[float, Meta(gt=0, le=1)] = 0.1
    """The weight of the latest measurement in a peer's smoothed speed."""
    metadata_expiration: Annotated[float, Meta(ge=20, le=600)] = 60.0
    """Seconds for which a peer that has vanished is still counted."""

    def __post_init__(self) -> None:
        if not self.min_refresh_period <= self.default_refresh_period <= self.max_refresh_period:
            raise ValueError("min_, default_ and max_refresh_period must not be in another order")
        if self.target_batch_size < self.sure_batch_size:
            raise ValueError("target_batch_size must be at least batch_size_per_step")
        if self.averaging_timeout <= self.matchmaking_time:
            raise ValueError("averaging_timeout must be longer than matchmaking_time")
        if self.delay_optimizer_step and not self.offload_optimizer:
            raise ValueError("delay_optimizer_step needs offload_optimizer")
        if self.average_opt_statistics and self.state_averaging_compression == "float16":
            raise ValueError('state_averaging_compression = "float16" would make zeros of small average_opt_statistics')
        if self.powersgd_rank is not None and self.use_local_updates:
            raise ValueError("powersgd_rank is about gradients, which use_local_updates never sends")
        if self.powersgd_rank is not None and self.grad_compression not in get_args(StateCompression):
            raise ValueError(
                "powersgd_rank needs grad_compression in halves at least: in 8 bits every peer would look in "
                "other directions"
            )
        mode = (
            self.delay_state_averaging,
            self.delay_optimizer_step,
            self.delay_grad_averaging,
            self.reuse_grad_buffers,
        )
        if self.use_local_updates and any(mode[1:]):
            raise ValueError(
                "use_local_updates averages no gradients: it needs delay_optimizer_step, delay_grad_averaging and "
                "reuse_grad_buffers = false"
            )
        if mode not in _ORDINARY_MODES and not self.use_local_updates:
            raise ValueError(
                "hivemind does not accept this combination of delay_state_averaging, delay_optimizer_step, "
                "delay_grad_averaging and reuse_grad_buffers"
            )

    @property
    def is_optimizer_offloaded(self) -> bool:
        """Whether the optimizer steps copies of the parameters in host memory.

        Local updates step the parameters of the model themselves, which is also hivemind's default.
        """
        return self.offload_optimizer and not self.use_local_updates

    @property
    def sure_batch_size(self) -> int:
        """The micro-batch as far as the run knows it: one sample, where each computer finds its own."""
        return self.batch_size_per_step or 1


class EvaluationSpec(StrictStruct, kw_only=True, frozen=True):
    """How often the organiser's peer publishes the run's loss on what nobody trains on."""

    every_epochs: Annotated[int, Meta(ge=1, le=10_000)] = 1
    """The number of epochs from one published loss to the next."""


class Requirements(StrictStruct, kw_only=True, frozen=True):
    """What a volunteer's computer should have; bytes are given in MiB, zero means that nothing is asked."""

    gpu_memory_mib: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    """The free GPU memory that a volunteer should have, in MiB; 0 asks for none."""
    memory_mib: Annotated[int, Meta(ge=0, le=10_000_000)] = 0
    """The free ordinary memory that a volunteer should have, in MiB; 0 asks for none."""
    disk_mib: Annotated[int, Meta(ge=0, le=100_000_000)] = 0
    """The free disk space that a volunteer should have, in MiB; 0 asks for none."""


class RunManifest(StrictStruct, kw_only=True, frozen=True):
    """A whole run, as it is signed (JSON) and as an organiser writes it (TOML).

    ``revision`` grows by one with every change; ``publish`` counts it, a person need not.
    """

    format: Annotated[int, Meta(ge=1, le=2**31)] = FORMAT_VERSION
    """The version of this format; a newer one is refused with the advice to update."""
    revision: Annotated[int, Meta(ge=1, le=2**31)] = 1
    """The number of this description of the run; ``publish`` raises it with every change."""
    run: RunInfo
    """The run as people see it."""
    recipe: RecipeSpec
    """The model, and what it learns to do."""
    data: DataSpec = SumsData()
    """Where the samples come from."""
    optimizer: OptimizerSpec = AdamW()
    """The optimizer and its numbers."""
    scheduler: SchedulerSpec = SchedulerSpec()
    """The learning rate over the run."""
    collaboration: Collaboration
    """How the peers work together."""
    evaluation: EvaluationSpec = EvaluationSpec()
    """How often the held-out loss is published."""
    requirements: Requirements = Requirements()
    """The computer that a volunteer should have."""

    def __post_init__(self) -> None:
        for name in self.collaboration.average_opt_statistics:
            if name not in self.optimizer.statistics:
                raise ValueError(f"average_opt_statistics: this optimizer has no {name}")
        if self.optimizer.needs_gpu and self.collaboration.is_optimizer_offloaded:
            raise ValueError(
                f'optimizer "{self.optimizer.__struct_config__.tag}" computes where the model is: it needs '
                "[collaboration] offload_optimizer = false, and so delay_optimizer_step and "
                "delay_grad_averaging = false"
            )
        if self.collaboration.reuse_grad_buffers and not _is_exact(self.recipe):
            raise ValueError(
                'reuse_grad_buffers needs [recipe] precision = "fp32": '
                "in fp16 gradients cannot add up where they are computed"
            )
        if misfit := _misfit(self.recipe, self.data):
            raise ValueError(misfit)


def _is_exact(recipe: RecipeSpec) -> bool:
    """Whether nobody computes it in fp16, which is what a GPU without bf16 takes instead of that."""
    return isinstance(recipe, ArithmeticGPT) or recipe.precision == "fp32"


def _misfit(recipe: RecipeSpec, data: DataSpec) -> str:
    """Why that recipe cannot learn from that data, in words; nothing where it can."""
    match recipe, data:
        case ArithmeticGPT(), SumsData():
            return ""
        case ((CausalLM() | MaskedLM()), (TextFiles() | HubDataset())):
            known = recipe.config.vocab_size
            if data.tokenizer != "bytes" or known >= BYTE_TOKENS:
                return ""
            return f'tokenizer "bytes" has {BYTE_TOKENS} tokens, and vocab_size is {known}'
        case ImageClassification(), (ImageFiles() | HubImages()):
            named, classes = len(data.class_names), recipe.config.num_labels
            return "" if named in (0, classes) else f"there are {named} class_names, and num_labels is {classes}"
        case _:
            names = recipe.__struct_config__.tag, data.__struct_config__.tag
            return f'recipe kind "{names[0]}" cannot learn from data kind "{names[1]}"; it needs {_data_for(recipe)}'


def _data_for(recipe: RecipeSpec) -> str:
    """The kinds of data that it can learn from."""
    match recipe:
        case ArithmeticGPT():
            return '"sums"'
        case CausalLM() | MaskedLM():
            return '"text-files" or "hub"'
        case ImageClassification():
            return '"image-files" or "hub-images"'
        case _:
            assert_never(recipe)


_decoder = msgspec.json.Decoder(RunManifest)


class _FormatOnly(msgspec.Struct):
    """The one field that is read before the rest may be understood."""

    format: int = 0


def decode_manifest(encoded: bytes) -> RunManifest:
    """The manifest in those JSON bytes; raises UserError in words for anything else."""
    if len(encoded) > MAX_MANIFEST_BYTES:
        raise UserError(
            ErrorKind.MANIFEST_REFUSED,
            f"It has {len(encoded)} bytes; at most {MAX_MANIFEST_BYTES} are allowed.",
        )
    try:
        if msgspec.json.decode(encoded, type=_FormatOnly).format > FORMAT_VERSION:
            raise UserError(ErrorKind.MANIFEST_TOO_NEW)
        return _decoder.decode(encoded)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(ErrorKind.MANIFEST_REFUSED, f"{error}.") from error
