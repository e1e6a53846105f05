"""What an error says to people: what happened, what to do about it, and why training starts over."""

from __future__ import annotations

from core.errors import ErrorKind
from core.protocol.events import Restarting
from core.security.sanitize import sanitize_line
from core.texts.localization import installed, translate
from core.texts.worker_messages import translate_message


def title_of(kind: ErrorKind) -> str:
    """Return the sentence that says what happened."""
    return translate("Problem", kind.title)


def advice_of(kind: ErrorKind) -> str:
    """Return the sentence that says what to do about it: in the window, or at a terminal."""
    return kind.terminal_advice if installed().is_terminal else translate("Problem", kind.advice)


def interruption(kind: ErrorKind) -> str:
    """Return why training has to start over by itself, without a full stop."""
    match kind:
        case ErrorKind.NOBODY_ANSWERS:
            return translate("Problem", "Nobody answers just now")
        case ErrorKind.NO_SUCH_RUN:
            return translate("Problem", "The run is not published just now")
        case ErrorKind.NETWORK_CHANGED:
            return translate("Problem", "Others reach this computer in another way now")
        case ErrorKind.STATE_NOT_LOADED:
            return translate("Problem", "The run's state could not be downloaded just now")
        case ErrorKind.MODEL_UNLEARNED:
            return translate("Problem", "The run's model has become worse")
        case ErrorKind.RUN_CHANGED:
            return translate("Problem", "The run has changed")
        case ErrorKind.RUN_ROLLED_BACK:
            return translate("Problem", "The organiser has gone back to an earlier epoch")
        case ErrorKind.GPU_UNUSABLE | ErrorKind.NO_SUCH_DEVICE:
            return translate("Problem", "The GPU cannot compute just now")
        case ErrorKind.DISK_FULL:
            return translate("Problem", "The disk is full")
        case ErrorKind.SWARM_LOST:
            return translate("Problem", "The connection to the other computers was lost")
        case _:
            return translate("Problem", "The training process ended unexpectedly")


def why_restarting(event: Restarting) -> str:
    """Return why training has to start over by itself; of a full disk with what has no room, in brackets."""
    why = interruption(ErrorKind.from_key(event.problem))
    detail = sanitize_line(translate_message(event.detail), 300).removesuffix(".")
    return f"{why} ({detail})" if detail else why
