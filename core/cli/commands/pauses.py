"""`pauses`: when each device was free for training in the last days, and why it was not."""

from __future__ import annotations

from datetime import datetime

from core.cli.output.json_lines import print_object
from core.cli.parser.pause_arguments import ListPauses
from core.files.folders import Folders
from core.records.pauses import Interval, PauseLog
from core.texts.settings.pause_history import lines_of


def list_pauses(command: ListPauses, folders: Folders) -> int:
    """Print a line for each interval, the newest first; programs get one object."""
    intervals = PauseLog(folders.contents.pauses_file).intervals(command.days, datetime.now().astimezone())
    if command.json:
        print_object("pauses", intervals=[_fields(each) for each in intervals])
    else:
        print("\n".join(lines_of(intervals)) or "Nothing was trained in these days.")
    return 0


def _fields(interval: Interval) -> dict[str, object]:
    return {
        "device": interval.device,
        "began": interval.began.isoformat(),
        "ended": None if interval.ended is None else interval.ended.isoformat(),
        "state": _state(interval),
        "rule": interval.rule,
        "subject": interval.subject,
        "share": None if interval.pace is None else interval.pace.compute_share,
        "cause": None if interval.pace is None else interval.pace.cause,
    }


def _state(interval: Interval) -> str:
    """Of the pauses that no rule has asked for, which it is: ``person``, ``epoch_finished`` or ``sleep``."""
    if interval.rule is not None:
        return "paused"
    return interval.pause or ("slowed" if interval.pace else "free")
