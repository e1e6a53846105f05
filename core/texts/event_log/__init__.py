"""The event log: what has happened, a line an event."""

from __future__ import annotations

from core.texts.event_log.lines import BETWEEN, line

__all__ = ["BETWEEN", "line"]
