"""Lines of the event log about averaging: its rounds, the peers in them, what they sign for each other."""

from __future__ import annotations

from core.client.event_timestamps import is_averaged
from core.placeholders import fill_placeholders
from core.protocol.events import CaughtUp, ReceiptSeen, RoundFinished
from core.protocol.peers import Suspect, SuspectsSeen
from core.security.sanitize import sanitize_line, short_id
from core.texts import figures
from core.texts.localization import translate
from core.texts.worker_messages import translate_message

MAX_SUSPECTS = 3  # that a line names
NOTABLE_SHARE = 0.5  # of our change: every fast computer's is cut down a little


def of_round(event: RoundFinished) -> str:
    """How a round has ended, and whose part in it was not as it should be."""
    epoch = figures.count(event.epoch)
    named = _words_of_own(event) + _words_of_outliers(event) + _words_of_unreached(event)
    if is_averaged(event):
        return fill_placeholders(_words_of_averaged(event), epoch, figures.time(event.seconds)) + named
    nobody = translate("EventLog", "nobody else took part")
    why = sanitize_line(translate_message(event.reason)).rstrip(". ") or nobody
    if event.ok and event.peers > 1:
        return fill_placeholders(_words_without_step(event), epoch, why) + named
    match event.kind:
        case "gradients":
            return fill_placeholders(translate("EventLog", "Epoch %1: gradients not averaged: %2."), epoch, why) + named
        case "state":
            return fill_placeholders(translate("EventLog", "Epoch %1: state not averaged: %2."), epoch, why) + named
        case "changes":
            return fill_placeholders(translate("EventLog", "Round %1: changes not averaged: %2."), epoch, why) + named


def _words_of_averaged(event: RoundFinished) -> str:
    others = event.peers - 1
    match event.kind:
        case "gradients":
            return translate("EventLog", "Epoch %1: gradients averaged with %n peer(s) in %2.", "", others)
        case "state":
            return translate("EventLog", "Epoch %1: state averaged with %n peer(s) in %2.", "", others)
        case "changes":
            return translate("EventLog", "Round %1: changes averaged with %n peer(s) in %2.", "", others)


def _words_without_step(event: RoundFinished) -> str:
    """That the average of a group is not used; the gradients of a run are always stepped with."""
    return translate(
        "EventLog", "Round %1: changes averaged with %n peer(s), but no step taken: %2.", "", event.peers - 1
    )


def _words_of_own(event: RoundFinished) -> str:
    """That our own changes were cut down by far, or left out, after a space; empty where they were not."""
    if event.counted_share >= NOTABLE_SHARE:
        return ""
    if event.counted_share <= 0:
        return " " + translate(
            "EventLog", "Your change was left out: it was far larger than is usual, or against all others'."
        )
    words = translate("EventLog", "Your change counted for %1: it was larger than the others', or of more samples.")
    return " " + fill_placeholders(words, figures.share(event.counted_share))


def _words_of_outliers(event: RoundFinished) -> str:
    """Whose numbers stood out, after a space; empty where nobody's did."""
    if not event.outliers:
        return ""
    words = translate("EventLog", "What %1 sent was far from what the others sent, and was cut down or left out.")
    return " " + fill_placeholders(words, ", ".join(map(short_id, event.outliers)))


def _words_of_unreached(event: RoundFinished) -> str:
    """Whom we could not send our part to, after a space; empty where there is nobody."""
    if not event.unreached:
        return ""
    words = translate(
        "EventLog",
        "%1 cannot be reached from here, or does not answer; for ten minutes your groups do without its work.",
    )
    return " " + fill_placeholders(words, ", ".join(map(short_id, event.unreached)))


def of_suspects(event: SuspectsSeen) -> str:
    """Who is named most; empty where nobody is named any more."""
    return " ".join(
        fill_placeholders(_words_of_suspect(each), short_id(each.peer_id)) for each in event.suspects[:MAX_SUSPECTS]
    )


def _words_of_suspect(suspect: Suspect) -> str:
    """Why it is one, with a place for its id."""
    if suspect.found_out:
        return translate("EventLog", "%1 returns false averages, as the organiser or a keeper has found.")
    if suspect.named_by:
        return translate("EventLog", "According to %n peer(s), %1 has sent what cannot be right.", "", suspect.named_by)
    return translate("EventLog", "What %1 changes makes the model worse on held-out samples.")


def of_catching_up(event: CaughtUp) -> str:
    """How far we were behind the others, and what has become of our own work."""
    behind = translate("EventLog", "Caught up with %n round(s) of the others:", "", event.rounds)
    kept = translate("EventLog", "what this computer has learned meanwhile goes into the next round.")
    dropped = translate("EventLog", "what this computer has learned meanwhile fits them no more, and was dropped.")
    return f"{behind} {kept if event.kept else dropped}"


def of_receipt(event: ReceiptSeen) -> str:
    """Who has signed for how many samples."""
    return fill_placeholders(
        translate("EventLog", "%1 has signed for %2 samples of yours, up to epoch %3."),
        short_id(event.signer),
        figures.count(event.samples),
        figures.count(event.epoch),
    )
