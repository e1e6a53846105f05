"""Why nothing is computed although a run is joined, and when it goes on, in words for the computer's owner."""

from __future__ import annotations

from datetime import datetime

from core.availability.arbiter import REST_SECONDS
from core.availability.decision import Decision, Reason, RuleName
from core.availability.local_time import after, next_midnight
from core.availability.pacing import Pace
from core.availability.rules import AvailabilityRules
from core.availability.verdicts import ENOUGH_DISK_BYTES, FULL_SCREEN, MONTH, OTHER_USER
from core.placeholders import fill_placeholders
from core.security.sanitize import sanitize_line
from core.texts import figures
from core.texts.localization import translate

_BETWEEN = " · "
_LONGEST_NAME = 60


def pause(decision: Decision, rules: AvailabilityRules) -> str:
    """Return the foremost reason of a decision that has one: ``Paused: Blender is using this GPU · goes on …``."""
    foremost, others = decision.reasons[0], len(decision.reasons) - 1
    words = _waiting(foremost, rules) or fill_placeholders(
        translate("Availability", "Paused: %1"), reason(foremost, rules)
    )
    more = translate("Availability", "%n more reason(s)", "", others) if others else ""
    return _BETWEEN.join(part for part in (words, more) if part)


def reason(reason: Reason, rules: AvailabilityRules) -> str:
    """Return one reason and what comes next: ``Blender is using this GPU · goes on 5 minutes after that ends``."""
    cause = _past(reason) if reason.is_over else _cause(reason)
    return _BETWEEN.join(part for part in (cause, _unseen(reason), _next(reason, rules)) if part)


def slowed(pace: Pace) -> str:
    """Return why training is slower than it could be: ``Slowed to 60 %: GPU at 83 °C, your limit is 80``."""
    match pace.cause:
        case "heat" if not pace.is_measured:
            words = translate("Availability", "Slowed to %1: the GPU cannot be measured any more, your limit is %3 °C")
        case "power" if not pace.is_measured:
            words = translate("Availability", "Slowed to %1: the GPU cannot be measured any more, your limit is %3 W")
        case "noise" if not pace.is_measured:
            words = translate("Availability", "Slowed to %1: the fan cannot be measured any more, your limit is %3 %")
        case "heat":
            words = translate("Availability", "Slowed to %1: GPU at %2 °C, your limit is %3")
        case "power":
            words = translate("Availability", "Slowed to %1: GPU at %2 W, your limit is %3")
        case "presence":
            words = translate("Availability", "Slowed to %1: somebody is using this computer")
        case _:
            words = translate("Availability", "Slowed to %1: fan at %2 %, your limit is %3")
    numbers = (figures.count(round(pace.measured)), figures.count(round(pace.limit)))
    return fill_placeholders(words, figures.share(pace.compute_share), *numbers)


def ignored(decision: Decision) -> str:
    """Return which rules do not count for now because the owner said so, and until when; empty where there are none."""
    if decision.ignored_until is None:
        return ""
    words = (
        translate("Availability", "ignored until it is over, or until %2: %1")
        if decision.is_ignored_once
        else translate("Availability", "ignored until %2: %1")
    )
    names = ", ".join(rule_name(rule) for rule in decision.ignored)
    return fill_placeholders(words, names, figures.clock(decision.ignored_until.timestamp()))


def rule_name(rule: RuleName) -> str:
    """Return what the rule is about, as one of a list."""
    match rule:
        case "disk":
            return translate("Availability", "free disk space")
        case "battery":
            return translate("Availability", "battery")
        case "power_saver":
            return translate("Availability", "power saver")
        case "metered":
            return translate("Availability", "metered connection")
        case "data":
            return translate("Availability", "data volume")
        case "game":
            return translate("Availability", "games")
        case "program":
            return translate("Availability", "programs")
        case "gpu":
            return translate("Availability", "use of the GPU")
        case "film":
            return translate("Availability", "films")
        case "memory":
            return translate("Availability", "memory")
        case "cpu":
            return translate("Availability", "use of the CPU")
        case "idle":
            return translate("Availability", "your presence")
        case "hours":
            return translate("Availability", "hours")
        case "price":
            return translate("Availability", "price of electricity")


def price_problem(problem: str) -> str:
    """Return why the price of this hour is not known; the problem is a ``PriceProblem``."""
    match problem:
        case "missing":
            return translate("Availability", "the file of prices is missing")
        case "unfetched":
            return translate("Availability", "the prices have not been fetched yet")
        case "old":
            return translate("Availability", "the file of prices says nothing of this hour")
        case _:
            return translate("Availability", "the file of prices cannot be read")


def _waiting(reason: Reason, rules: AvailabilityRules) -> str:
    """The rules that name a time at which the computer is free are no trouble, but waited for."""
    if reason.is_over or not reason.can_see:
        return ""
    if reason.rule == "idle" and reason.subject != OTHER_USER:
        minutes = rules.idle_minutes or 0
        words = translate("Availability", "Waiting until nobody has used this computer for %n minute(s)", "", minutes)
        return _at_the_earliest(words, reason)
    if reason.until is None or reason.rule not in ("hours", "price"):
        return ""
    words = (
        translate("Availability", "Waiting for %1 (your hours)")
        if reason.rule == "hours"
        else translate("Availability", "Waiting for %1 (cheap electricity)")
    )
    return fill_placeholders(words, figures.clock(reason.until.timestamp()))


