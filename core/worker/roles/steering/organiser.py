"""The organiser's side of steering: sign and publish what its commands have written, and obey it like everybody."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import msgspec

from core.errors import ErrorKind, UserError
from core.protocol.events import RunFound, Warned
from core.run.manifest import RunManifest
from core.run.spec.data import DataSpec
from core.run.steering.control_value import ControlValue, overlaid
from core.run.steering.data_change import DataChanges, signed_changes
from core.run.steering.edit import edits_of, lead_epochs, signed_until, with_epochs
from core.run.steering.rollback import Rollback
from core.worker.process.channel import WorkerChannel
from core.worker.process.supervisor import StartThread
from core.worker.roles.steering.follower import Steerable, SteeringFollower
from core.worker.swarm import ControlPublisher, Swarm

FILE_POLL_SECONDS = 2.0


class Organised(Steerable, Protocol):
    """The organiser's peer, which tries what all are to learn from."""

    def prefetch(self, data: DataSpec) -> bool:
        """Open these; whether it could learn from them at once. Raises UserError where it never can."""
        ...


@dataclass(frozen=True)
class Saving:
    """What saves the run's state at an epoch, in the background: its ``checkpoint``, and what its ``experts`` know."""

    checkpoint: Callable[[int], None]
    experts: Callable[[int], None]


def steer(
    swarm: Swarm,
    manifest: RunManifest,
    path: Path,
    peer: Organised,
    saving: Saving,
    channel: WorkerChannel,
    start_thread: StartThread,
    rollback: Rollback | None,
) -> None:
    """Publish the control value in the file at ``path`` and obey it, until we leave; returns at once.

    A run that is drained or ended keeps its model: a checkpoint is saved as soon as this peer holds. Other data get
    their epoch as soon as this peer has opened them. The last ``rollback`` before this peer began is given.
    """

    def tell(control: ControlValue) -> None:
        channel.emit(_told(manifest, swarm.peer_id, control))

    publisher = ControlPublisher(swarm, manifest.run.id, path, _Completion(peer, channel).of)
    publisher.start(start_thread)
    held, seconds = _Holding(peer, saving), FILE_POLL_SECONDS
    follower = SteeringFollower(
        publisher.poll, held, tell, channel, is_organiser=True, rollback=rollback, poll_seconds=seconds
    )
    follower.start(start_thread)


class _Completion:
    """What no command knows of a control value: the epochs after which peers leave, and from which changes hold."""

    def __init__(self, peer: Organised, channel: WorkerChannel) -> None:
        self._peer, self._channel = peer, channel

    def of(self, control: ControlValue) -> ControlValue:
        """The value with the epochs that are known."""
        order, epoch = control.order, self._peer.local_epoch
        if order.state == "draining" and order.at_epoch is None:
            order = msgspec.structs.replace(order, at_epoch=epoch + 1)
        begins = epoch + lead_epochs(self._peer.epoch_seconds)
        edits, data_changes = with_epochs(control.edits, begins), self._tried(control.data_changes, begins)
        return msgspec.structs.replace(control, order=order, edits=edits, data_changes=data_changes)

    def _tried(self, changes: DataChanges, begins: int) -> DataChanges:
        """With that epoch once this peer has opened their data; without those whose data nobody could have."""
        try:
            can_begin = all(self._peer.prefetch(each.data) for each in changes if each.from_epoch is None)
        except UserError as error:
            self._channel.emit(Warned(problem=ErrorKind.CHANGE_GIVEN_UP.key, detail=error.detail))
            return signed_until(changes)
        return with_epochs(changes, begins) if can_begin else changes


def _told(manifest: RunManifest, organiser: str, control: ControlValue) -> RunFound:
    """The run under that control value, as its own organiser is told of it."""
    return RunFound(
        manifest=overlaid(manifest, control),
        organiser=organiser,
        vouched=True,
        order=control.order,
        edits=edits_of(manifest, control.edits),
        data_changes=signed_changes(manifest, control.data_changes),
        rollback=control.rollback,
    )


class _Holding:
    """The organiser's peer, which saves its state whenever it begins to hold."""

    def __init__(self, peer: Steerable, saving: Saving) -> None:
        self._peer, self._saving, self._is_held = peer, saving, False

    @property
    def local_epoch(self) -> int:
        return self._peer.local_epoch

    def hold(self, is_held: bool) -> None:
        self._peer.hold(is_held)
        if is_held and not self._is_held and self.local_epoch:  # before that there is nothing that was learned
            self._saving.checkpoint(self.local_epoch)
            self._saving.experts(self.local_epoch)
        self._is_held = is_held

    def require_version(self, minimum: str) -> None:
        self._peer.require_version(minimum)

    def plan(self, control: ControlValue) -> None:
        self._peer.plan(control)

    @property
    def epoch_seconds(self) -> float | None:
        return self._peer.epoch_seconds
