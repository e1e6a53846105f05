"""What the window says when something is wrong: what happened, and what to do about it here."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from core.errors import ErrorKind


def title_of(problem: ErrorKind) -> str:
    """What happened, in one sentence."""
    return QCoreApplication.translate("Problem", _WORDS[problem][0])


def advice_of(problem: ErrorKind) -> str:
    """What to do about it in the window, in one sentence."""
    return QCoreApplication.translate("Problem", _WORDS[problem][1])


def setback(problem: ErrorKind) -> str:
    """Why training has to begin again by itself, in half a sentence."""
    match problem:
        case ErrorKind.NOBODY_ANSWERS:
            return QCoreApplication.translate("Problem", "Nobody answers just now")
        case ErrorKind.NETWORK_CHANGED:
            return QCoreApplication.translate("Problem", "Others reach this computer in another way now")
        case ErrorKind.STATE_NOT_LOADED:
            return QCoreApplication.translate("Problem", "The run's state could not be downloaded just now")
        case ErrorKind.SWARM_LOST:
            return QCoreApplication.translate("Problem", "The connection to the other computers was lost")
        case _:
            return QCoreApplication.translate("Problem", "The training process ended unexpectedly")


_WORDS: dict[ErrorKind, tuple[Any, Any]] = {  # PySide6 calls what QT_TRANSLATE_NOOP gives an object
    ErrorKind.USAGE: (
        QT_TRANSLATE_NOOP("Problem", "That cannot be done."),
        QT_TRANSLATE_NOOP("Problem", "Try it in another way; what is wrong stands above."),
    ),
    ErrorKind.RUN_FILE_WRONG: (
        QT_TRANSLATE_NOOP("Problem", "The run file has a mistake."),
        QT_TRANSLATE_NOOP("Problem", "Ask whoever wrote it to mend what is named above, or choose another file."),
    ),
    ErrorKind.SEVERAL_RUNS: (
        QT_TRANSLATE_NOOP("Problem", "There are several runs at that address."),
        QT_TRANSLATE_NOOP("Problem", "Choose one of them."),
    ),
    ErrorKind.NO_SUCH_DEVICE: (
        QT_TRANSLATE_NOOP("Problem", "This computer no longer has the device that you chose."),
        QT_TRANSLATE_NOOP("Problem", "Choose another one, or let Workerbee choose."),
    ),
    ErrorKind.DEVICE_UNSUITED: (
        QT_TRANSLATE_NOOP("Problem", "The device that you chose cannot train this run."),
        QT_TRANSLATE_NOOP("Problem", "Choose another one in the settings, or look for another run to help."),
    ),
    ErrorKind.ADDRESS_UNREADABLE: (
        QT_TRANSLATE_NOOP("Problem", "This address cannot be read."),
        QT_TRANSLATE_NOOP("Problem", "Copy the whole line that the organiser posted."),
    ),
    ErrorKind.NOBODY_ANSWERS: (
        QT_TRANSLATE_NOOP("Problem", "Nobody answers at that address."),
        QT_TRANSLATE_NOOP(
            "Problem",
            "Check that you are online, then ask the organiser whether the run is up, and its address right.",
        ),
    ),
    ErrorKind.NO_SUCH_RUN: (
        QT_TRANSLATE_NOOP("Problem", "Somebody answers there, but publishes no such run."),
        QT_TRANSLATE_NOOP(
            "Problem",
            "Ask the organiser for a new address; or, if they gave you a run file (.toml), open it here.",
        ),
    ),
    ErrorKind.RUN_NOT_OPEN: (
        QT_TRANSLATE_NOOP("Problem", "The organiser has closed this run."),
        QT_TRANSLATE_NOOP("Problem", "Nothing is wrong here; look for another run to help."),
    ),
    ErrorKind.MANIFEST_REFUSED: (
        QT_TRANSLATE_NOOP("Problem", "What the swarm says about the run was refused."),
        QT_TRANSLATE_NOOP(
            "Problem",
            "Do not join before the organiser has explained it: the description may be damaged or forged.",
        ),
    ),
    ErrorKind.MANIFEST_TOO_NEW: (
        QT_TRANSLATE_NOOP("Problem", "The run was described by a newer Workerbee."),
        QT_TRANSLATE_NOOP("Problem", "Update Workerbee, then join again."),
    ),
    ErrorKind.MANIFEST_ROLLED_BACK: (
        QT_TRANSLATE_NOOP(
            "Problem", "The swarm shows an older description of this run than the one you have seen before."
        ),
        QT_TRANSLATE_NOOP("Problem", "Try again in a few minutes; if it stays, ask the organiser."),
    ),
    ErrorKind.ORGANISER_CHANGED: (
        QT_TRANSLATE_NOOP("Problem", "This run is now signed by somebody else than before."),
        QT_TRANSLATE_NOOP(
            "Problem", "Ask the organiser, by another way than this address, whether the key was changed."
        ),
    ),
    ErrorKind.CLOCK_WRONG: (
        QT_TRANSLATE_NOOP("Problem", "This computer's clock and the swarm's differ by more than 3 seconds."),
        QT_TRANSLATE_NOOP("Problem", "Have the system set the clock from the network, then try again."),
    ),
    ErrorKind.FOLDER_NOT_WRITABLE: (
        QT_TRANSLATE_NOOP("Problem", "A folder of Workerbee cannot be written."),
        QT_TRANSLATE_NOOP("Problem", "Give yourself write access to it, or choose another one in the settings."),
    ),
    ErrorKind.DISK_FULL: (
        QT_TRANSLATE_NOOP("Problem", "The disk is full."),
        QT_TRANSLATE_NOOP("Problem", "Free some space; what was saved before is still whole."),
    ),
    ErrorKind.FILES_UNREACHABLE: (
        QT_TRANSLATE_NOOP("Problem", "Something that this run needs cannot be fetched just now."),
        QT_TRANSLATE_NOOP(
            "Problem",
            "Workerbee tries again by itself; if it stays, check that you are online, then ask the organiser.",
        ),
    ),
    ErrorKind.FILES_REFUSED: (
        QT_TRANSLATE_NOOP("Problem", "Something that this run names was refused."),
        QT_TRANSLATE_NOOP(
            "Problem",
            "It is not what the run says, or could run foreign code: tell the organiser what is named above.",
        ),
    ),
    ErrorKind.IMAGES_LEFT_OUT: (
        QT_TRANSLATE_NOOP("Problem", "Some images of this run cannot be used."),
        QT_TRANSLATE_NOOP("Problem", "They are left out, and training goes on; the organiser may like to know."),
    ),
    ErrorKind.NO_ROOM: (
        QT_TRANSLATE_NOOP("Problem", "There is not enough room for what this run needs."),
        QT_TRANSLATE_NOOP("Problem", "Free some space, or raise the limit for Workerbee's data in the settings."),
    ),
    ErrorKind.CHECKPOINT_DAMAGED: (
        QT_TRANSLATE_NOOP("Problem", "A checkpoint could not be read."),
        QT_TRANSLATE_NOOP("Problem", "It was kept aside under another name; training goes on without it."),
    ),
    ErrorKind.SETTINGS_DAMAGED: (
        QT_TRANSLATE_NOOP("Problem", "The settings file could not be read."),
        QT_TRANSLATE_NOOP("Problem", "It was kept aside under another name; the defaults are used."),
    ),
    ErrorKind.HISTORY_NOT_KEPT: (
        QT_TRANSLATE_NOOP("Problem", "What Workerbee remembers of its runs cannot be kept on disk for now."),
        QT_TRANSLATE_NOOP("Problem", "Workerbee tries again by itself; if it stays, mend what is named above."),
    ),
    ErrorKind.HISTORY_DAMAGED: (
        QT_TRANSLATE_NOOP("Problem", "What Workerbee remembered of its runs could not be read."),
        QT_TRANSLATE_NOOP("Problem", "It was kept aside under another name, and a new file was begun."),
    ),
    ErrorKind.IDENTITY_DAMAGED: (
        QT_TRANSLATE_NOOP("Problem", "A key file of yours is damaged."),
        QT_TRANSLATE_NOOP(
            "Problem", "Put back a copy of it if you have one; or move it away, and a new identity is made."
        ),
    ),
    ErrorKind.ALREADY_PUBLISHING: (
        QT_TRANSLATE_NOOP("Problem", "This run is already being published from this computer."),
        QT_TRANSLATE_NOOP("Problem", "End the other program that publishes it first."),
    ),
    ErrorKind.PORT_TAKEN: (
        QT_TRANSLATE_NOOP("Problem", "The port to listen on is taken by another program."),
        QT_TRANSLATE_NOOP("Problem", "Choose another one in the settings, or end the other program."),
    ),
    ErrorKind.NOT_REACHABLE: (
        QT_TRANSLATE_NOOP("Problem", "Others cannot reach this computer."),
        QT_TRANSLATE_NOOP("Problem", "Choose outgoing connections only in the settings: they are enough to help."),
    ),
    ErrorKind.NETWORK_CHANGED: (
        QT_TRANSLATE_NOOP("Problem", "The way in which others reach this computer has changed."),
        QT_TRANSLATE_NOOP("Problem", "Nothing to do: training goes on in a moment."),
    ),
    ErrorKind.STATE_NOT_LOADED: (
        QT_TRANSLATE_NOOP("Problem", "The run's current state could not be downloaded from any peer."),
        QT_TRANSLATE_NOOP("Problem", "Try again in a few minutes; a slow or blocked connection is the usual cause."),
    ),
    ErrorKind.STATE_REFUSED: (
        QT_TRANSLATE_NOOP("Problem", "A state of the run was refused because it cannot be right."),
        QT_TRANSLATE_NOOP("Problem", "Another computer is asked for one; you need not do anything."),
    ),
    ErrorKind.NOT_FINITE: (
        QT_TRANSLATE_NOOP("Problem", "What this computer computes is not always a number."),
        QT_TRANSLATE_NOOP(
            "Problem",
            "That is never given to others; if it stays, update the GPU's driver, or lend another device.",
        ),
    ),
    ErrorKind.SWARM_LOST: (
        QT_TRANSLATE_NOOP("Problem", "The connection to the other computers was lost."),
        QT_TRANSLATE_NOOP("Problem", "Workerbee joins them again by itself; if that fails, check that you are online."),
    ),
    ErrorKind.OUT_OF_MEMORY: (
        QT_TRANSLATE_NOOP("Problem", "The device ran out of memory."),
        QT_TRANSLATE_NOOP("Problem", "Close other programs that use it, or choose another device."),
    ),
    ErrorKind.FIT_UNKNOWN: (
        QT_TRANSLATE_NOOP("Problem", "How much fits on this computer cannot be measured beforehand."),
        QT_TRANSLATE_NOOP(
            "Problem",
            "You may start all the same: training takes fewer samples at a time where memory runs out.",
        ),
    ),
    ErrorKind.ENGINE_MISSING: (
        QT_TRANSLATE_NOOP("Problem", "The training engine is not installed or does not start."),
        QT_TRANSLATE_NOOP("Problem", "Make it anew, or install Workerbee again; the log tells what it lacks."),
    ),
    ErrorKind.PROTOCOL_MISMATCH: (
        QT_TRANSLATE_NOOP("Problem", "The training engine is of another version than this window."),
        QT_TRANSLATE_NOOP("Problem", "Make it anew, so that both are of the same age."),
    ),
    ErrorKind.ENGINE_NOT_MADE: (
        QT_TRANSLATE_NOOP("Problem", "The training engine has not been made yet."),
        QT_TRANSLATE_NOOP("Problem", "Workerbee makes it for you as soon as you agree."),
    ),
    ErrorKind.ENGINE_NOT_OFFERED: (
        QT_TRANSLATE_NOOP("Problem", "This Workerbee has no training engine for this computer's Python."),
        QT_TRANSLATE_NOOP("Problem", "Update Workerbee; it is made for Python 3.11 to 3.13."),
    ),
    ErrorKind.ENGINE_BUSY: (
        QT_TRANSLATE_NOOP("Problem", "The training engine is in use, or is just being made."),
        QT_TRANSLATE_NOOP("Problem", "Wait until that is over, then try again."),
    ),
    ErrorKind.ENGINE_NOT_ASSEMBLED: (
        QT_TRANSLATE_NOOP("Problem", "The training engine could not be put together."),
        QT_TRANSLATE_NOOP("Problem", "Try again: what was downloaded is kept. If it stays so, please report the log."),
    ),
    ErrorKind.STILL_RUNNING: (
        QT_TRANSLATE_NOOP("Problem", "Workerbee still trains."),
        QT_TRANSLATE_NOOP("Problem", "Leave the run first, then try again."),
    ),
    ErrorKind.DOWNLOAD_CUT: (
        QT_TRANSLATE_NOOP("Problem", "The download was cut off."),
        QT_TRANSLATE_NOOP("Problem", "Check that you are online and try again: it goes on where it stopped."),
    ),
    ErrorKind.DOWNLOAD_WRONG: (
        QT_TRANSLATE_NOOP("Problem", "A downloaded file is not what it should be."),
        QT_TRANSLATE_NOOP(
            "Problem",
            "It was thrown away. Try again; if it stays so, somebody on the way changes files, or Workerbee "
            "needs an update.",
        ),
    ),
    ErrorKind.WORKER_CRASHED: (
        QT_TRANSLATE_NOOP("Problem", "The training process ended unexpectedly."),
        QT_TRANSLATE_NOOP("Problem", "The log tells more; joining again often helps."),
    ),
    ErrorKind.WORKER_NONSENSE: (
        QT_TRANSLATE_NOOP("Problem", "The training process said something that makes no sense."),
        QT_TRANSLATE_NOOP("Problem", "It was stopped; please report the log."),
    ),
    ErrorKind.INTERNAL: (
        QT_TRANSLATE_NOOP("Problem", "Something went wrong that Workerbee did not foresee."),
        QT_TRANSLATE_NOOP("Problem", "Please report the log."),
    ),
}
