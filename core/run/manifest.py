"""The manifest of a run: plain, bounded data that an organiser signs; never code.

Bounds are wide enough for any home computer and narrow enough that nobody can ask for the absurd.
"""

from __future__ import annotations

from typing import Annotated, Literal, assert_never

import msgspec
from msgspec import Meta

from core.errors import ErrorKind, UserError
from core.localizable import Detail, localized
from core.run.spec.collaboration import Collaboration
from core.run.spec.data import BYTE_TOKENS, DataSpec, HubDataset, HubImages, ImageFiles, SumsData, TextFiles
from core.run.spec.optimizer import AdamW, OptimizerSpec
from core.run.spec.recipe import ArithmeticGPT, CausalLM, ImageClassification, MaskedLM, MoeLM, RecipeSpec
from core.run.spec.text_rule import text_rule
from core.schema import UNREADABLE, StrictStruct

FORMAT_VERSION = 1
MAX_MANIFEST_BYTES = 32 * 1024

_Line = Annotated[str, Meta(max_length=200)]
_Text = Annotated[str, Meta(max_length=8000)]
RunId = Annotated[
    str,
    text_rule(
        r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}\Z",
        localized("letters, digits, - and _; a letter or digit first; at most 64 characters"),
    ),
]
KeeperId = Annotated[
    str,
    text_rule(
        r"^12D3KooW[1-9A-HJ-NP-Za-km-z]{44}\Z",
        localized("a peer id of 52 letters and digits that begins with 12D3KooW"),
    ),
]


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
    keepers: Annotated[tuple[KeeperId, ...], Meta(max_length=8)] = ()
    """Volunteers whose signatures of epochs, and whose findings about liars, count as the organiser's own."""


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
            raise ValueError(localized("the %1 schedule needs total_epochs", self.kind))


class EvaluationSpec(StrictStruct, kw_only=True, frozen=True):
    """How often the organiser's peer publishes the run's loss on what nobody trains on."""

    every_epochs: Annotated[int, Meta(ge=1, le=10_000)] = 1
    """The number of epochs from one published loss to the next."""


class SteeringSpec(StrictStruct, kw_only=True, frozen=True):
    """What the organiser may change while the run goes on, and how far; whoever agrees to the run agrees to that."""

    max_change: Annotated[float, Meta(ge=1, le=16)] = 1.0
    """How many times higher or lower ``run edit`` may make ``learning_rate``, ``target_batch_size`` and
    ``max_round_seconds``, all peers in the same epoch; 1 is not at all."""
    data: bool = False
    """Whether ``run edit`` may exchange texts or images, all peers in the same epoch, for files of the same hosts with
    ``max_change`` times as many bytes at the most, or for another part of the same data set of the hub."""


class SuccessionSpec(StrictStruct, kw_only=True, frozen=True):
    """Who may lead the run on once its organiser is lost; volunteers are not asked again for that."""

    keys: Annotated[tuple[KeeperId, ...], Meta(max_length=4)] = ()
    """The peer ids that may take the run over, in order: each waits for as many times as its place."""
    after_seconds: Annotated[int, Meta(ge=10, le=30 * 86_400)] = 21_600
    """How long the organiser has to be silent before the first of them may take over, in seconds."""


class AccessSpec(StrictStruct, kw_only=True, frozen=True):
    """Who may take part: everybody, or those who have a ticket of the organiser's."""

    tickets: bool = False
    """Whether the run is closed: only those whom the organiser has given a ticket or an invitation take part."""


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
    steering: SteeringSpec = SteeringSpec()
    """What may be changed while the run goes on, and how far."""
    succession: SuccessionSpec = SuccessionSpec()
    """Who may lead the run on once its organiser is lost."""
    requirements: Requirements = Requirements()
    """The computer that a volunteer should have."""
    access: AccessSpec = AccessSpec()
    """Who may take part."""

    def __post_init__(self) -> None:
        for name in self.collaboration.average_opt_statistics:
            if name not in self.optimizer.statistics:
                raise ValueError(localized("average_opt_statistics: this optimizer has no %1", name))
        if self.optimizer.needs_gpu and self.collaboration.is_optimizer_offloaded:
            raise ValueError(
                localized(
                    'optimizer "%1" computes where the model is: it needs [collaboration] offload_optimizer = '
                    "false, and so delay_optimizer_step and delay_grad_averaging = false",
                    self.optimizer.__struct_config__.tag,
                )
            )
        if self.collaboration.reuse_grad_buffers and not _is_exact(self.recipe):
            raise ValueError(
                localized(
                    'reuse_grad_buffers needs [recipe] precision = "fp32": in fp16 gradients cannot add up where '
                    "they are computed"
                )
            )
        if misfit := _misfit(self.recipe, self.data):
            raise ValueError(misfit)


def web_addresses(manifest: RunManifest) -> tuple[str, ...]:
    """The addresses of all files that the run names one by one, and of its mirror; a hub's are none of them."""
    data, mirror = manifest.data, manifest.collaboration.mirror
    files = data.files if isinstance(data, TextFiles | ImageFiles) else ()
    return (*(file.url for file in files), *([mirror] if mirror else []))


def _is_exact(recipe: RecipeSpec) -> bool:
    """Whether nobody computes it in fp16, which is what a GPU without bf16 takes instead of that."""
    return isinstance(recipe, ArithmeticGPT | MoeLM) or recipe.precision == "fp32"


def _misfit(recipe: RecipeSpec, data: DataSpec) -> Detail:
    """Why that recipe cannot learn from that data, in words; nothing where it can."""
    match recipe, data:
        case ArithmeticGPT(), SumsData():
            return ""
        case ((CausalLM() | MaskedLM() | MoeLM()), (TextFiles() | HubDataset())):
            known = recipe.config.vocab_size
            if data.tokenizer != "bytes" or known >= BYTE_TOKENS:
                return ""
            return localized('tokenizer "bytes" has %1 tokens, and vocab_size is %2', BYTE_TOKENS, known)
        case ImageClassification(), (ImageFiles() | HubImages()):
            named, classes = len(data.class_names), recipe.config.num_labels
            return (
                ""
                if named in (0, classes)
                else localized("there are %1 class_names, and num_labels is %2", named, classes)
            )
        case _:
            names = recipe.__struct_config__.tag, data.__struct_config__.tag
            return localized(
                'recipe kind "%1" cannot learn from data kind "%2"; it needs %3', names[0], names[1], _data_for(recipe)
            )


def _data_for(recipe: RecipeSpec) -> Detail:
    """The kinds of data that it can learn from."""
    match recipe:
        case ArithmeticGPT():
            return localized('"sums"')
        case CausalLM() | MaskedLM() | MoeLM():
            return localized('"text-files" or "hub"')
        case ImageClassification():
            return localized('"image-files" or "hub-images"')
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
            localized("It has %1 bytes; at most %2 are allowed.", len(encoded), MAX_MANIFEST_BYTES),
        )
    try:
        if msgspec.json.decode(encoded, type=_FormatOnly).format > FORMAT_VERSION:
            raise UserError(ErrorKind.MANIFEST_TOO_NEW)
        return _decoder.decode(encoded)
    except UNREADABLE as error:
        raise UserError(ErrorKind.MANIFEST_REFUSED, localized("%1.", error)) from error
