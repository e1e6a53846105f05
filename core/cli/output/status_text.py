"""What happens in a session, as sentences and short phrases; strangers' words in them are made harmless."""

from __future__ import annotations

from core.cli.output import format as figures
from core.cli.output.fit_text import of_fit
from core.client.session import Session
from core.errors import ErrorKind
from core.protocol.client_events import ClientEvent
from core.protocol.events import (
    CheckpointSaved,
    Connected,
    ContributionStatus,
    EngineChecked,
    Evaluated,
    FitMeasured,
    Network,
    Progress,
    Published,
    Restarting,
    RoundFinished,
    RunScored,
    StateLoading,
    TrainingStarted,
    Warned,
)
from core.protocol.localizable import join_sentences
from core.security.sanitize import sanitize_line

_VERDICTS = {"helping": "Helping", "alone": "Alone", "out_of_sync": "Out of sync", "starting": "Starting"}


def status(session: Session) -> str:
    """What the computer is doing now, in one sentence."""
    if session.restarting:
        return of_restarting(session.restarting)
    match session.phase:
        case "connecting" | "found":
            return "Looking for the swarm…"
        case "starting" if session.loading:
            return of_loading(session.loading)
        case "starting":
            return "Starting the engine…" if session.connected is None else "Getting ready to train…"
        case "training":
            return of_verdict(session.contribution_status) if session.contribution_status else "Training has begun."
        case "leaving":
            return "Saying goodbye to the swarm…"
        case _:
            return "Said goodbye to the swarm." if session.left else "Nothing is running."


def state(session: Session) -> str:
    """What the computer is doing now, in a few words."""
    if session.phase == "training" and session.contribution_status is not None:
        return _VERDICTS[session.contribution_status.state]
    return status(session)


def of(event: ClientEvent) -> str | None:
    """A line for that event; None where it is not worth one."""
    match event:
        case Connected():
            return f"Connected: {figures.counted(event.peers, 'peer')} known, we are {event.peer_id}."
        case Network():
            return of_network(event)
        case Published():
            return f"Published, revision {event.revision}."
        case TrainingStarted():
            return (
                f"Training starts on {event.device} at epoch {event.epoch}: "
                f"{figures.count(event.parameters)} parameters."
            )
        case RoundFinished():
            return f"Epoch {event.epoch}, {event.kind}: {of_round(event)}."
        case Evaluated():
            return (
                f"Epoch {event.epoch}: accuracy {figures.share(event.accuracy)} on what nobody trains on, "
                f"loss {figures.loss(event.loss)}."
            )
        case RunScored():
            loss = figures.loss(event.latest.loss)
            return f"The organiser measured a loss of {loss} after epoch {event.latest.epoch}."
        case FitMeasured():
            return f"It {of_fit(event, None)}."
        case EngineChecked():
            return f"The engine: torch {event.torch}, hivemind {event.hivemind}."
        case ContributionStatus() | Restarting() | Warned() | CheckpointSaved():
            return _of_state(event)
        case _:
            return None


def _of_state(event: ContributionStatus | Restarting | Warned | CheckpointSaved) -> str:
    match event:
        case ContributionStatus():
            return of_verdict(event)
        case Restarting():
            return of_restarting(event)
        case Warned():
            return of_warning(event)
        case CheckpointSaved():
            return f"Epoch {event.epoch}: checkpoint saved as {sanitize_line(event.path)}."


def of_network(event: Network) -> str:
    """How others reach us, why, and what could be done about it."""
    reach = "Others connect to this computer" if event.mode == "direct" else "Only outgoing connections"
    return f"{reach}: {sanitize_line(str(join_sentences(event.reason, event.advice)))}" if event.reason else f"{reach}."


def of_verdict(event: ContributionStatus) -> str:
    """Whether this computer helps."""
    reason = sanitize_line(str(event.reason))
    return f"{_VERDICTS[event.state]}: {reason}" if reason else f"{_VERDICTS[event.state]}."


def of_loading(event: StateLoading) -> str:
    """How far the download is."""
    total = f" of about {figures.size(event.total_bytes)}" if event.total_bytes else ""
    what = "state" if event.what == "state" else "data and model"
    return f"Downloading the run's {what}: {figures.size(event.received_bytes)}{total}"


def of_restarting(event: Restarting) -> str:
    """The worker has died, or cannot reach the run just now."""
    title = ErrorKind.from_key(event.problem).title
    return f"{title} Attempt {event.attempt} to go on starts in {event.seconds:.0f} s."


def of_warning(event: Warned) -> str:
    """A problem that training survives."""
    problem = ErrorKind.from_key(event.problem)
    return " ".join(each for each in (problem.title, sanitize_line(event.detail), problem.advice) if each)


def of_round(event: RoundFinished) -> str:
    """What came of an averaging round."""
    if not event.ok:
        return f"not averaged: {sanitize_line(str(event.reason))}".rstrip(". ")
    if event.peers < 2:
        return "nobody else took part"
    return f"averaged with {figures.counted(event.peers - 1, 'other')} in {event.seconds:.1f} s"


def of_progress(event: Progress) -> str:
    """Where training is, in one line."""
    return (
        f"Epoch {event.epoch}: {figures.count(event.samples)} of {figures.count(event.target)} samples, "
        f"mine {figures.rate(event.samples_per_second)}, "
        f"swarm {figures.rate(event.swarm_samples_per_second)}, "
        f"{figures.counted(event.peers, 'peer')}, loss {figures.loss(event.loss)}."
    )


def of_examples(event: Evaluated) -> str | None:
    """The last examples with a tick or a cross each."""
    marked = [f"{'✓' if each.correct else '✗'} {sanitize_line(each.text, 100)}" for each in event.examples[:6]]
    return "   ".join(marked) or None
