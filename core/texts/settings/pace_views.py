"""What is measured for the owner's limits of pace, in a few words beside each."""

from __future__ import annotations

from core.availability.observation import Observation
from core.availability.pacing import GpuCause, Pace
from core.placeholders import fill_placeholders
from core.texts import figures
from core.texts.localization import translate
from core.texts.settings.rule_views import another_user, idle_time


def measured(cause: GpuCause, seen: Observation) -> str:
    """Return what that limit is about as it is now: ``71 °C now``, ``cannot be measured here``."""
    amount, words = {
        "heat": (seen.gpu_celsius, translate("Pace", "%1 °C now")),
        "power": (seen.gpu_watts, translate("Pace", "%1 W now")),
        "noise": (seen.fan_percent, translate("Pace", "%1 % now")),
    }[cause]
    if amount is None:
        return translate("Pace", "cannot be measured here")
    return fill_placeholders(words, figures.count(round(amount)))


def presence(seen: Observation) -> str:
    """Return how long nobody has touched the computer: ``idle for 4 min``; or that another user is there."""
    if seen.is_switched:
        return another_user()
    if seen.idle_seconds is None:
        return translate("Pace", "cannot be seen here: somebody may always be there")
    return idle_time(seen.idle_seconds)


def of_upload(pace: Pace, seen: Observation) -> str:
    """Return what may be sent now, or that nobody can limit it on this computer."""
    if seen.can_limit_uploads is False:
        return translate("Pace", "cannot limit here: this system lets no program pace the connections of another")
    return _at_most(pace.upload_rate)


def of_download(pace: Pace) -> str:
    """Return what may be received now."""
    return _at_most(pace.download_rate)


def _at_most(rate: int | None) -> str:
    if rate is None:
        return translate("Pace", "no limit now")
    return fill_placeholders(translate("Pace", "at most %1 a second now"), figures.size(rate))
