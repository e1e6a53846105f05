"""Ask all peers of a run that was published from here to go back to one of its checkpoints."""

from __future__ import annotations

from core.errors import ErrorKind, UserError
from core.files.atomic import storage_problem
from core.files.locks import PeerFiles
from core.localizable import localized
from core.records.published.checkpoint_header import KeptCheckpoint
from core.records.published.checkpoint_history import CheckpointHistory, file_hash
from core.run.steering.control_value import ControlValue
from core.run.steering.kept_control import ask_control, asked_control


def checkpoint_to_go_back_to(files: PeerFiles, epoch: int) -> KeptCheckpoint:
    """The checkpoint of that epoch, which stays for the next few that are saved; raises UserError."""
    history = CheckpointHistory(files.checkpoint_file)
    try:
        found = history.of_epoch(epoch)
    except OSError as error:
        raise storage_problem(error, files.checkpoint_file) from error
    if found is None:
        kept = ", ".join(str(each.epoch) for each in history.all())
        raise UserError(
            ErrorKind.USAGE,
            localized("There is no checkpoint of epoch %1. Those that are kept: %2.", epoch, kept or "-"),
        )
    return found


def order_rollback(files: PeerFiles, organiser: str, run_id: str, epoch: int, now: float) -> ControlValue:
    """Have all go on from the checkpoint of that epoch; ``now`` is in seconds since 1970. Raises UserError.

    The process that publishes the run signs it, now or when it is started.
    """
    control = asked_control(files, organiser, run_id)
    if control.order.state in ("draining", "ended"):
        raise UserError(ErrorKind.USAGE, localized("The run comes to its end: `workerbee steer RUN resume` first."))
    found = checkpoint_to_go_back_to(files, epoch)
    try:
        sha256 = file_hash(found.path)
    except OSError as error:
        raise storage_problem(error, found.path) from error
    control = control.rolled_back(epoch, sha256, now)
    ask_control(files, control)
    return control
