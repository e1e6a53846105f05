"""Every failure that a person can meet, in words: what happened, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True)
class _Words:
    """What a problem says: one sentence of what happened, one of what to do; and the command's exit code."""

    title: str
    advice: str
    exit_code: int


class ErrorKind(Enum):
    """A failure that a person can meet; its name in lower case crosses the pipe, its words do not."""

    USAGE = _Words(
        "The command cannot be carried out as it was typed.",
        "See `workerbee --help`, or `workerbee COMMAND --help`.",
        2,
    )
    RUN_FILE_WRONG = _Words(
        "The run file has a mistake.",
        "Mend the fields named above; `workerbee run new` writes a file that is right, with comments.",
        2,
    )
    SEVERAL_RUNS = _Words("The swarm publishes several runs.", "Say which one you mean with --run ID.", 2)
    NO_SUCH_DEVICE = _Words(
        "This computer has no such device.", "Choose one that `workerbee doctor` lists, or --device auto.", 2
    )
    DEVICE_UNSUITED = _Words(
        "The device that you chose cannot train this run.",
        "Choose another with --device (`workerbee doctor` lists them), or look for another run to help.",
        7,
    )
    ADDRESS_UNREADABLE = _Words(
        "The address cannot be read.",
        "Copy the whole line that the organiser posted; it looks like "
        "/ip4/203.0.113.5/tcp/31337/p2p/12D3KooW… or workerbee://join?peer=….",
        3,
    )
    NOBODY_ANSWERS = _Words(
        "Nobody answers at that address.",
        "Check that you are online, then ask the organiser whether the run is up, and its address right.",
        4,
    )
    NO_SUCH_RUN = _Words(
        "The swarm publishes no such run.",
        "Ask the organiser for the run's name, or pass a local file with --recipe run.toml if the swarm "
        "publishes no manifest.",
        5,
    )
    RUN_NOT_OPEN = _Words(
        "The organiser has closed this run.", "Nothing is wrong here; look for another run to help.", 5
    )
    MANIFEST_REFUSED = _Words(
        "What the swarm says about the run was refused.",
        "Do not join before the organiser has explained it: the description may be damaged or forged.",
        6,
    )
    MANIFEST_TOO_NEW = _Words("The run was described by a newer Workerbee.", "Update Workerbee, then join again.", 6)
    MANIFEST_ROLLED_BACK = _Words(
        "The swarm shows an older description of this run than the one you have seen before.",
        "Try again in a few minutes; if it stays, ask the organiser.",
        6,
    )
    ORGANISER_CHANGED = _Words(
        "This run is now signed by somebody else than before.",
        "Ask the organiser, by another way than this address, whether the key was changed.",
        6,
    )
    CLOCK_WRONG = _Words(
        "This computer's clock and the swarm's differ by more than 3 seconds.",
        "Set the clock from the network (for example `timedatectl set-ntp true`), then try again.",
        7,
    )
    FOLDER_NOT_WRITABLE = _Words(
        "A folder of Workerbee cannot be written.",
        "Give yourself write access to it, or choose another with the variable WORKERBEE_HOME.",
        7,
    )
    DISK_FULL = _Words("The disk is full.", "Free some space; what was saved before is still whole.", 7)
    CHECKPOINT_DAMAGED = _Words(
        "A checkpoint could not be read.",
        "It was kept aside under another name; training goes on without it.",
        7,
    )
    SETTINGS_DAMAGED = _Words(
        "A settings file could not be read.",
        "It was kept aside under another name; the defaults are used.",
        7,
    )
    HISTORY_NOT_KEPT = _Words(
        "What Workerbee remembers of its runs cannot be kept on disk for now.",
        "Workerbee tries again by itself; if it stays, mend what is named above.",
        7,
    )
    HISTORY_DAMAGED = _Words(
        "What Workerbee remembered of its runs could not be read.",
        "It was kept aside under another name, and a new file was begun.",
        7,
    )
    IDENTITY_DAMAGED = _Words(
        "A key file of yours is damaged.",
        "Put back a copy of it if you have one; or move it away, and a new identity is made.",
        7,
    )
    ALREADY_PUBLISHING = _Words(
        "This run is already being published from this computer.",
        "Stop the other `workerbee publish` first.",
        7,
    )
    PORT_TAKEN = _Words(
        "The port to listen on is taken by another program.",
        "Choose another with --listen /ip4/0.0.0.0/tcp/PORT, or end the other program.",
        7,
    )
    NOT_REACHABLE = _Words(
        "Others cannot reach this computer.",
        "Join with --network client: outgoing connections are enough to help.",
        7,
    )
    NETWORK_CHANGED = _Words(
        "The way in which others reach this computer has changed.",
        "Nothing to do: training goes on in a moment.",
        7,
    )
    STATE_NOT_LOADED = _Words(
        "The run's current state could not be downloaded from any peer.",
        "Try again in a few minutes; a slow or blocked connection is the usual cause.",
        7,
    )
    STATE_REFUSED = _Words(
        "A state of the run was refused because it cannot be right.",
        "Another computer is asked for one; you need not do anything.",
        7,
    )
    NOT_FINITE = _Words(
        "What this computer computes is not always a number.",
        "That is never given to others; if it stays, update the GPU's driver, or lend another device.",
        7,
    )
    SWARM_LOST = _Words(
        "The connection to the other computers was lost.",
        "Workerbee joins them again by itself; if that fails, check that you are online.",
        4,
    )
    FILES_UNREACHABLE = _Words(
        "Something that this run needs cannot be fetched just now.",
        "Workerbee tries again by itself; if it stays, check that you are online, then ask the organiser.",
        7,
    )
    FILES_REFUSED = _Words(
        "Something that this run names was refused.",
        "It is not what the run says, or could run foreign code: tell the organiser what is named above.",
        6,
    )
    IMAGES_LEFT_OUT = _Words(
        "Some images of this run cannot be used.",
        "They are left out, and training goes on; the organiser may like to know what is named above.",
        7,
    )
    NO_ROOM = _Words(
        "There is not enough room for what this run needs.",
        "Free some space, or raise the limit for Workerbee's data in the settings.",
        7,
    )
    OUT_OF_MEMORY = _Words(
        "The device ran out of memory.", "Close other programs that use it, or choose another device.", 7
    )
    FIT_UNKNOWN = _Words(
        "How much fits on this computer cannot be measured beforehand.",
        "You may start all the same: training takes fewer samples at a time where memory runs out.",
        7,
    )
    ENGINE_MISSING = _Words(
        "The training engine is not installed or does not start.",
        "Make it anew: `workerbee engine make` does it; from source, `make demo`.",
        7,
    )
    PROTOCOL_MISMATCH = _Words(
        "The training engine is of another version than this program.",
        "Make it anew: `workerbee engine make` does it; from source, `make demo`.",
        7,
    )
    ENGINE_NOT_MADE = _Words(
        "The training engine has not been made yet.",
        "Open the window, which offers to make it, or run `workerbee engine make`.",
        7,
    )
    ENGINE_NOT_OFFERED = _Words(
        "This Workerbee has no training engine for this computer's Python.",
        "Update Workerbee; it is made for Python 3.11 to 3.13.",
        7,
    )
    ENGINE_BUSY = _Words(
        "The training engine is in use, or is just being made.",
        "Wait until that is over, or end it first.",
        7,
    )
    ENGINE_NOT_ASSEMBLED = _Words(
        "The training engine could not be put together.",
        "Try again: what was downloaded is kept; if it stays, please report the log.",
        7,
    )
    STILL_RUNNING = _Words("Workerbee still trains.", "Leave the run and quit first, then try again.", 7)
    DOWNLOAD_CUT = _Words(
        "The download was cut off.",
        "Check that you are online and try again: it goes on where it stopped.",
        4,
    )
    DOWNLOAD_WRONG = _Words(
        "A downloaded file is not what it should be.",
        "It was thrown away. Try again; if it stays, somebody on the way changes files, or Workerbee needs an update.",
        6,
    )
    WORKER_CRASHED = _Words(
        "The training process ended unexpectedly.",
        "The log named above tells more; `workerbee doctor` looks for the usual causes.",
        7,
    )
    WORKER_NONSENSE = _Words(
        "The training process said something that is no event.", "It was stopped; please report the log.", 7
    )
    INTERNAL = _Words("Something went wrong that Workerbee did not foresee.", "Please report the log named above.", 7)

    @property
    def title(self) -> str:
        """What happened, in one sentence."""
        return self.value.title

    @property
    def advice(self) -> str:
        """What to do about it, in one sentence."""
        return self.value.advice

    @property
    def exit_code(self) -> int:
        """What the command line's process ends with."""
        return self.value.exit_code

    @property
    def key(self) -> str:
        """The name that crosses the pipe, such as ``nobody_answers``."""
        return self.name.lower()

    @classmethod
    def from_key(cls, key: str) -> ErrorKind:
        """The problem of that key; an unknown key, from a newer worker, is an internal problem."""
        return cls.__members__.get(key.upper(), cls.INTERNAL)


class UserError(Exception):
    """A problem on its way to a person; ``detail`` says what in particular, in a sentence or less."""

    def __init__(self, problem: ErrorKind, detail: str = "") -> None:
        super().__init__(f"{problem.title} {detail}".strip())
        self.problem = problem
        self.detail = detail
