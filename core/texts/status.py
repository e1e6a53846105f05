"""The status sentence: what this computer does now, why, and what comes next."""

from __future__ import annotations

from core.client.event_timestamps import EventTimestamps
from core.client.session import AT_WORK, Session
from core.placeholders import fill_placeholders
from core.protocol.events import Progress, Restarting, StateLoading
from core.texts import availability, errors, figures
from core.texts.localization import translate
from core.texts.run import order_words

BETWEEN = " · "


def status(session: Session, timestamps: EventTimestamps, now: float) -> str:
    """Return the status of a session in one sentence; ``now`` is in seconds of ``time.time()``."""
    ignored = availability.ignored(session.availability) if session.joined_run_id and session.phase in AT_WORK else ""
    slowed = availability.slowed(session.pace) if session.pace.cause and _follows_rules(session) else ""
    parts = (_status(session, timestamps, now), slowed, ignored)
    return BETWEEN.join(part for part in parts if part)


def _follows_rules(session: Session) -> bool:
    """Whether this computer trains as its owner's rules allow; an organiser's does not ask them."""
    return session.phase == "training" and session.joined_run_id is not None


def _status(session: Session, timestamps: EventTimestamps, now: float) -> str:
    if session.restarting:
        return _restarting(session, timestamps, now)
    match session.phase:
        case "connecting":
            return _connecting(session)
        case "found" if session.is_changed:
            return translate("Status", "The organiser has changed the run; nothing is computed before you agree again")
        case "found":
            return translate("Status", "The run is found; nothing is computed before you press Start")
        case "starting":
            return _starting(session)
        case "training":
            return _training(session, timestamps, now)
        case "leaving":
            return _leaving(session)
        case "paused":
            return _paused(session)
        case "ended":
            return _ended(session)
        case _:
            return translate("Status", "Nothing is running")


def _restarting(session: Session, timestamps: EventTimestamps, now: float) -> str:
    assert session.restarting is not None
    why = errors.why_restarting(session.restarting)
    seconds = timestamps.seconds_to_restart(now)
    if seconds is not None and seconds < 1:
        return BETWEEN.join((why, translate("Status", "starting again…")))
    return BETWEEN.join((why, _attempt(session.restarting, seconds)))


def _attempt(restarting: Restarting, seconds_left: float | None) -> str:
    """``attempt 2 of 5 starts in 3 s``; an outage is retried without end, so its attempts have no number of all."""
    number = figures.count(restarting.attempt)
    seconds = figures.time(restarting.seconds if seconds_left is None else seconds_left)
    if restarting.last_attempt is None:
        return fill_placeholders(translate("Status", "attempt %1 starts in %2"), number, seconds)
    words = translate("Status", "attempt %1 of %2 starts in %3")
    return fill_placeholders(words, number, figures.count(restarting.last_attempt), seconds)


def _connecting(session: Session) -> str:
    if session.consent is not None:
        return translate("Status", "Connecting to the run again…")
    return translate("Status", "Looking for the run…")


def _starting(session: Session) -> str:
    if session.loading is not None:
        return loading(session.loading)
    if session.connected is None:
        return translate("Status", "Starting the engine…")
    return translate("Status", "Getting ready to train…")


def loading(event: StateLoading) -> str:
    """Return the progress of a download: ``Downloading the run's state · 4.7 MB of 12.0 MB · 39 %``."""
    received = figures.size(event.received_bytes)
    if event.what == "rest":
        return fill_placeholders(translate("Status", "Downloading the rest of the state from a peer · %1"), received)
    if not event.total_bytes:
        words = (
            translate("Status", "Downloading the run's state · %1")
            if event.what == "state"
            else translate("Status", "Downloading the run's data and model · %1")
        )
        return fill_placeholders(words, received)
    words = (
        translate("Status", "Downloading the run's state · %1 of %2 · %3")
        if event.what == "state"
        else translate("Status", "Downloading the run's data and model · %1 of %2 · %3")
    )
    return fill_placeholders(
        words,
        received,
        figures.size(event.total_bytes),
        figures.share(min(1.0, event.received_bytes / event.total_bytes)),
    )


def _training(session: Session, timestamps: EventTimestamps, now: float) -> str:
    if session.progress is None:
        keeps = session.training is None and session.published is not None
        if keeps and session.order.state == "running":
            return translate("Status", "Keeping the run published")
        return order_words(session.order) or translate("Status", "Training begins…")
    if session.order.state in ("paused", "ended"):
        return BETWEEN.join((order_words(session.order), round_or_epoch(session.progress)))
    steps = _waiting() if timestamps.is_waiting_long(now) else _steps(session.progress)
    where = [round_or_epoch(session.progress), steps]
    averaged = _exchanging(session.progress) or _averaged(session, timestamps, now)
    parts = [_activity(session), *where, averaged, _next(session, timestamps, now)]
    return BETWEEN.join(part for part in parts if part)


