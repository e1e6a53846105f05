"""When each device trained, was slowed or paused, and why, as lines of a list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.availability.pacing import Pace
from core.availability.verdicts import FULL_SCREEN, MONTH, OTHER_USER
from core.placeholders import fill_placeholders
from core.records.pauses import Interval, OwnPause
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
    if interval.pause is not None:
        return _own_pause(interval.pause)
    if interval.pace is not None:
        return _slowed(interval.pace)
    if interval.rule is None:
        return translate("Pauses", "free for training")
    subject = _subject(interval)
    if subject:
        words = translate("Pauses", "paused: %1 (%2)")
        return fill_placeholders(words, rule_name(interval.rule), subject)
    return fill_placeholders(translate("Pauses", "paused: %1"), rule_name(interval.rule))


def _subject(interval: Interval) -> str:
    match interval.rule, interval.subject:
        case "idle", subject if subject == OTHER_USER:
            return translate("Pauses", "another user")
        case "game", subject if subject == FULL_SCREEN:
            return translate("Pauses", "a full-screen program")
        case "data", subject if subject == MONTH:
            return translate("Pauses", "this month's")
        case "price", _:
            return ""
    return interval.subject


def _own_pause(pause: OwnPause) -> str:
    match pause:
        case "person":
            return translate("Pauses", "paused by you")
        case "epoch_finished":
            return translate("Pauses", "paused by you, after an epoch")
        case "sleep":
            return translate("Pauses", "asleep")


def _slowed(pace: Pace) -> str:
    """The slowest that it was: ``slowed to 60 %: GPU at 83 °C``."""
    match pace.cause:
        case "presence":
            words = translate("Pauses", "slowed to %1: somebody at this computer")
        case _ if not pace.is_measured:
            words = translate("Pauses", "slowed to %1: the GPU could not be measured")
        case "heat":
            words = translate("Pauses", "slowed to %1: GPU at %2 °C")
        case "power":
            words = translate("Pauses", "slowed to %1: GPU at %2 W")
        case _:
            words = translate("Pauses", "slowed to %1: fan at %2 %")
    return fill_placeholders(words, figures.share(pace.compute_share), figures.count(round(pace.measured)))
