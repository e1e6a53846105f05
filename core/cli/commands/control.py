"""`pause`, `resume`, `status` and `quit`: commands to the window that is open, over its socket."""

from __future__ import annotations

from core.cli.output.json_lines import print_object
from core.cli.parser.control_arguments import ControlWindow
from core.cli.runner.displays import stream_for_people
from core.control.client import send_command
from core.control.messages import ControlCommand
from core.files.folders import Folders
from core.security.sanitize import sanitize_line

_UNSUITED_CODE = 1
_QUITTING = "Workerbee leaves the run, and its window closes."


def control(command: ControlWindow, folders: Folders) -> int:
    """Send the command and print the window's status; returns 1 where the command does not suit what it does.

    What the status was when the window began to close is of no use to anybody.
    """
    reply = send_command(ControlCommand(action=command.action, seconds=command.seconds), folders.data)
    stream = stream_for_people(command.json)
    print(_QUITTING if command.action == "quit" else sanitize_line(reply.sentence, 2000), file=stream)
    if command.json:
        print_object(command.action, done=reply.is_done, phase=reply.phase, run=reply.run, status=reply.sentence)
    return 0 if reply.is_done else _UNSUITED_CODE
