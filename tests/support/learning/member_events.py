"""What a member of a small swarm has told so far, as its folder has it."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from core.protocol.codec import decode_event
from core.protocol.events import CaughtUp

_Event = TypeVar("_Event")


def events_in(folder: Path, kind: type[_Event]) -> list[_Event]:
    """What the member has told, of that kind."""
    path = folder / "events"
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [event for event in map(decode_event, lines) if isinstance(event, kind)]


def has_kept_changes(folder: Path) -> bool:
    """Whether the member has caught up with the others and kept what it had changed meanwhile."""
    return any(each.kept for each in events_in(folder, CaughtUp))