def round_or_epoch(progress: Progress) -> str:
    """``epoch 12``, or ``round 12`` where each computer takes steps of its own."""
    words = translate("Status", "epoch %1") if progress.steps is None else translate("Status", "round %1")
    return fill_placeholders(words, figures.count(progress.epoch))


def _waiting() -> str:
    return translate("Status", "waiting for the last step")


def _steps(progress: Progress) -> str:
    """``140 of ~300 steps``, as many as there will be if all go on at their pace; nothing where all step together.

    Who has taken all steps that the run allows is told so.
    """
    if progress.steps is None:
        return ""
    if progress.most_steps is not None and progress.steps >= progress.most_steps:
        return translate("Status", "all %n step(s) taken, waiting for the others", "", progress.steps)
    if not progress.samples:
        return translate("Status", "%n step(s)", "", progress.steps)
    expected = round(progress.steps * max(1.0, progress.target / progress.samples))
    expected = min(expected, progress.most_steps or expected)
    words = translate("Status", "%1 of ~%2 steps")
    return fill_placeholders(words, figures.count(progress.steps), figures.count(expected))


def _exchanging(progress: Progress) -> str:
    """``exchanging (38 %) while training goes on``; nothing between two exchanges."""
    if progress.exchanged_share is None:
        return ""
    words = translate("Status", "exchanging (%1) while training goes on")
    return fill_placeholders(words, figures.share(progress.exchanged_share))


def _activity(session: Session) -> str:
    if session.is_finishing:
        return translate("Status", "Finishing this epoch, then stopping")
    if session.order.state == "draining":
        return order_words(session.order)
    match session.contribution_status.state if session.contribution_status else None:
        case "alone":
            return translate("Status", "Training alone")
        case "without_step":
            return translate("Status", "Training, but nothing counts at present")
        case "out_of_sync":
            return translate("Status", "Catching up with the others")
        case _:
            return translate("Status", "Training")


def _averaged(session: Session, timestamps: EventTimestamps, now: float) -> str:
    """``averaged with 6 peers 12 s ago``."""
    seconds = timestamps.averaged_seconds_ago(now)
    if timestamps.averaged is None or seconds is None:
        if session.contribution_status is not None and session.contribution_status.state == "without_step":
            return ""  # it was averaged, and what became of that is said already
        return translate("Status", "not averaged with others yet")
    words = translate("Status", "averaged with %n peer(s) %1 ago", "", timestamps.averaged.peers - 1)
    return fill_placeholders(words, figures.time(seconds) if seconds < 60 else figures.about(seconds))


def _next(session: Session, timestamps: EventTimestamps, now: float) -> str:
    """``next round in ~40 s``; nothing where nobody can know."""
    if session.contribution_status is not None and session.contribution_status.state == "out_of_sync":
        return ""
    seconds = timestamps.seconds_to_next_round(now)
    if seconds is None:
        return ""
    if session.is_finishing:
        return fill_placeholders(translate("Status", "stops in ~%1"), figures.about(seconds))
    if seconds < 1:
        return translate("Status", "next round any moment now")
    return fill_placeholders(translate("Status", "next round in ~%1"), figures.about(seconds))


def _leaving(session: Session) -> str:
    if session.pause is not None:
        return translate("Status", "Pausing · saying goodbye to the swarm…")
    return translate("Status", "Leaving · saying goodbye to the swarm…")


def _paused(session: Session) -> str:
    if session.pause is None:
        return translate("Status", "Paused")
    match session.pause.reason:
        case "epoch_finished":
            return translate("Status", "Paused after the epoch, as you asked · Resume goes on")
        case "rule":
            return availability.pause(session.availability, session.rules)
        case "sleep":
            return translate("Status", "Paused while the computer sleeps · goes on when it wakes")
        case "person" if session.pause.until is not None:
            return fill_placeholders(translate("Status", "Paused by you until %1"), figures.clock(session.pause.until))
        case _:
            return translate("Status", "Paused by you until you resume")


def _ended(session: Session) -> str:
    if session.problem is not None:
        return fill_placeholders(translate("Status", "Stopped · %1"), errors.title_of(session.problem))
    if session.left is not None and session.order.state in ("draining", "ended"):
        return order_words(session.order)
    if session.left is not None:
        return translate("Status", "You have left the run · goodbye was said")
    return translate("Status", "Nothing is running")
