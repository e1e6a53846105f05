"""The immutable state of a session: what the worker is doing, and what a person has asked of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import msgspec

from core.availability.decision import Decision, Reason
from core.availability.pacing import FULL, Pace
from core.availability.rules import AvailabilityRules
from core.errors import ErrorKind
from core.localizable import Detail
from core.protocol.client_events import DEFAULT_RULES, EarlierRunReopened, Opening, Pause, RunSwitch
from core.protocol.commands import SAVE_LIMIT_SECONDS, Check, DryRun, Export, Join, Publish, Push, Start
from core.protocol.events import (
    CheckpointSaved,
    Confined,
    Connected,
    ContributionStatus,
    EngineChecked,
    Evaluated,
    Exported,
    Failed,
    FitMeasured,
    Hello,
    Left,
    LineMeasured,
    Network,
    Progress,
    Published,
    Pushed,
    ReceiptSeen,
    Restarting,
    RoundFinished,
    RunFound,
    RunScored,
    StateLoading,
    TrainingStarted,
    Warned,
)
from core.protocol.experts import ExpertsSeen
from core.protocol.limits import Traffic
from core.protocol.peers import PeerSeen, Suspect
from core.run.steering.control_value import Order

AT_WORK = ("connecting", "starting", "training")
"""The phases in which a run that the person has started can be paused."""
KEPT_ROUNDS = 15
KEPT_WARNINGS = 20
KEPT_RECEIPTS = 64
_FREE, _NO_TRAFFIC = Decision(), Traffic()

Phase = Literal["idle", "connecting", "found", "starting", "training", "leaving", "paused", "ended"]


@dataclass(frozen=True)
class Session:
    """The state of a session, as a front end shows it; ``None`` means "not known (yet)".

    A keeper, which publishes without training, is in the phase ``training`` too. A crash of the worker does
    not end the session, only a ``problem`` does; while ``restarting`` is set there is no worker.
    ``opening`` and ``consent`` are what a restarted worker is told again; ``agreed`` is the run as the person saw it
    who agreed, and stays when the consent has ended because the organiser has changed the run.
    ``first_epoch`` is where we began; ``earlier_samples`` is the part of ``contributed_samples`` that earlier
    workers of this session computed. ``traffic`` is that of all workers of the front end, of this session and of those
    before it, so that it never falls; ``earlier_traffic`` that of those that have ended.
    ``pause`` is set from the moment it is asked for: the phase is ``leaving``, then ``paused``.
    ``availability`` is what the owner's ``rules`` have decided last, ``pace`` how fast to work; only a volunteer's
    session follows them.
    ``waits_for_room`` is whether a full disk is waited for even before a run is agreed to.
    ``is_continued`` is whether the end of the program had interrupted it before. ``fit`` is what a dry run has found,
    ``exported`` what an export has written. ``switch`` is why this run of an order is helped, ``reopened`` which
    earlier one can be helped again. ``last_share`` is our part of the last step's samples, 0 to 1.
    ``first_evaluated`` is the first evaluation with examples in this session.
    """

    phase: Phase = "idle"
    opening: Opening | None = None
    consent: Start | None = None
    agreed: RunFound | None = None
    is_worker_running: bool = False
    waits_for_room: bool = False
    is_continued: bool = False
    switch: RunSwitch | None = None
    reopened: EarlierRunReopened | None = None
    hello: Hello | None = None
    confined: Confined | None = None
    engine: EngineChecked | None = None
    connected: Connected | None = None
    network: Network | None = None
    upload: LineMeasured | None = None
    download: LineMeasured | None = None
    runs: tuple[RunFound, ...] = ()
    is_search_finished: bool = False
    chosen: RunFound | None = None
    fit: FitMeasured | None = None
    exported: Exported | None = None
    pushed: Pushed | None = None
    published: Published | None = None
    loading: StateLoading | None = None
    training: TrainingStarted | None = None
    progress: Progress | None = None
    rounds: tuple[RoundFinished, ...] = ()
    contribution_status: ContributionStatus | None = None
    evaluated: Evaluated | None = None
    first_evaluated: Evaluated | None = None
    scored: RunScored | None = None
    receipts: tuple[ReceiptSeen, ...] = ()
    peers: tuple[PeerSeen, ...] = ()
    suspects: tuple[Suspect, ...] = ()
    experts: ExpertsSeen | None = None
    checkpoint: CheckpointSaved | None = None
    first_epoch: int | None = None
    epochs_done: int = 0
    contributed_samples: int = 0
    earlier_samples: int = 0
    traffic: Traffic = _NO_TRAFFIC
    earlier_traffic: Traffic = _NO_TRAFFIC
    last_share: float | None = None
    pause: Pause | None = None
    availability: Decision = _FREE
    rules: AvailabilityRules = DEFAULT_RULES
    pace: Pace = FULL
    finish_at_epoch: int | None = None
    warnings: tuple[Warned, ...] = ()
    left: Left | None = None
    crash: Failed | None = None
    restarting: Restarting | None = None
    problem: ErrorKind | None = None
    problem_detail: Detail = ""

    def found(self, run_id: str, organiser: str) -> RunFound | None:
        """The found run with that id by that organiser."""
        same = (run for run in self.runs if (run.manifest.run.id, run.organiser) == (run_id, organiser))
        return next(same, None)

    def with_evaluation(self, evaluated: Evaluated) -> Session:
        """The session with a new evaluation; the first one with examples stays, to compare later answers with.

        One that could not be measured takes the place of none.
        """
        if evaluated.accuracy is None:
            return self
        first = self.first_evaluated
        if first is None and evaluated.examples:
            first = evaluated
        return replace(self, evaluated=evaluated, first_evaluated=first)

    def with_receipt(self, receipt: ReceiptSeen) -> Session:
        """The session with that receipt in the place of an older one of the same run, signer and key."""
        place = (receipt.run_id, receipt.signer, receipt.key)
        others = (each for each in self.receipts if (each.run_id, each.signer, each.key) != place)
        return replace(self, receipts=(*others, receipt)[-KEPT_RECEIPTS:])

    def contributed_with(self, event: Progress | Left) -> int:
        """All samples, with what a worker has computed, which counts from zero; what was given is never taken back."""
        return max(self.contributed_samples, self.earlier_samples + event.contributed_samples)

    def with_traffic(self, event: Progress | Traffic) -> Session:
        """The session with what a worker's line has carried, which counts from zero; what was counted stays counted."""
        earlier, before = self.earlier_traffic, self.traffic
        sent = max(before.sent_bytes, earlier.sent_bytes + event.sent_bytes)
        received = max(before.received_bytes, earlier.received_bytes + event.received_bytes)
        return replace(self, traffic=Traffic(sent_bytes=sent, received_bytes=received))

    @property
    def opening_again(self) -> Opening | None:
        """What a restarted worker is told first: of a run that was agreed to, only that one is looked for.

        Whoever publishes has gone back to an earlier checkpoint already.
        """
        match self.opening:
            case Join() if self.joined_run_id is not None:
                return msgspec.structs.replace(self.opening, run_id=self.joined_run_id)
            case Publish():
                return msgspec.structs.replace(self.opening, from_checkpoint=None)
            case _:
                return self.opening

    @property
    def may_restart(self) -> bool:
        """Whether a worker that has ended is to be restarted: not if it is leaving, and not for a mere question."""
        return self.phase != "leaving" and not isinstance(self.opening, Check | DryRun | Export | Push)

    @property
    def saving_seconds(self) -> float:
        """How long a worker that leaves may take for what is lost otherwise: an organiser's saves its last state."""
        return SAVE_LIMIT_SECONDS if isinstance(self.opening, Publish) else 0.0

    @property
    def is_answered(self) -> bool:
        """Whether all has been said that a worker was started for that only answers a question."""
        is_checked = isinstance(self.opening, Check) and self.engine is not None
        is_measured = isinstance(self.opening, DryRun) and self.fit is not None
        is_exported = isinstance(self.opening, Export) and self.exported is not None
        is_pushed = isinstance(self.opening, Push) and self.pushed is not None
        return is_checked or is_measured or is_exported or is_pushed

    @property
    def is_crashed(self) -> bool:
        """Whether the worker is gone although nothing has ended: somebody must decide what follows."""
        return not self.is_worker_running and not self.is_at_rest and self.restarting is None

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing goes on and no restart is waited for: not begun, paused or ended."""
        return self.phase in ("idle", "paused", "ended")

    @property
    def is_changed(self) -> bool:
        """Whether the organiser has changed the run since the person agreed, who has to be asked again."""
        return self.consent is None and self.agreed is not None

    @property
    def order(self) -> Order:
        """What the organiser asks of all peers of the run."""
        run = next(iter(self.runs), None) if isinstance(self.opening, Publish) else self.chosen
        return Order() if run is None else run.order

    @property
    def joined_run_id(self) -> str | None:
        """The id of the run that the person has agreed to, also if that has changed since."""
        if self.consent is not None:
            return self.consent.run_id
        return self.agreed.manifest.run.id if self.agreed else None

    @property
    def is_at_work(self) -> bool:
        """Whether a run that the person has started goes on, so that it can be paused."""
        return self.consent is not None and self.phase in AT_WORK

    @property
    def has_trained(self) -> bool:
        """Whether this computer has trained in the run before, so that it can be expected to do so again."""
        return self.epochs_done > 0 or self.is_continued

    @property
    def can_pause(self) -> bool:
        """Whether there is training to pause, or a pause that may be changed."""
        has_begun = self.consent is not None or isinstance(self.opening, Publish)
        is_leaving_for_good = self.phase == "leaving" and self.pause is None
        return has_begun and self.phase not in ("idle", "ended") and not is_leaving_for_good

    @property
    def rule_in_force(self) -> Reason | None:
        """Why the owner's rules ask this volunteer's training to pause; an organiser is not asked to.

        A person's own pause, and that of a computer that sleeps, come first.
        """
        is_asked = isinstance(self.opening, Join) and self.can_pause and (self.pause is None or self.is_held)
        return self.availability.reason if is_asked else None

    @property
    def is_held(self) -> bool:
        """Whether the owner's rules have paused it, which a person may overrule."""
        return self.pause is not None and self.pause.reason == "rule"

    @property
    def is_finishing(self) -> bool:
        """Whether training will pause by itself when this epoch is done."""
        return self.finish_at_epoch is not None
