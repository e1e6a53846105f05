"""Obeys the organiser's control value while this computer trains: pause, drain, end, rollback, version, changes."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Protocol

from core.errors import ErrorKind
from core.localizable import Detail, localized
from core.protocol.events import Failed
from core.run.steering.control_value import ControlValue
from core.run.steering.rollback import Rollback, is_same, least_epoch
from core.version import is_older, own_version
from core.worker.process.channel import WorkerChannel
from core.worker.swarm.dht.publisher import StartThread

POLL_SECONDS = 10.0  # a volunteer's, of the DHT; "obeyed within a minute" holds with slow lines

log = logging.getLogger(__name__)


class Steerable(Protocol):
    """A peer that trains in the run, as far as it can be steered; from any thread."""

    @property
    def local_epoch(self) -> int:
        """The epoch that its state is at."""
        ...

    def hold(self, is_held: bool) -> None:
        """Compute nothing from now on, and stay connected; or go on."""
        ...

    def require_version(self, minimum: str) -> None:
        """Have nothing to do with peers that say that they are older."""
        ...

    def plan(self, control: ControlValue) -> None:
        """Use its numbers and data, each from its epoch on; raises UserError for more than was agreed to."""
        ...

    @property
    def epoch_seconds(self) -> float | None:
        """About how long an epoch lasts; ``None`` where nobody computes."""
        ...


class SteeringFollower:
    """Polls the control value of a run, and obeys it; ``tell`` lets the client know of each new one.

    The organiser's own peer holds where others leave, and goes on to publish the order. Where there has been another
    ``rollback`` than the last one before this peer began, every peer ends, for its client to begin anew with it.
    Who is dismissed stays as long as it ``is_needed``, and computes nothing meanwhile.
    """

    def __init__(
        self,
        poll: Callable[[], ControlValue],
        peer: Steerable,
        tell: Callable[[ControlValue], None],
        channel: WorkerChannel,
        *,
        is_organiser: bool,
        rollback: Rollback | None = None,
        poll_seconds: float = POLL_SECONDS,
        is_needed: Callable[[], bool] = lambda: False,
    ) -> None:
        self._poll, self._peer, self._tell, self._channel = poll, peer, tell, channel
        self._is_organiser, self._rollback, self._poll_seconds = is_organiser, rollback, poll_seconds
        self._told_number, self._is_needed = 0, is_needed

    def start(self, start_thread: StartThread) -> None:
        """Obey what there is at once, and what comes in the background, until we leave."""
        self.look()
        start_thread("steering", self._follow)

    def _follow(self) -> None:
        while not self._channel.leaving.wait(self._poll_seconds):
            self.look()

    def look(self) -> None:
        """Look for a newer control value, and do what the newest one asks for."""
        control = self._poll()
        if control.number != self._told_number:
            self._told_number = control.number
            log.info("control value %d: %s", control.number, control.order)
            self._peer.require_version(control.minimum_version)
            self._peer.plan(control)
            self._tell(control)
        self._obey(control)

    def _obey(self, control: ControlValue) -> None:
        if not self._is_organiser and (detail := version_error(control)):
            self._channel.emit(Failed(problem=ErrorKind.WORKERBEE_TOO_OLD.key, detail=detail))
            self._channel.leave()
            return
        is_over = is_dismissed(control, self._peer.local_epoch)
        if is_over and not self._is_organiser and not self._is_needed():
            self._channel.leave()
        elif not is_same(control.rollback, self._rollback):
            detail = localized("All go on from epoch %1.", least_epoch(control.rollback))
            self._channel.emit(Failed(problem=ErrorKind.RUN_ROLLED_BACK.key, detail=detail))
            self._channel.leave()
        else:
            self._peer.hold(is_over or control.order.state == "paused")


def is_dismissed(control: ControlValue, epoch: int) -> bool:
    """Whether a peer whose state is at that epoch is to leave."""
    order = control.order
    return order.state == "ended" or (order.state == "draining" and epoch >= (order.at_epoch or 0))


def version_error(control: ControlValue) -> Detail:
    """Why this Workerbee is too old for the run, in words; empty where it is not."""
    own = own_version()
    if not is_older(own, control.minimum_version):
        return ""
    return localized("It needs %1; this is %2.", control.minimum_version, own)
