"""What each rule sees right now, in a few words beside its switch."""

from __future__ import annotations

from collections.abc import Mapping

from core.availability.decision import RuleName
from core.availability.rule_views import RuleView
from core.availability.rules import AvailabilityRules
from core.placeholders import fill_placeholders
from core.security.sanitize import sanitize_line
from core.texts import figures
from core.texts.availability import price_problem
from core.texts.localization import installed, translate
from core.texts.status import BETWEEN

_LONGEST_NAMES = 200


def sees(view: RuleView, rules: AvailabilityRules) -> str:
    """Return what the rule sees: ``on battery: no``, ``idle for 4 min``, ``cannot see``."""
    if not view.can_see:
        return _unobserved(view, rules)
    match view.rule:
        case "battery" | "power_saver" | "metered":
            return _yes_or_no(view)
        case "game":
            return _games(view)
        case "film" | "program":
            return _running(view)
        case "gpu" | "memory" | "cpu":
            return _share(view)
        case "idle" if view.is_so:
            return another_user()
        case "idle":
            return idle_time(view.amount or 0.0)
        case "disk":
            return fill_placeholders(translate("Rules", "%1 are free"), figures.size(view.amount or 0.0))
        case "data":
            return _traffic(view)
        case "hours":
            return _hours(view)
        case "price":
            return _price(view)


_FIELDS: dict[RuleName, tuple[str, ...]] = {
    "battery": ("is_on_battery",),
    "power_saver": ("is_power_saving",),
    "metered": ("is_metered",),
    "game": ("games", "full_screen"),
    "film": ("films",),
    "idle": ("idle_seconds",),
}
"""By rule, the fields of ``Observation`` that other programs tell."""


def told_by(rule: RuleName, sources: Mapping[str, str | None]) -> str:
    """Return which programs tell what a rule sees, by field: ``told by NetworkManager``; empty where none does."""
    names = ", ".join(name for field in _FIELDS.get(rule, ()) if (name := sources.get(field)))
    return fill_placeholders(translate("Rules", "told by %1"), names) if names else ""


def idle_time(seconds: float) -> str:
    """Return how long nobody has touched the computer: ``idle for 4 min``."""
    return fill_placeholders(translate("Rules", "idle for %1"), figures.about(seconds))


def another_user() -> str:
    """Return that somebody else is at the computer, in a session of their own."""
    return translate("Rules", "another user is at this computer")


def _traffic(view: RuleView) -> str:
    sizes = [figures.size(length) for length in (*(view.traffic or (0, 0)), *(view.month or ()))]
    if view.month is None:
        return fill_placeholders(translate("Rules", "today %1 sent and %2 received"), *sizes)
    words = translate("Rules", "today %1 sent and %2 received, this month %3 and %4")
    return fill_placeholders(words, *sizes)


def _unobserved(view: RuleView, rules: AvailabilityRules) -> str:
    if view.rule == "price":
        is_named = rules.price_file or rules.price_address
        return price_problem(*view.names) if is_named else translate("Rules", "there is no file of prices")
    if view.asks:
        return translate("Rules", "cannot see, so it waits")
    return translate("Rules", "cannot see")


def _yes_or_no(view: RuleView) -> str:
    match view.rule, view.is_so:
        case "battery", True if view.amount is not None:
            return fill_placeholders(translate("Rules", "on battery: yes, %1 left"), figures.share(view.amount))
        case "battery", True:
            return translate("Rules", "on battery: yes")
        case "battery", _:
            return translate("Rules", "on battery: no")
        case "power_saver", True:
            return translate("Rules", "saves power: yes")
        case "power_saver", _:
            return translate("Rules", "saves power: no")
        case _, True:
            return translate("Rules", "metered: yes")
        case _:
            return translate("Rules", "metered: no")


def _games(view: RuleView) -> str:
    """Either may be unseen: ``no game is running · full screen: cannot see``."""
    match view.is_so:
        case True:
            full_screen = translate("Rules", "full screen: yes")
        case False:
            full_screen = translate("Rules", "full screen: no")
        case None:
            full_screen = translate("Rules", "full screen: cannot see")
    return BETWEEN.join(part for part in (_running(view) if view.amount is not None else "", full_screen) if part)


def _running(view: RuleView) -> str:
    names = sanitize_line(", ".join(view.names), _LONGEST_NAMES)
    match view.rule, bool(names):
        case "film", True:
            return fill_placeholders(translate("Rules", "playing: %1"), names)
        case "film", False:
            return translate("Rules", "nothing is playing")
        case "game", False:
            return translate("Rules", "no game is running")
        case _, True:
            return fill_placeholders(translate("Rules", "running: %1"), names)
        case _:
            return translate("Rules", "none is running")


def _share(view: RuleView) -> str:
    names = sanitize_line(", ".join(view.names), _LONGEST_NAMES)
    match view.rule:
        case "gpu" if names:
            words = translate("Rules", "%2 uses %1 of the GPU")
        case "gpu":
            words = translate("Rules", "other programs use %1 of the GPU")
        case "memory":
            words = translate("Rules", "programs wait for memory %1 of the time")
        case _:
            words = translate("Rules", "other programs use %1 of the CPU")
    return fill_placeholders(words, figures.share(view.amount), names)


def _hours(view: RuleView) -> str:
    if view.is_so:
        return translate("Rules", "free at this hour: yes")
    if view.until is None:
        return translate("Rules", "free at this hour: no, and never in the week")
    words = translate("Rules", "free at this hour: no, again %1")
    return fill_placeholders(words, figures.moment(view.until.timestamp()))


def _price(view: RuleView) -> str:
    amount = view.amount or 0.0
    price = installed().decimal(amount, 3 if abs(amount) < 10 else 1)
    if view.until is None:
        return fill_placeholders(translate("Rules", "the price is %1 now"), price)
    words = translate("Rules", "the price is %1 now, and low enough %2")
    return fill_placeholders(words, price, figures.moment(view.until.timestamp()))
