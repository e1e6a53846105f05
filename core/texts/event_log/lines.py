"""The lines of the event log: one for each event, except for those that happen all the time."""

from __future__ import annotations

from core.errors import ErrorKind
from core.localizable import join_sentences
from core.placeholders import fill_placeholders
from core.protocol.client_events import (
    Asked,
    AvailabilityDecided,
    ClientEvent,
    EarlierRunReopened,
    FinishAsked,
    Pause,
    PauseAsked,
    RestartDue,
    ResumeAsked,
    RunContinued,
    WorkerExited,
)
from core.protocol.commands import (
    AnyCommand,
    Check,
    DryRun,
    Export,
    Join,
    Leave,
    Publish,
    Push,
    SetPace,
    Start,
    TestNetwork,
)
from core.protocol.events import (
    CaughtUp,
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
    Published,
    Pushed,
    ReceiptSeen,
    Restarting,
    RoundFinished,
    RunFound,
    RunScored,
    SearchFinished,
    TrainingStarted,
    Warned,
)
from core.protocol.limits import Paced
from core.protocol.peers import SuspectsSeen
from core.security.sanitize import sanitize_line, short_id
from core.texts import availability, errors, figures
from core.texts.confinement import confinement_words
from core.texts.event_log.rounds import of_catching_up, of_receipt, of_round, of_suspects
from core.texts.fit import of_measured
from core.texts.localization import translate
from core.texts.run import last_change_words, order_words
from core.texts.run_order import order_line
from core.texts.traffic import mbits
from core.texts.worker_messages import translate_message

BETWEEN = " · "


def line(event: ClientEvent) -> str | None:
    """Return what happened in one line; ``None`` for an event that has no line."""
    match event:
        case Asked():
            return _of_command(event.command)
        case PauseAsked() | ResumeAsked() | FinishAsked():
            return _of_request(event)
        case RunContinued() | EarlierRunReopened():
            return order_line(event)
        case AvailabilityDecided():
            return _of_rules(event)
        case Confined():
            return confinement_words(event.gaps)
        case Hello() | EngineChecked() | Connected() | Network() | RunFound() | SearchFinished() | Published():
            return _of_arrival(event)
        case TrainingStarted() | RoundFinished() | ContributionStatus() | Evaluated() | RunScored() | CheckpointSaved():
            return _of_work(event)
        case CaughtUp():
            return of_catching_up(event)
        case ReceiptSeen():
            return of_receipt(event)
        case SuspectsSeen():
            return of_suspects(event) or None
        case FitMeasured():
            return f"{of_measured(event, None)}."
        case Exported() | Pushed():
            return _of_export(event)
        case LineMeasured() | Paced():
            return _of_upload(event)
        case Warned() | Failed():
            return _of_problem(event)
        case Left() | Restarting() | RestartDue() | WorkerExited():
            return _of_end(event)
        case _:
            return None


def _of_upload(event: LineMeasured | Paced) -> str | None:
    if isinstance(event, LineMeasured):
        words = (
            translate("EventLog", "The line uploads %1 Mbit/s, as last measured here.")
            if event.direction == "upload"
            else translate("EventLog", "The line downloads at least %1 Mbit/s, as measured here.")
        )
        return fill_placeholders(words, mbits(event.bits_per_second))
    is_refused = event.upload == "refused"
    return translate("EventLog", "This computer lets no program limit the uploads of another.") if is_refused else None


def _of_export(event: Exported | Pushed) -> str:
    match event:
        case Exported():
            words = translate("EventLog", "Epoch %1: exported, %2.")
            return fill_placeholders(words, figures.count(event.epoch), figures.size(event.size_bytes))
        case Pushed():
            return fill_placeholders(translate("EventLog", "Pushed to the hub: %1"), sanitize_line(event.url))


def _of_command(command: AnyCommand) -> str:
    match command:
        case Join():
            return translate("EventLog", "Looking for the run.")
        case Start():
            return fill_placeholders(translate("EventLog", "Asked to train on %1."), sanitize_line(command.device, 80))
        case Publish():
            return translate("EventLog", "Asked to publish a run.")
        case DryRun():
            return translate("EventLog", "Asked how much fits on this computer.")
        case Export():
            return translate("EventLog", "Asked to export the model.")
        case Push():
            return translate("EventLog", "Asked to push the model to the hub.")
        case Check():
            return translate("EventLog", "Asked whether the engine works.")
        case Leave():
            return translate("EventLog", "Asked to stop.")
        case TestNetwork():
            return translate("EventLog", "Asked whether others can reach this computer.")
        case SetPace():
            return translate("EventLog", "Asked to work at another pace.")


def _of_request(event: PauseAsked | ResumeAsked | FinishAsked) -> str:
    match event:
        case PauseAsked(pause=Pause(reason="sleep")):
            return translate("EventLog", "Pausing: the computer goes to sleep.")
        case PauseAsked(pause=Pause(reason="epoch_finished")):
            return translate("EventLog", "Pausing: the epoch is finished.")
        case PauseAsked(pause=Pause(until=float(until))):
            return fill_placeholders(translate("EventLog", "Asked to pause until %1."), figures.clock(until))
        case PauseAsked():
            return translate("EventLog", "Asked to pause.")
        case ResumeAsked():
            return translate("EventLog", "Training goes on after the pause.")
        case FinishAsked(is_wanted=True):
            return translate("EventLog", "Asked to stop after this epoch.")
        case FinishAsked():
            return translate("EventLog", "Not stopping after this epoch after all.")


