"""The control value of a run: what its organiser asks of all peers at present, numbered and signed.

A value of a higher number replaces all before it; peers refuse one of a lower number, which somebody may have kept.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from core.run.manifest import RunId, RunManifest
from core.run.signed_record import sign_record, signed_of_run, signed_order
from core.run.spec.data import ImageData, TextData
from core.run.steering.data_change import (
    MAX_KEPT_BYTES,
    DataChange,
    DataChanges,
    data_digest,
    fit_together,
    latest_data,
)
from core.run.steering.edit import (
    MOST_EDITS,
    Edit,
    Edits,
    Numbers,
    append_change,
    latest_numbers,
    numbers_of,
    signed_until,
    with_numbers,
)
from core.run.steering.rollback import ControlNumber, Rollback
from core.schema import Count, StrictStruct, UnixTime
from core.security.identity import Identity
from core.version import VERSION_PATTERN

MAX_CONTROL_BYTES = 8 * 1024 + MAX_KEPT_BYTES
_KIND = b"workerbee run control 1:"

OrderState = Literal["running", "paused", "draining", "ended"]
Reason = Annotated[str, Meta(max_length=300)]
NoticeText = Annotated[str, Meta(max_length=500)]
MinimumVersion = Annotated[str, Meta(pattern=rf"^$|{VERSION_PATTERN}")]


class Order(StrictStruct, kw_only=True, frozen=True):
    """What all peers of a run are to do since a time in seconds since 1970, and the organiser's reason.

    ``paused``: nobody computes, everybody stays connected. ``draining``: who has come to ``at_epoch`` leaves.
    ``ended``: everybody leaves at once, for good.
    """

    state: OrderState = "running"
    since: UnixTime = 0.0
    reason: Reason = ""
    at_epoch: Count | None = None


class ControlValue(StrictStruct, kw_only=True, frozen=True, omit_defaults=True):
    """All that the organiser asks of the peers of one run; a ``notice`` stands in place of the manifest's.

    Peers older than ``minimum_version`` leave, and are left out by the others. ``edits`` change the run's numbers, and
    ``data_changes`` its data, each from an epoch on, by rising epoch. ``rollback`` is the last one, in whose swarm all
    train.
    """

    run_id: RunId
    number: ControlNumber = 0
    order: Order = Order()
    notice: NoticeText = ""
    minimum_version: MinimumVersion = ""
    edits: Edits = ()
    rollback: Rollback | None = None
    data_changes: DataChanges = ()

    def ordered(self, order: Order, now: float) -> ControlValue:
        """The next value, with that order."""
        return msgspec.structs.replace(self, order=order, number=self._next_number(now))

    def noticed(self, notice: str, now: float) -> ControlValue:
        """The next value, with that notice."""
        return msgspec.structs.replace(self, notice=notice, number=self._next_number(now))

    def requiring(self, minimum_version: str, now: float) -> ControlValue:
        """The next value, for which peers need that version; empty for any."""
        return msgspec.structs.replace(self, minimum_version=minimum_version, number=self._next_number(now))

    def edited(self, numbers: Numbers, base: Numbers, now: float, epoch: int = 0) -> ControlValue:
        """The next value, with these numbers in place of ``base`` from an epoch on that its publisher fills in.

        A change that has no epoch yet is void. The run has come to ``epoch`` at the least. Raises UserError where more
        changes wait than one value takes.
        """
        edits = append_change(self.edits, Edit(numbers=numbers, base=base), epoch, lambda kept: len(kept) <= MOST_EDITS)
        return msgspec.structs.replace(self, edits=edits, number=self._next_number(now))

    def exchanged(self, data: TextData | ImageData, manifest: RunManifest, now: float, epoch: int = 0) -> ControlValue:
        """The next value, with these data in place of the manifest's, as `edited` has it with numbers."""
        change = DataChange(data=data, base=data_digest(manifest.data))
        changes = append_change(self.data_changes, change, epoch, fit_together)
        return msgspec.structs.replace(self, data_changes=changes, number=self._next_number(now))

    def rolled_back(self, epoch: int, sha256: str, now: float) -> ControlValue:
        """The next value, with which all go back to the checkpoint of that epoch, whose file has that hash.

        A change that begins later is void: it may be what went wrong.
        """
        number = self._next_number(now)
        edits, changes = signed_until(self.edits, epoch), signed_until(self.data_changes, epoch)
        rollback = Rollback(number=number, epoch=epoch, at=now, sha256=sha256)
        return msgspec.structs.replace(self, number=number, edits=edits, data_changes=changes, rollback=rollback)

    def _next_number(self, now: float) -> int:
        """The time, in seconds since 1970, if nothing speaks against it: so a file that was lost does no harm."""
        return max(self.number + 1, int(now))


def newer_of(known: ControlValue, found: ControlValue | None) -> ControlValue:
    """What holds where ``known`` was seen before and ``found`` now."""
    return found if found is not None and found.number > known.number else known


def is_edited(manifest: RunManifest, published: RunManifest, control: ControlValue) -> bool:
    """Whether it is the published manifest with the numbers and data of the last changes, whatever its revision."""
    same = msgspec.structs.replace(manifest, revision=published.revision)
    try:
        is_same = with_numbers(msgspec.structs.replace(same, data=published.data), numbers_of(published)) == published
    except ValueError:  # so much else has changed that these do not fit
        return False
    now = latest_numbers(published, control.edits), latest_data(published, control.data_changes)
    return is_same and (numbers_of(manifest), manifest.data) == now != (numbers_of(published), published.data)


def overlaid(manifest: RunManifest, control: ControlValue) -> RunManifest:
    """The manifest as people are to see it under that value: with its notice, and its state once the run has ended.

    What they agree to is the same.
    """
    run = manifest.run
    if control.notice:
        run = msgspec.structs.replace(run, notice=control.notice)
    if control.order.state == "ended":
        run = msgspec.structs.replace(run, state="finished")
    return msgspec.structs.replace(manifest, run=run)


def sign_control(control: ControlValue, identity: Identity) -> bytes:
    """The value in the form in which it will be read, signed."""
    return sign_record(_KIND, msgspec.msgpack.encode(control), identity)


def control_in(encoded: bytes, organiser: str, run_id: str) -> ControlValue | None:
    """The value that an organiser has signed for a run; ``None`` for anything else."""
    return signed_of_run(_KIND, encoded, organiser, MAX_CONTROL_BYTES, ControlValue, run_id)


def control_order(encoded: bytes, signer: str, run_id: str) -> float | None:
    """By what a control value is later than another, as `signed_order` tells it; ``None`` for anything else."""
    return signed_order(_KIND, encoded, signer, MAX_CONTROL_BYTES, run_id)
