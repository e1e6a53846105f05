"""Every problem in the window's own words: what happened, what to do, and which button does it.

The command line's advice names its options; here it names buttons and pages.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from core.problems import Problem

translate = QCoreApplication.translate  # lupdate knows it by this name only

Remedy = Literal["again", "back", "settings", "log"]


class _Words(NamedTuple):
    """English texts, marked for lupdate (which types them as objects); the title is the core's."""

    title: object
    advice: object
    remedy: Remedy


def title(problem: Problem) -> str:
    """What happened, in one sentence."""
    return translate("Problem", str(_WORDS[problem].title))


def advice(problem: Problem) -> str:
    """What to do about it, in one sentence."""
    return translate("Problem", str(_WORDS[problem].advice))


def remedy(problem: Problem) -> Remedy:
    """What the one button beside the problem does."""
    return _WORDS[problem].remedy


def button(problem: Problem) -> str:
    """What stands on that button."""
    match _WORDS[problem].remedy:
        case "again":
            return translate("Problem", "Try again")
        case "back":
            return translate("Problem", "Back to the start")
        case "settings":
            return translate("Problem", "Open the settings")
        case "log":
            return translate("Problem", "Show the log")


_WORDS = {
    Problem.USAGE: _Words(
        QT_TRANSLATE_NOOP("Problem", "The command cannot be carried out as it was typed."),
        QT_TRANSLATE_NOOP("Problem", "Start Workerbee without options, or ask `workerbee --help`."),
        "back",
    ),
    Problem.RUN_FILE_WRONG: _Words(
        QT_TRANSLATE_NOOP("Problem", "The run file has a mistake."),
        QT_TRANSLATE_NOOP("Problem", "Mend the fields named here, or ask the organiser for a right one."),
        "back",
    ),
    Problem.SEVERAL_RUNS: _Words(
        QT_TRANSLATE_NOOP("Problem", "The swarm publishes several runs."),
        QT_TRANSLATE_NOOP("Problem", "Choose the one you want to help."),
        "back",
    ),
    Problem.NO_SUCH_DEVICE: _Words(
        QT_TRANSLATE_NOOP("Problem", "This computer has no such device."),
        QT_TRANSLATE_NOOP("Problem", "Choose another device in the settings."),
        "settings",
    ),
    Problem.ADDRESS_UNREADABLE: _Words(
        QT_TRANSLATE_NOOP("Problem", "The address cannot be read."),
        QT_TRANSLATE_NOOP(
            "Problem",
            "Copy the whole line that the organiser posted; it looks like "
            "/ip4/203.0.113.5/tcp/31337/p2p/12D3KooW… or workerbee://join?peer=….",
        ),
        "back",
    ),
    Problem.NOBODY_ANSWERS: _Words(
        QT_TRANSLATE_NOOP("Problem", "Nobody answers at that address."),
        QT_TRANSLATE_NOOP(
            "Problem",
            "Check that you are online, then ask the organiser whether the run is up, and its address right.",
        ),
        "again",
    ),
    Problem.NO_SUCH_RUN: _Words(
        QT_TRANSLATE_NOOP("Problem", "The swarm publishes no such run."),
        QT_TRANSLATE_NOOP(
            "Problem", "Ask the organiser; if the swarm publishes no run, open the organiser's run.toml file."
        ),
        "back",
    ),
    Problem.RUN_NOT_OPEN: _Words(
        QT_TRANSLATE_NOOP("Problem", "The organiser has closed this run."),
        QT_TRANSLATE_NOOP("Problem", "Nothing is wrong here; look for another run to help."),
        "back",
    ),
    Problem.MANIFEST_REFUSED: _Words(
        QT_TRANSLATE_NOOP("Problem", "What the swarm says about the run was refused."),
        QT_TRANSLATE_NOOP(
            "Problem",
            "Do not join before the organiser has explained it: the description may be damaged or forged.",
        ),
        "back",
    ),
    Problem.MANIFEST_TOO_NEW: _Words(
        QT_TRANSLATE_NOOP("Problem", "The run was described by a newer Workerbee."),
        QT_TRANSLATE_NOOP("Problem", "Update Workerbee, then join again."),
        "back",
    ),
    Problem.MANIFEST_ROLLED_BACK: _Words(
        QT_TRANSLATE_NOOP(
            "Problem", "The swarm shows an older description of this run than the one you have seen before."
        ),
        QT_TRANSLATE_NOOP("Problem", "Try again in a few minutes; if it stays, ask the organiser."),
        "again",
    ),
    Problem.ORGANISER_CHANGED: _Words(
        QT_TRANSLATE_NOOP("Problem", "This run is now signed by somebody else than before."),
        QT_TRANSLATE_NOOP(
            "Problem",
            "Ask the organiser, by another way than this address, whether the key was changed.",
        ),
        "back",
    ),
    Problem.CLOCK_WRONG: _Words(
        QT_TRANSLATE_NOOP("Problem", "This computer's clock and the swarm's differ by more than 3 seconds."),
        QT_TRANSLATE_NOOP("Problem", "Have the system set its clock from the network, then try again."),
        "again",
    ),
    Problem.FOLDER_NOT_WRITABLE: _Words(
        QT_TRANSLATE_NOOP("Problem", "A folder of Workerbee cannot be written."),
        QT_TRANSLATE_NOOP("Problem", "Give yourself write access to it, or choose another in the settings."),
        "settings",
    ),
    Problem.DISK_FULL: _Words(
        QT_TRANSLATE_NOOP("Problem", "The disk is full."),
        QT_TRANSLATE_NOOP("Problem", "Free some space; what was saved before is still whole."),
        "again",
    ),
    Problem.CHECKPOINT_DAMAGED: _Words(
        QT_TRANSLATE_NOOP("Problem", "A checkpoint could not be read."),
        QT_TRANSLATE_NOOP("Problem", "It was kept aside under another name; training goes on without it."),
        "log",
    ),
    Problem.SETTINGS_DAMAGED: _Words(
        QT_TRANSLATE_NOOP("Problem", "A settings file could not be read."),
        QT_TRANSLATE_NOOP("Problem", "It was kept aside under another name; the defaults are used."),
        "settings",
    ),
    Problem.IDENTITY_DAMAGED: _Words(
        QT_TRANSLATE_NOOP("Problem", "A key file of yours is damaged."),
        QT_TRANSLATE_NOOP(
            "Problem", "Put back a copy of it if you have one; or move it away, and a new identity is made."
        ),
        "again",
    ),
    Problem.ALREADY_PUBLISHING: _Words(
        QT_TRANSLATE_NOOP("Problem", "This run is already being published from this computer."),
        QT_TRANSLATE_NOOP("Problem", "Stop the other `workerbee publish` first."),
        "again",
    ),
    Problem.PORT_TAKEN: _Words(
        QT_TRANSLATE_NOOP("Problem", "The port to listen on is taken by another program."),
        QT_TRANSLATE_NOOP("Problem", "Choose another port in the settings, or end the other program."),
        "settings",
    ),
    Problem.NOT_REACHABLE: _Words(
        QT_TRANSLATE_NOOP("Problem", "Others cannot reach this computer."),
        QT_TRANSLATE_NOOP(
            "Problem", "Choose “outgoing only” as the network mode in the settings: that is enough to help."
        ),
        "settings",
    ),
    Problem.STATE_NOT_LOADED: _Words(
        QT_TRANSLATE_NOOP("Problem", "The run's current state could not be downloaded from any peer."),
        QT_TRANSLATE_NOOP(
            "Problem", "Try again in a few minutes; a slow or blocked connection is the usual cause."
        ),
        "again",
    ),
    Problem.OUT_OF_MEMORY: _Words(
        QT_TRANSLATE_NOOP("Problem", "The device ran out of memory."),
        QT_TRANSLATE_NOOP("Problem", "Close other programs that use it, or choose another device."),
        "settings",
    ),
    Problem.ENGINE_MISSING: _Words(
        QT_TRANSLATE_NOOP("Problem", "The training engine is not installed or does not start."),
        QT_TRANSLATE_NOOP("Problem", "Run `workerbee doctor`; from source, `make demo` installs it."),
        "again",
    ),
    Problem.PROTOCOL_MISMATCH: _Words(
        QT_TRANSLATE_NOOP("Problem", "The training engine is of another version than this program."),
        QT_TRANSLATE_NOOP("Problem", "Update both: `make demo` does it."),
        "log",
    ),
    Problem.WORKER_CRASHED: _Words(
        QT_TRANSLATE_NOOP("Problem", "The training process ended unexpectedly."),
        QT_TRANSLATE_NOOP("Problem", "The log tells more; `workerbee doctor` looks for the usual causes."),
        "log",
    ),
    Problem.WORKER_NONSENSE: _Words(
        QT_TRANSLATE_NOOP("Problem", "The training process said something that is no event."),
        QT_TRANSLATE_NOOP("Problem", "It was stopped; please report the log."),
        "log",
    ),
    Problem.INTERNAL: _Words(
        QT_TRANSLATE_NOOP("Problem", "Something went wrong that Workerbee did not foresee."),
        QT_TRANSLATE_NOOP("Problem", "Please report the log."),
        "log",
    ),
}
