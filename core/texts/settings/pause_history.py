"""When this computer was free for training and when it was not, as lines of a list."""

from __future__ import annotations

from core.placeholders import fill_placeholders
from core.records.pauses import Interval
from core.texts import figures
from core.texts.availability import rule_name
from core.texts.localization import translate


def line_of(interval: Interval) -> str:
    """Return an interval as ``14:02 – 15:31 · paused: games (tuxkart)``."""
    began = figures.clock(interval.began.timestamp())
    if interval.ended is None:
        when = fill_placeholders(translate("Pauses", "since %1"), began)
    else:
        when = f"{began} – {figures.clock(interval.ended.timestamp())}"
    return f"{when} · {_state(interval)}"


def _state(interval: Interval) -> str:
    if interval.rule is None:
        return translate("Pauses", "free for training")
    if interval.subject:
        words = translate("Pauses", "paused: %1 (%2)")
        return fill_placeholders(words, rule_name(interval.rule), interval.subject)
    return fill_placeholders(translate("Pauses", "paused: %1"), rule_name(interval.rule))
