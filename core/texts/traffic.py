"""The traffic of a run in words, and what a volunteer's line leaves of the computing."""

from __future__ import annotations

from core.client.hourly_traffic import HourlyTraffic
from core.client.session import Session
from core.placeholders import fill_placeholders
from core.run.manifest import RunManifest
from core.run.round_estimate import Line, estimate_own_round
from core.texts import figures
from core.texts.localization import translate

_SECONDS_PER_HOUR = 3600.0


def traffic_of(manifest: RunManifest, samples_per_second: float | None, line: Line | None) -> str:
    """Return what a volunteer sends and receives per round and per hour, and what its line leaves of the computing.

    ``samples_per_second`` is the speed of the whole swarm with the volunteer in it; without it nothing is said of time.
    """
    own = estimate_own_round(manifest, samples_per_second, line)
    is_local = manifest.collaboration.mode == "local-sgd"
    each_way = (
        translate("Traffic", "Sends about %1 in a round and receives as much")
        if is_local
        else translate("Traffic", "Sends about %1 in an epoch and receives as much")
    )
    parts = [fill_placeholders(each_way, figures.size(own.sent_bytes))]
    if own.round_seconds is not None:
        hourly = figures.size(own.sent_bytes * _SECONDS_PER_HOUR / own.round_seconds)
        parts.append(fill_placeholders(translate("Traffic", "about %1 an hour each way"), hourly))
    if line is not None and own.training_share is not None:
        left = translate("Traffic", "a line of %1 leaves %2 of the time for computing")
        parts.append(fill_placeholders(left, str(line), figures.share(own.training_share)))
    return " · ".join(parts)


def hourly_traffic(traffic: HourlyTraffic, session: Session, now: float) -> str:
    """Return what was sent and received in the last hour, and what is expected; nothing before there is any."""
    sent, received = traffic.sums(now)
    if not sent and not received:
        return ""
    words = translate("Traffic", "Sent %1 and received %2 in the last hour")
    parts = [fill_placeholders(words, figures.size(sent), figures.size(received))]
    speed = session.progress.swarm_samples_per_second if session.progress else None
    if session.chosen is not None and speed:
        own = estimate_own_round(session.chosen.manifest, speed, line=None)
        expected = own.sent_bytes * _SECONDS_PER_HOUR / (own.round_seconds or _SECONDS_PER_HOUR)
        parts.append(fill_placeholders(translate("Traffic", "about %1 each expected"), figures.size(expected)))
    return " · ".join(parts)


def swarm_speed(others: float | None, own: float | None) -> float | None:
    """Return the samples per second of the swarm with this computer in it; ``None`` where neither is known."""
    known = [speed for speed in (others, own) if speed is not None]
    return sum(known) or None
