"""Every error that a person can meet: what happened, and what to do; ``core.texts.errors`` translates the words."""

from __future__ import annotations

from enum import Enum

from core.error_text import ErrorText, Worded
from core.localizable import Detail


class ErrorKind(Worded, Enum):
    """An error that a person can meet; its name in lower case is sent between processes, its texts are not."""

    USAGE = ErrorText(
        "That cannot be done.",
        "Try it in another way; the reason is named above.",
        2,
        terminal_advice="See `workerbee --help`, or `workerbee COMMAND --help`.",
    )
    RUN_FILE_WRONG = ErrorText(
        "The run file has a mistake.",
        "Ask its author to correct what is named above, or choose another file.",
        2,
        terminal_advice="Correct the fields named above; `workerbee run new` writes a correct file, with comments.",
    )
    SEVERAL_RUNS = ErrorText(
        "There are several runs at that address.", "Choose one of them.", 2, terminal_advice="Name one with --run ID."
    )
    NO_SUCH_DEVICE = ErrorText(
        "This computer does not have the device that you chose.",
        "Choose another one, or let Workerbee choose.",
        2,
        terminal_advice="Choose one that `workerbee doctor` lists, or --device auto.",
    )
    DEVICE_UNSUITED = ErrorText(
        "The device that you chose cannot train this run.",
        "Choose another one in the settings, or look for another run to help.",
        7,
        terminal_advice="Choose another with --device (see `workerbee doctor`), or look for another run to help.",
    )
    GPU_UNUSABLE = ErrorText(
        "The driver knows this GPU, but it cannot compute.",
        "Restart the computer, which an update of the driver needs. If it stays so, install NVIDIA's driver anew, or "
        "choose the CPU.",
        7,
        terminal_advice=(
            "Restart the computer, which an update of the driver needs; a container needs all of /dev/nvidia*. If it "
            "stays so, install NVIDIA's driver anew, or take --device cpu."
        ),
    )
    ADDRESS_UNREADABLE = ErrorText(
        "This address cannot be read.",
        "Copy the whole line that the organiser posted.",
        3,
        terminal_advice=(
            "Copy the whole line that the organiser posted; it looks like "
            "/ip4/203.0.113.5/tcp/31337/p2p/12D3KooW… or workerbee://join?peer=…."
        ),
    )
    NOBODY_ANSWERS = ErrorText(
        "Nobody answers at that address.",
        "Check that you are online, then ask the organiser whether the run is up, and its address right.",
        4,
    )
    NO_SUCH_RUN = ErrorText(
        "Somebody answers there, but publishes no such run.",
        "Ask the organiser for a new address; or, if they gave you a run file (.toml), open it here.",
        5,
        terminal_advice="Ask the organiser for a new address; or, if they gave you a run file, add --recipe run.toml.",
    )
    RUN_NOT_OPEN = ErrorText(
        "This run takes no volunteers now.", "Nothing is wrong here; look for another run to help.", 5
    )
    BLOCKED = ErrorText(
        "The organiser of this run has blocked this computer.",
        "Ask the organiser why. If what this computer has sent was wrong, its memory or its GPU may be faulty.",
        5,
    )
    NOT_INVITED = ErrorText(
        "This run is closed: it takes only those whom its organiser has invited.",
        "Ask the organiser for an invitation, and paste it with the address.",
        5,
        terminal_advice=(
            "Ask the organiser for an invitation; `workerbee ticket` shows the key to send. Then join with the link, "
            "or with --invitation FILE."
        ),
    )
    INVITATION_ENDED = ErrorText(
        "Your invitation to this run has ended.", "Ask the organiser for a new one, if you wish to go on.", 5
    )
    INVITATION_UNANSWERED = ErrorText(
        "Nobody is there to redeem your invitation.",
        "Try again when the run's organiser, or one of its keepers, is online.",
        4,
    )
    MANIFEST_REFUSED = ErrorText(
        "What the swarm says about the run was refused.",
        "Do not join before the organiser has explained it: the description may be damaged or forged.",
        6,
    )
    CATALOGUE_REFUSED = ErrorText("This list of runs was refused.", "Ask its publisher what is wrong with it.", 6)
    RECEIPTS_REFUSED = ErrorText("Some of the receipts are refused.", "Ask whoever sent them; each has its reason.", 6)
    MANIFEST_TOO_NEW = ErrorText("The run was described by a newer Workerbee.", "Update Workerbee, then join again.", 6)
    WORKERBEE_TOO_OLD = ErrorText("The organiser asks for a newer Workerbee.", "Update Workerbee, then join again.", 6)
    MANIFEST_ROLLED_BACK = ErrorText(
        "The swarm shows an older description of this run than the one you have seen before.",
        "Try again in a few minutes; if it stays, ask the organiser.",
        6,
    )
    ORGANISER_CHANGED = ErrorText(
        "This run is now signed by somebody else than before.",
        "Ask the organiser, by another way than this address, whether the key was changed.",
        6,
        terminal_advice=(
            "Ask the organiser, by another way than this address, whether the key was changed; if it was, "
            "`workerbee forget RUN` makes way for the new one."
        ),
    )
    RUN_CHANGED = ErrorText(
        "The organiser has changed this run since you agreed to it.",
        "Look at what has changed, and press Start if you agree to that, too.",
        6,
        terminal_advice=(
            "Nothing of it was computed. Look at it with `workerbee inspect ADDRESS`, then join again if you agree."
        ),
    )
    CLOCK_WRONG = ErrorText(
        "This computer's clock and the swarm's differ by more than 3 seconds.",
        "Have the system set the clock from the network, then try again.",
        7,
        terminal_advice="Set the clock from the network (for example `timedatectl set-ntp true`), then try again.",
    )
    FOLDER_NOT_WRITABLE = ErrorText(
        "A folder of Workerbee cannot be written.",
        "Give yourself write access to it, or choose another one in the settings.",
        7,
        terminal_advice="Give yourself write access to it, or choose another with the variable WORKERBEE_HOME.",
    )
    FOLDER_SHARED = ErrorText(
        "A folder of Workerbee is not yours alone.",
        "Own it yourself and let nobody else write in it: your keys are there. Or choose another folder.",
        7,
        terminal_advice=(
            "Own it yourself (`chown`) and let nobody else write in it (`chmod go-w`): your keys are there. Or choose "
            "another with the variable WORKERBEE_HOME."
        ),
    )
    DISK_FULL = ErrorText("The disk is full.", "Free some space; what was saved before is still whole.", 7)
    CHECKPOINT_DAMAGED = ErrorText(
        "A checkpoint could not be read.", "It was renamed and kept; training goes on without it.", 7
    )
    CHECKPOINT_UNUSABLE = ErrorText(
        "A checkpoint of the run is damaged.", "The one before it is taken; if you named this one, name another.", 7
    )
    NO_CHECKPOINT = ErrorText("There is no checkpoint to export.", "Publish the run until it has saved one.", 7)
    EXPERTS_LACKING = ErrorText("States of experts are old or missing.", "Publish the run while they are hosted.", 7)
    PUSH_FAILED = ErrorText(
        "The model was not pushed to the hub.", "What is there is unchanged; the next push takes what is new then.", 7
    )
    SETTINGS_DAMAGED = ErrorText(
        "A settings file could not be read.", "It was renamed and kept; the defaults are used.", 7
    )
    HISTORY_NOT_KEPT = ErrorText(
        "The history of runs cannot be written to disk at the moment.",
        "Workerbee tries again by itself; if it persists, repair what is named above.",
        7,
    )
    HISTORY_DAMAGED = ErrorText(
        "The history of runs could not be read.", "It was renamed and kept, and a new file was started.", 7
    )
    IDENTITY_DAMAGED = ErrorText(
        "A key file of yours is damaged.",
        "Put back a copy of it if you have one; or move it away, and a new identity is made.",
        7,
    )
    ALREADY_PUBLISHING = ErrorText(
        "This run is already being published from this computer.", "End the other program that publishes it first.", 7
    )
    PORT_TAKEN = ErrorText(
        "The port to listen on is taken by another program.",
        "Choose another one in the settings, or end the other program.",
        7,
        terminal_advice="Choose another with --listen /ip4/0.0.0.0/tcp/PORT, or end the other program.",
    )
    NOT_REACHABLE = ErrorText(
        "Others cannot reach this computer.",
        "Choose outgoing connections only in the settings: they are enough to help.",
        7,
        terminal_advice="Join with --network client: outgoing connections are enough to help.",
    )
    HOST_NOT_REACHABLE = ErrorText(
        "Others do not reach this computer: it serves nobody.", "Let it train instead, or open a port for it.", 7
    )
    EXPERTS_AWAY = ErrorText(
        "Nobody answers for a layer's experts now.", "Training waits, or skips that layer, as the run says.", 7
    )
    NETWORK_CHANGED = ErrorText(
        "The way in which others reach this computer has changed.", "Nothing to do: training goes on in a moment.", 7
    )
    RUN_ROLLED_BACK = ErrorText("The organiser has gone back to an earlier epoch.", "Training goes on from there.", 7)
    SAME_PEER_ID = ErrorText(
        "Another computer takes part with this one's key.", "Let only one computer with a copy of its data run.", 6
    )
    RUN_TAKEN_OVER = ErrorText("Another computer leads this run now.", "Volunteers need not do anything.", 7)
    STATE_NOT_LOADED = ErrorText(
        "The run's current state could not be downloaded from any peer.",
        "Try again in a few minutes; a slow or blocked connection is the usual cause.",
        7,
    )
    STATE_REFUSED = ErrorText(
        "A state of the run was refused because it cannot be right.",
        "Another computer is asked for one; you need not do anything.",
        7,
    )
    MIRROR_UNUSABLE = ErrorText(
        "The run's mirror is of no use just now.",
        "You need not do anything: the state comes from another computer instead.",
        7,
    )
    NOT_FINITE = ErrorText(
        "This computer's results are not always finite numbers.",
        "They are never sent to others; if it persists, update the GPU's driver, or lend another device.",
        7,
    )
    MODEL_UNLEARNED = ErrorText(
        "The run's model has become worse.", "Tell its organiser; Workerbee looks again by itself.", 7
    )
    GRADIENTS_STALE = ErrorText(
        "Epochs are too short for their averaging.", "Raise target_batch_size, by `run edit` or in the run file.", 7
    )
    SWARM_LOST = ErrorText(
        "The connection to the other computers was lost.",
        "Workerbee joins them again by itself; if that fails, check that you are online.",
        4,
    )
    FILES_UNREACHABLE = ErrorText(
        "Something that this run needs cannot be fetched just now.",
        "Workerbee tries again by itself; if it stays, check that you are online, then ask the organiser.",
        7,
    )
    FILES_REFUSED = ErrorText(
        "Something that this run names was refused.",
        "It is not what the run says, or could run foreign code: tell the organiser what is named above.",
        6,
    )
    IMAGES_LEFT_OUT = ErrorText(
        "Some images of this run cannot be used.",
        "They are left out, and training goes on; the organiser may like to know what is named above.",
        7,
    )
    NO_ROOM = ErrorText(
        "There is not enough room for what this run needs.",
        "Free some space, or raise the limit for Workerbee's data in the settings.",
        7,
    )
    CHANGE_GIVEN_UP = ErrorText("The run keeps its data.", "Put right what is named above, then ask again.", 6)
    OUT_OF_MEMORY = ErrorText("The device ran out of memory.", "Close programs that use it, or choose another.", 7)
    FIT_UNKNOWN = ErrorText(
        "How much fits on this computer cannot be measured beforehand.",
        "You may start all the same: training takes fewer samples at a time where memory runs out.",
        7,
    )
    ENGINE_MISSING = ErrorText(
        "The training engine is not installed or does not start.",
        "Make it anew, or install Workerbee again; the log tells what it lacks.",
        7,
        terminal_advice="Make it anew: `workerbee engine make` does it; from source, `make demo`.",
    )
    PROTOCOL_MISMATCH = ErrorText(
        "The training engine is of another version than this program.",
        "Make it anew, so that both are of the same age.",
        7,
        terminal_advice="Make it anew: `workerbee engine make` does it; from source, `make demo`.",
    )
    ENGINE_NOT_MADE = ErrorText(
        "The training engine has not been made yet.",
        "Workerbee makes it for you as soon as you agree.",
        7,
        terminal_advice="Open the window, which offers to make it, or run `workerbee engine make`.",
    )
    ENGINE_NOT_OFFERED = ErrorText(
        "This Workerbee has no training engine for this computer's Python.",
        "Update Workerbee; it is made for Python 3.11 to 3.14.",
        7,
    )
    ENGINE_BUSY = ErrorText(
        "The training engine is in use, or is just being made.", "Wait until that is over, then try again.", 7
    )
    ENGINE_NOT_ASSEMBLED = ErrorText(
        "The training engine could not be put together.",
        "Try again: what was downloaded is kept. If it stays so, please report the log.",
        7,
    )
    STILL_RUNNING = ErrorText("Workerbee is still training.", "Leave the run and quit first, then try again.", 7)
    DOWNLOAD_CUT = ErrorText(
        "The download was cut off.", "Check that you are online and try again: it goes on where it stopped.", 4
    )
    DOWNLOAD_WRONG = ErrorText(
        "A downloaded file is not what it should be.",
        "It was thrown away. Try again; if it stays so, somebody on the way changes files, or an update is needed.",
        6,
    )
    UPDATE_UNANSWERED = ErrorText("No signed notice of a newer version came.", "Try again when you are online.", 4)
    UPDATE_REFUSED = ErrorText("The newer version was not installed.", "The one that is installed is as it was.", 7)
    WORKER_CRASHED = ErrorText(
        "The training process ended unexpectedly.",
        "The log tells more; joining again often helps.",
        7,
        terminal_advice="The log named above tells more; `workerbee doctor` looks for the usual causes.",
    )
    WORKER_NONSENSE = ErrorText(
        "The training process sent a message that is not valid.", "It was stopped; please report the log.", 7
    )
    NOT_RUNNING = ErrorText(
        "Workerbee's window is not open.",
        "Open it from the menu of programs.",
        7,
        terminal_advice="Open it with `workerbee`; it may be hidden with `workerbee --minimised`.",
    )
    NO_ANSWER = ErrorText(
        "Workerbee's window is open, but does not answer.",
        "Wait a little. If it stays so, end its process and start it again.",
        7,
    )
    NO_SERVICE_MANAGER = ErrorText(
        "Nothing here can run Workerbee as a service.",
        "Let the window start at login instead, or have `workerbee join ADDRESS --yes` started in another way.",
        7,
    )
    SERVICE_REFUSED = ErrorText(
        "The service manager has refused.",
        "What it says is named above; `systemctl --user status workerbee` may tell more.",
        7,
    )
    INTERNAL = ErrorText("An unexpected error occurred.", "Please report the log.", 7)

    @classmethod
    def from_key(cls, key: str) -> ErrorKind:
        """The error kind of that key; an unknown key, from a newer worker, is an internal error."""
        return cls.__members__.get(key.upper(), cls.INTERNAL)


class UserError(Exception):
    """An error on its way to a person; ``detail`` says what in particular, in a sentence or less."""

    def __init__(self, problem: ErrorKind, detail: Detail = "") -> None:
        super().__init__(f"{problem.title} {detail}".strip())
        self.problem = problem
        self.detail = detail