def _cause(reason: Reason) -> str:
    match reason.rule:
        case "disk":
            return translate("Availability", "the disk is almost full")
        case "battery":
            return translate("Availability", "this computer runs on its battery")
        case "power_saver":
            return translate("Availability", "the desktop saves power")
        case "metered":
            return translate("Availability", "this connection is metered")
        case "data" if reason.subject == MONTH:
            return translate("Availability", "this month's data volume is used up")
        case "data":
            return translate("Availability", "today's data volume is used up")
        case "game" if reason.subject == FULL_SCREEN:
            return translate("Availability", "a full-screen program is in front")
        case "memory":
            return translate("Availability", "memory is short")
        case "cpu":
            return translate("Availability", "other programs need the CPU")
        case "hours":
            return translate("Availability", "outside your hours")
        case "idle" if reason.subject == OTHER_USER:
            return translate("Availability", "another user is at this computer")
        case "idle" if not reason.can_see:
            return translate("Availability", "it cannot be seen here whether you are away")
        case "idle":
            return translate("Availability", "you are using this computer")
        case "price" if not reason.can_see:
            return price_problem(reason.subject)
        case "price":
            return translate("Availability", "electricity is expensive at this hour")
        case _:
            return _program_runs(reason)


def _unseen(reason: Reason) -> str:
    """That a rule goes on asking for what it saw last; idle time and prices have words of their own."""
    if reason.can_see or reason.rule == "price" or (reason.rule == "idle" and reason.subject != OTHER_USER):
        return ""
    return translate("Availability", "seen last, and cannot be seen now")


def _program_runs(reason: Reason) -> str:
    match reason.rule:
        case "gpu":
            words = translate("Availability", "%1 is using this GPU")
        case "film":
            words = translate("Availability", "%1 is playing")
        case _:
            words = translate("Availability", "%1 is running")
    name = sanitize_line(reason.subject, _LONGEST_NAME) or translate("Availability", "another program")
    return fill_placeholders(words, name)


def _past(reason: Reason) -> str:
    match reason.rule:
        case "disk":
            return translate("Availability", "the disk has room again")
        case "battery":
            return translate("Availability", "this computer is back on mains power")
        case "power_saver":
            return translate("Availability", "the desktop no longer saves power")
        case "metered":
            return translate("Availability", "this connection is no longer metered")
        case "data":
            return translate("Availability", "there is data volume again")
        case "game" if reason.subject == FULL_SCREEN:
            return translate("Availability", "no full-screen program is in front any more")
        case "memory":
            return translate("Availability", "memory is no longer short")
        case "cpu":
            return translate("Availability", "other programs no longer need the CPU")
        case "hours":
            return translate("Availability", "your hours have begun")
        case "idle":
            return translate("Availability", "you are away")
        case "price":
            return translate("Availability", "electricity is cheap again")
        case "gpu":
            return translate("Availability", "no other program is using this GPU any more")
        case _:
            name = sanitize_line(reason.subject, _LONGEST_NAME) or translate("Availability", "the other program")
            return fill_placeholders(translate("Availability", "%1 has ended"), name)


def _next(reason: Reason, rules: AvailabilityRules) -> str:
    """When training goes on, as far as that is known."""
    if reason.rule == "idle" and reason.subject == OTHER_USER and not reason.is_over:
        return ""
    if reason.rule == "idle" and reason.can_see and not reason.is_over:
        minutes = rules.idle_minutes or 0
        words = translate("Availability", "goes on when nobody has used it for %n minute(s)", "", minutes)
        return _at_the_earliest(words, reason)
    if reason.until is not None and reason.until == next_midnight(datetime.now(reason.until.tzinfo)):
        return translate("Availability", "goes on tomorrow at 00:00")
    if reason.until is not None:
        return fill_placeholders(translate("Availability", "goes on %1"), figures.moment(reason.until.timestamp()))
    if reason.rule == "disk":
        words = translate("Availability", "goes on when %1 are free")
        return _at_the_earliest(fill_placeholders(words, figures.size(ENOUGH_DISK_BYTES)), reason)
    if reason.rule == "hours":
        return translate("Availability", "your week has no free hour")
    minutes = round(REST_SECONDS.get(reason.rule, 0.0) / 60)
    if minutes:
        return _at_the_earliest(translate("Availability", "goes on %n minute(s) after that ends", "", minutes), reason)
    return ""


def _at_the_earliest(words: str, reason: Reason) -> str:
    """What is waited for, and where the shortest pause may outlast that, its end: ``…, at 14:32 at the earliest``."""
    earliest = reason.not_before
    if earliest is None:
        return words
    now = datetime.now(earliest.tzinfo)
    met = reason.until or after(now, REST_SECONDS.get(reason.rule, 0.0)) or now
    if earliest <= now or met > earliest:
        return words
    told = translate("Availability", "%1, %2 at the earliest")
    return fill_placeholders(told, words, figures.moment(earliest.timestamp()))
