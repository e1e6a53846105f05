"""The director of an order: it follows the present run's session, looks at the others, and says what begins next.

Front ends differ in what they give to it, and in how they carry out what it says: they leave the present run, and post
the event by which the next one begins.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.client.session import Session
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.hardware.device import Device
from core.hardware.discovery import choose_device
from core.hardware.fit import gpu_memory_needed, host_memory_needed
from core.protocol.client_events import EarlierRunReopened, Obstacle, RunContinued, RunSwitch
from core.records.consents import Consents
from core.records.settings import Settings
from core.records.unfinished_run import continuation
from core.run.manifest import RunManifest
from core.run.requirements import estimate_requirements
from core.run_order.engine import Choice, OrderState, Present, RunKey, began, choose, due_looks, noted
from core.run_order.obstacle import ObstacleWatch
from core.run_order.order import OrderedRun, RunOrder
from core.run_order.probe import RunProbe
from core.uptime import seconds_since_start


@dataclass(frozen=True)
class Computer:
    """What a director needs to know of this computer when a run begins."""

    folders: Folders
    consents: Consents
    settings: Callable[[], Settings]
    devices: Callable[[], Sequence[Device]]


class OrderDirector:
    """Decides by ``look``, which is called every second or so, which run of the order is helped.

    ``order`` may be replaced at any time. While a person or a rule has paused the run, nothing is decided or looked at.
    What is decided goes by ``clock``, which nobody sets and which counts the time of a sleep; ``wall_clock``
    says when that is or will be.
    """

    def __init__(
        self,
        computer: Computer,
        probe: RunProbe,
        order: RunOrder,
        *,
        watch: ObstacleWatch | None = None,
        clock: Callable[[], float] = seconds_since_start,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self.order = order
        self.state = OrderState()
        self.choice = Choice(None)
        self._computer, self._probe, self._clock, self._wall_clock = computer, probe, clock, wall_clock
        self._watch = watch or ObstacleWatch()
        self._present: RunKey | None = None
        self._told = Choice(None)
        self._spent: Session | None = None  # which has ended, and has told what there is to know

    def begin_anew(self, left: Session) -> None:
        """The person wants the order to be helped from its beginning; ``left`` is the session that they have left.

        That says nothing of its run. What waits for the person, or is finished, still does.
        """
        kept = {run: each for run, each in self.state.standings.items() if each.obstacle in ("finished", "changed")}
        self.state, self._present, self._spent = OrderState(standings=kept), None, left

    def look(self, session: Session) -> RunContinued | EarlierRunReopened | None:
        """What is to be posted now, if anything; before another run begins, the present one is left."""
        now = self._clock()
        self._note(session, now)
        is_over = session.phase in ("idle", "ended")
        is_other = self._present is not None and self._present not in self.order.keys and not is_over
        if session.pause is not None or not self.order.runs or is_other:
            self._probe.stop()
            return None
        self._take_answer(now)
        event = self._next(now, is_over)
        if isinstance(event, RunContinued):
            self._probe.stop()
        else:
            self._look_at_others(now, is_over)
        return event

    def _next(self, now: float, is_over: bool) -> RunContinued | EarlierRunReopened | None:
        """The first run that may be helped and is not in the way of itself, or what is said of an earlier one."""
        while True:
            present = Present(self._present, is_over)
            self.choice = choose(self.state, self.order.keys, present, now, self.order.return_after_seconds)
            key = self.choice.run
            if key is None or (key == self._present and not is_over):
                return self._reopened(now)
            event = self._beginning(key)
            if not isinstance(event, str):
                self._present, self._told = key, Choice(None)
                return event
            self.state = noted(self.state, key, event, now)
            self._present = key if self._present is None else self._present

    def agreed(self, key: RunKey) -> None:
        """The person has answered for a run that had changed, or wants one to be tried that had failed."""
        standings = {run: each for run, each in self.state.standings.items() if run != key}
        self.state = replace(self.state, standings=standings)

    def chosen_by_person(self, key: RunKey) -> None:
        """The person has started that run: where it is another one, that is no change after which it has to stay."""
        if self.state.helped != key:
            self.state = replace(self.state, helped=None, changed_at=None)

    @property
    def is_done(self) -> bool:
        """Whether no run of the order can be helped any more unless a person does something."""
        return all(self.state.obstacle_of(key) in ("finished", "changed") for key in self.order.keys)

    def names_of(self, obstacle: Obstacle) -> tuple[str, ...]:
        """The names of the runs in whose way that is."""
        return tuple(each.name for each in self.order.runs if self.state.obstacle_of(each.key) == obstacle)

    def _note(self, session: Session, now: float) -> None:
        """What the session tells of its run, which a person may have chosen."""
        key = _key_of(session)
        if key is None or session is self._spent:
            return
        self._present = key
        self._spent = session if session.phase == "ended" else None
        obstacle = self._watch.look(session, now)
        if obstacle is not None:
            self.state = noted(self.state, key, obstacle, now)
        elif session.phase == "training" and session.progress is not None:
            self.state = began(self.state, key, now)

    def _take_answer(self, now: float) -> None:
        """What was found of another run."""
        answer = self._probe.take()
        if answer is not None and self.order.of(answer[0]) is not None:
            key, obstacle = answer
            self.state = noted(self.state, key, obstacle or self._misfit(key), now)

    def _look_at_others(self, now: float, is_over: bool) -> None:
        """Look at the first run that is due, unless another is looked at just now."""
        due = due_looks(self.state, self.order.keys, Present(self._present, is_over), now)
        if due and self._present is not None and self._probe.is_free:
            ordered = self.order.of(due[0])
            assert ordered is not None
            self._probe.look(ordered)

    def _beginning(self, key: RunKey) -> RunContinued | Obstacle:
        """How that run begins, or what is in its way."""
        ordered = self.order.of(key)
        assert ordered is not None
        if (misfit := self._misfit(key)) is not None:
            return misfit
        computer = self._computer
        devices = tuple(computer.devices())
        try:
            event = continuation(ordered.run, computer.consents, computer.settings(), devices, computer.folders)
        except UserError:
            return "unfit"
        if event is None:
            return "changed"
        switch = self._switch(ordered)
        return RunContinued(event.opening, event.consent, event.agreed, None, switch)

    def _switch(self, ordered: OrderedRun) -> RunSwitch | None:
        """Why that run begins; ``None`` where it is the first of all."""
        before = self.order.of(self._present) if self._present is not None else None
        if before is None:
            return None
        reason = self.choice.reason or self.state.obstacle_of(before.key) or "reopened"
        return RunSwitch(to=ordered.name, before=before.name, reason=reason, at=self._wall_clock())

    def _misfit(self, key: RunKey) -> Obstacle | None:
        """Whether the run needs more memory than this computer has at all."""
        consent = self._computer.consents.of_run(*key)
        shown = consent.shown if consent is not None else None
        if shown is None:
            return None
        devices = self._computer.devices()
        try:
            device = choose_device(devices, self._computer.settings().device)
        except UserError as error:
            return "unfit" if error.problem is ErrorKind.NO_SUCH_DEVICE else None
        return None if _has_room(shown, device, devices) else "unfit"

    def _reopened(self, now: float) -> EarlierRunReopened | None:
        """What is said of an earlier run that can be helped again; ``None`` where that is known."""
        reopened, at = self.choice.reopened, self.choice.at
        if (reopened, at) == (self._told.reopened, self._told.at):
            return None
        self._told = self.choice
        ordered = self.order.of(reopened) if reopened is not None else None
        name = ordered.name if ordered is not None else None
        return EarlierRunReopened(name, None if at is None else self._wall_clock() + at - now)


def _has_room(manifest: RunManifest, device: Device, devices: Sequence[Device]) -> bool:
    """Whether the run could have enough memory here if nothing else ran; true where that is not known."""
    host = next((each.memory_total_bytes for each in devices if each.kind == "cpu"), None)
    on_device = gpu_memory_needed(manifest) if device.is_gpu else 0
    on_host = host_memory_needed(manifest)
    if device.kind == "cpu":
        on_host += estimate_requirements(manifest).device_memory_bytes
    is_enough = device.memory_total_bytes is None or on_device <= device.memory_total_bytes
    return is_enough and (host is None or on_host <= host)


def _key_of(session: Session) -> RunKey | None:
    """The run that the person has agreed to in that session."""
    if session.consent is not None:
        return session.consent.run_id, session.consent.organiser
    return (session.agreed.manifest.run.id, session.agreed.organiser) if session.agreed is not None else None
