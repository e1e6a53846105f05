"""When each device was free for training and when it was not, as lines of a list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.placeholders import fill_placeholders
from core.records.pauses import Interval
from core.texts import figures
from core.texts.availability import rule_name
from core.texts.device import short_label_of
from core.texts.localization import translate


def lines_of(intervals: Iterable[Interval], most: int | None = None) -> list[str]:
    """Return a line for each interval, the newest first, and for each device ``most`` at the most.

    Where there are several devices, they follow one another, and each line begins with its device: ``GPU 1: since …``.
    """
    newest = sorted(intervals, key=lambda each: each.began, reverse=True)
    devices = sorted({each.device for each in newest if each.device})
    if len(devices) < 2:
        return [line_of(each) for each in newest[:most]]
    older = [line_of(each) for each in newest if not each.device]
    return [line for device in devices for line in _lines_of_device(device, newest, most)] + older[:most]


def line_of(interval: Interval) -> str:
    """Return an interval as ``14:02 – 15:31 · paused: games (tuxkart)``."""
    began = figures.clock(interval.began.timestamp())
    if interval.ended is None:
        when = fill_placeholders(translate("Pauses", "since %1"), began)
    else:
        when = f"{began} – {figures.clock(interval.ended.timestamp())}"
    return f"{when} · {_state(interval)}"


def _lines_of_device(device: str, intervals: Sequence[Interval], most: int | None) -> list[str]:
    name = short_label_of(device)
    return [f"{name}: {line_of(each)}" for each in intervals if each.device == device][:most]


def _state(interval: Interval) -> str:
    if interval.rule is None:
        return translate("Pauses", "free for training")
    if interval.subject:
        words = translate("Pauses", "paused: %1 (%2)")
        return fill_placeholders(words, rule_name(interval.rule), interval.subject)
    return fill_placeholders(translate("Pauses", "paused: %1"), rule_name(interval.rule))
