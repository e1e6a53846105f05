"""Commands to the open window over its Unix socket, without Qt."""

from __future__ import annotations

import socket
from pathlib import Path

import msgspec

from core.control.messages import MAX_BYTES, ControlCommand, ControlReply, decode_reply, encode
from core.control.place import meeting_place, socket_path
from core.errors import ErrorKind, UserError
from core.localizable import localized

ANSWER_SECONDS = 5.0


def send_command(command: ControlCommand, home: Path, seconds: float = ANSWER_SECONDS) -> ControlReply:
    """Send a command to the window of that data folder, and return its answer.

    Raises UserError: NOT_RUNNING where no window listens, NO_ANSWER where it does not answer for so many seconds.
    """
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(seconds)
            connection.connect(str(socket_path(meeting_place(home))))
            connection.sendall(encode(command))
            line = _line(connection)
    except (FileNotFoundError, ConnectionRefusedError) as error:
        raise UserError(ErrorKind.NOT_RUNNING) from error
    except OSError as error:
        raise UserError(ErrorKind.NO_ANSWER, localized("%1.", error)) from error
    try:
        return decode_reply(line)
    except msgspec.MsgspecError as error:
        raise UserError(
            ErrorKind.NO_ANSWER, localized("Its answer cannot be read; it may be of another version.")
        ) from error


def _line(connection: socket.socket) -> bytes:
    """The bytes up to the end of the line, or of the connection."""
    line = b""
    while not line.endswith(b"\n") and len(line) < MAX_BYTES and (part := connection.recv(4096)):
        line += part
    return line
