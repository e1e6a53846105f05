"""A change of a run's numbers while it goes on, which holds for all peers from the beginning of one epoch or round on.

The manifest stays as it was signed, and so does what volunteers have agreed to: how far these numbers may be changed is
part of it (``[steering] max_change``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from core.errors import ErrorKind, UserError
from core.localizable import Detail, localized, words_of
from core.run.manifest import RunManifest
from core.schema import Count, StrictStruct

MOST_EDITS = 8  # in one control value; who is epochs behind needs the numbers of those epochs
LEAD_EPOCHS = 2  # at the least from the epoch of the organiser's peer to that of a change, and so many seconds
LEAD_SECONDS = 30.0
MOST_LEAD_EPOCHS = 1000
_ROUNDING = 1e-9


class Numbers(StrictStruct, kw_only=True, frozen=True):
    """What may be changed: the learning rate before the schedule, samples of an epoch, seconds of the longest round."""

    learning_rate: Annotated[float, Meta(gt=0, le=10)]
    target_batch_size: Annotated[int, Meta(ge=1, le=2**53)]
    max_round_seconds: Annotated[float, Meta(ge=5, le=86_400)] | None = None


class FromEpoch(StrictStruct, kw_only=True, frozen=True):
    """What holds from an epoch on; the process that publishes fills in one that is not known."""

    from_epoch: Count | None = None


class Edit(FromEpoch, kw_only=True, frozen=True):
    """The numbers from that epoch on, in place of ``base``: in a manifest with other ones it means nothing."""

    numbers: Numbers
    base: Numbers


_Change = TypeVar("_Change", bound=FromEpoch)


Edits = Annotated[tuple[Edit, ...], Meta(max_length=MOST_EDITS)]


def numbers_of(manifest: RunManifest) -> Numbers:
    """Those that the manifest says."""
    together = manifest.collaboration
    return Numbers(
        learning_rate=manifest.optimizer.learning_rate,
        target_batch_size=together.target_batch_size,
        max_round_seconds=together.max_round_seconds,
    )


def with_numbers(manifest: RunManifest, numbers: Numbers) -> RunManifest:
    """The manifest with these; raises ValueError where they do not fit the rest of it."""
    replace = msgspec.structs.replace
    together = replace(
        manifest.collaboration,
        target_batch_size=numbers.target_batch_size,
        max_round_seconds=numbers.max_round_seconds,
    )
    optimizer = replace(manifest.optimizer, learning_rate=numbers.learning_rate)
    return replace(manifest, optimizer=optimizer, collaboration=together)


def edits_of(manifest: RunManifest, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Those of the edits that were made of this manifest's numbers."""
    base = numbers_of(manifest)
    return tuple(each for each in edits if each.base == base)


def latest_numbers(manifest: RunManifest, edits: Iterable[Edit]) -> Numbers:
    """Those that hold once all edits have begun."""
    made = edits_of(manifest, edits)
    return made[-1].numbers if made else numbers_of(manifest)


def numbers_at(manifest: RunManifest, edits: Iterable[Edit], epoch: int) -> Numbers:
    """Those that hold in that epoch."""
    return latest_numbers(manifest, signed_until(edits, epoch))


def samples_before(manifest: RunManifest, edits: Iterable[Edit], epoch: int) -> int:
    """About how many samples a run has learned from before that epoch began, whose edits made epochs longer or shorter.

    A clock may have ended some of them earlier (``max_round_seconds``).
    """
    edits = tuple(edits)
    starts = sorted(
        {0, *(each.from_epoch for each in edits if each.from_epoch is not None and each.from_epoch < epoch)}
    )
    spans = zip(starts, [*starts[1:], epoch], strict=True)
    return sum((end - start) * numbers_at(manifest, edits, start).target_batch_size for start, end in spans)


def with_epochs(changes: Iterable[_Change], epoch: int) -> tuple[_Change, ...]:
    """These changes; those without an epoch begin with that one, but with none that is earlier than another's."""
    completed = list[_Change]()
    for change in changes:
        latest = max((each.from_epoch or 0 for each in completed), default=0)
        begins = max(epoch, latest) if change.from_epoch is None else change.from_epoch
        completed.append(msgspec.structs.replace(change, from_epoch=begins))
    return tuple(completed)


def signed_until(changes: Iterable[_Change], epoch: float = math.inf) -> tuple[_Change, ...]:
    """Those that have an epoch, no later than that one."""
    return tuple(each for each in changes if each.from_epoch is not None and each.from_epoch <= epoch)


def append_change(
    changes: Iterable[_Change], change: _Change, epoch: int, fit: Callable[[tuple[_Change, ...]], bool]
) -> tuple[_Change, ...]:
    """The signed ones and that one after them, without as many of the first as must go for them to ``fit``.

    None goes that holds in that epoch or later: who still waits for one would have the run file's instead. Raises
    UserError where they do not fit even so.
    """
    signed = signed_until(changes)
    past = max(0, len(signed_until(signed, epoch)) - 1)
    for first in range(past + 1):
        if fit(kept := (*signed[first:], change)):
            return kept
    raise UserError(
        ErrorKind.USAGE,
        localized(
            "As many changes wait for their epoch as can be signed at once. Ask again when epoch %1 has begun.",
            max(each.from_epoch or 0 for each in signed),
        ),
    )


def lead_epochs(epoch_seconds: float | None) -> int:
    """How many epochs before it begins a change is told, where one lasts so long: all are to hear of it meanwhile."""
    if not epoch_seconds or epoch_seconds <= 0:
        return LEAD_EPOCHS
    return min(MOST_LEAD_EPOCHS, max(LEAD_EPOCHS, math.ceil(LEAD_SECONDS / epoch_seconds)))


def edit_error(manifest: RunManifest, numbers: Numbers) -> Detail:
    """Why these numbers may not take the place of the manifest's while the run goes on; empty where they may."""
    most, before = manifest.steering.max_change, numbers_of(manifest)
    for name in Numbers.__struct_fields__:
        was, becomes = getattr(before, name), getattr(numbers, name)
        if was == becomes:
            continue
        if was is None or becomes is None:
            return localized("%1 cannot be set or left out while the run goes on", name)
        if most == 1:
            return localized("%1 may not be changed while this run goes on ([steering] max_change is 1)", name)
        if max(was / becomes, becomes / was) > most * (1 + _ROUNDING):
            return localized(
                "%1 may become %2 times higher or lower at the most ([steering] max_change), from %3",
                name,
                f"{most:g}",
                f"{was:g}",
            )
    try:
        with_numbers(manifest, numbers)
    except ValueError as error:
        return words_of(error)
    return ""