def _of_rules(event: AvailabilityDecided) -> str:
    if not event.decision.is_free:
        return f"{availability.pause(event.decision, event.rules)}."
    free = translate("EventLog", "By your rules, this computer is free for training")
    slowed = availability.slowed(event.pace) if event.pace.cause else ""
    ignored = availability.ignored(event.decision)
    return f"{BETWEEN.join(part for part in (slowed or free, ignored) if part)}."


_Arrival = Hello | EngineChecked | Connected | Network | RunFound | SearchFinished | Published


def _of_arrival(event: _Arrival) -> str:
    match event:
        case Hello():
            return fill_placeholders(
                translate("EventLog", "The engine has started, version %1."), sanitize_line(event.version, 40)
            )
        case EngineChecked():
            return f"torch {sanitize_line(event.torch, 40)}, hivemind {sanitize_line(event.hivemind, 40)}"
        case Connected():
            words = translate("EventLog", "Connected: %n peer(s) known; this computer is %1.", "", event.peers)
            return fill_placeholders(words, short_id(event.peer_id))
        case Network():
            return _of_network(event)
        case RunFound() if event.order.state != "running":
            return f"{order_words(event.order)}."
        case RunFound() if words := last_change_words(event):
            return f"{words}."
        case RunFound():
            return fill_placeholders(
                translate("EventLog", "Found the run “%1”, revision %2."),
                sanitize_line(event.manifest.run.name, 120),
                figures.count(event.manifest.revision),
            )
        case SearchFinished():
            return translate("EventLog", "The search found %n run(s).", "", event.found)
        case Published():
            return fill_placeholders(translate("EventLog", "Published, revision %1."), figures.count(event.revision))


def _of_network(event: Network) -> str:
    if event.mode == "direct" and event.advice:  # something is to be done before others can
        words = translate("EventLog", "This computer listens for others")
    elif event.mode == "direct":
        words = translate("EventLog", "Others can reach this computer directly")
    else:
        words = translate("EventLog", "Only outgoing connections")
    if not event.reason:
        return f"{words}."
    return f"{words}: {sanitize_line(translate_message(join_sentences(event.reason, event.advice)))}"


_Work = TrainingStarted | RoundFinished | ContributionStatus | Evaluated | RunScored | CheckpointSaved


def _of_evaluation(event: Evaluated) -> str:
    epoch = figures.count(event.epoch)
    if event.accuracy is None:
        return fill_placeholders(
            translate("EventLog", "Epoch %1: not measured, as nobody answered for a layer's experts."), epoch
        )
    return fill_placeholders(
        translate("EventLog", "Epoch %1: accuracy %2 on what nobody trains on, loss %3."),
        epoch,
        figures.share(event.accuracy),
        figures.loss(event.loss),
    )


def _of_work(event: _Work) -> str:
    match event:
        case TrainingStarted():
            return fill_placeholders(
                translate("EventLog", "Training starts on %1 at epoch %2: %3 parameters."),
                sanitize_line(event.device, 80),
                figures.count(event.epoch),
                figures.count(event.parameters),
            )
        case RoundFinished():
            return of_round(event)
        case ContributionStatus():
            return _of_contribution(event)
        case Evaluated():
            return _of_evaluation(event)
        case RunScored():
            return fill_placeholders(
                translate("EventLog", "The organiser measured a loss of %1 after epoch %2."),
                figures.loss(event.latest.loss),
                figures.count(event.latest.epoch),
            )
        case CheckpointSaved():
            return fill_placeholders(
                translate("EventLog", "Epoch %1: checkpoint saved as %2"),
                figures.count(event.epoch),
                sanitize_line(event.path),
            )


def _of_contribution(event: ContributionStatus) -> str:
    if event.reason and event.state != "helping":
        return sanitize_line(translate_message(event.reason))
    match event.state:
        case "helping":
            return translate("EventLog", "Your computer is helping.")
        case "alone":
            return translate("EventLog", "Connected, but alone.")
        case "without_step":
            return translate("EventLog", "Connected, but no round moves the run.")
        case "out_of_sync":
            return translate("EventLog", "Behind the others; their state is being downloaded.")
        case "starting":
            return translate("EventLog", "Waiting for the first averaging with others.")


def _of_problem(event: Warned | Failed) -> str:
    problem = ErrorKind.from_key(event.problem)
    parts = (errors.title_of(problem), sanitize_line(translate_message(event.detail)), errors.advice_of(problem))
    return " ".join(part for part in parts if part)


def _of_end(event: Left | Restarting | RestartDue | WorkerExited) -> str:
    match event:
        case Left():
            return translate("EventLog", "Goodbye was said.")
        case Restarting():
            return fill_placeholders(
                translate("EventLog", "%1; attempt %2 starts in %3."),
                errors.why_restarting(event),
                figures.count(event.attempt),
                figures.time(event.seconds),
            )
        case RestartDue():
            return translate("EventLog", "Starting the engine again.")
        case WorkerExited():
            return translate("EventLog", "The engine has ended; nothing of it is left on this computer.")
