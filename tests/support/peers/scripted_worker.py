"""A worker that recites: a real process that answers each command with the events that a test has written.

    python reciting_worker.py PLAY

PLAY is a JSON file: for each opening command (``join``, ``publish``, ``check``) a list of acts, and an act is a list
of events. The first act follows the opening, the next one the next command. After the last it waits to leave, when it
recites the events of ``leave``. An event ``{"exit": 3}`` ends the process, and ``{"when": "file"}`` waits for a
file; a play with ``"deaf": true`` ends with its stdin only. Each command is appended to the file that a play has as
``journal``.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from core.protocol.codec import decode_command, encode
from core.protocol.commands import Leave
from core.protocol.events import Hello, Left
from core.protocol.types import PROTOCOL_VERSION


def say(line: bytes) -> None:
    """Emit it."""
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


def recite(act: list[dict[str, Any]]) -> None:
    """Emit the events of an act, as they are written."""
    for event in act:
        if "exit" in event:
            os._exit(event["exit"])
        if "when" in event:
            wait_for(Path(event["when"]))
            continue
        say(json.dumps(event).encode() + b"\n")


def note(play: dict[str, Any], line: bytes) -> None:
    """Keep the command in the play's ``journal``, if it has one."""
    if "journal" in play:
        with Path(play["journal"]).open("ab") as journal:
            journal.write(line)


def wait_for(file: Path) -> None:
    """Go on once somebody has written that file, or after a minute."""
    ends = time.monotonic() + 60
    while not file.exists() and time.monotonic() < ends:
        time.sleep(0.05)


def main() -> None:
    """Live one life."""
    play = json.loads(Path(sys.argv[1]).read_text())
    say(encode(Hello(protocol=PROTOCOL_VERSION, version="fake")))
    acts: list[list[dict[str, Any]]] | None = None
    for line in sys.stdin.buffer:
        command = decode_command(line)
        note(play, line)
        if isinstance(command, Leave):
            if play.get("deaf"):
                continue
            recite(play.get("leave", []))
            break
        acts = play[json.loads(line)["command"]] if acts is None else acts
        if acts:
            recite(acts.pop(0))
    say(encode(Left()))


if __name__ == "__main__":
    main()
