"""The traffic of a run in words, and what a volunteer's line leaves of the computing."""

from __future__ import annotations

from dataclasses import replace

from core.client.hourly_traffic import HourlyTraffic
from core.client.session import Session
from core.client.traffic_share import RunShare
from core.placeholders import fill_placeholders
from core.protocol.events import LineMeasured
from core.records.settings import Settings
from core.run.manifest import RunManifest
from core.run.round_estimate import Line, OwnRound, estimate_own_round
from core.texts import figures
from core.texts.localization import installed, translate

_SECONDS_PER_HOUR = 3600.0
_MBIT = 1e6
_BITS = 8


def traffic_of(manifest: RunManifest, samples_per_second: float | None, line: Line | None) -> str:
    """Return what a volunteer sends and receives per round and per hour, and what its line leaves of the computing.

    ``samples_per_second`` is the speed of the whole swarm with the volunteer in it; without it nothing is said of time.
    """
    own = estimate_own_round(manifest, samples_per_second, line)
    both = figures.size(own.sent_bytes), figures.size(own.received_bytes)
    parts = [fill_placeholders(_each_way(manifest, own), *both)]
    if own.round_seconds is not None:
        words = (
            translate("Traffic", "about %1 an hour each way")
            if own.received_bytes == own.sent_bytes
            else translate("Traffic", "about %1 sent and up to %2 received an hour")
        )
        parts.append(fill_placeholders(words, *_hourly(own, own.round_seconds)))
    if line is not None and own.training_share is not None:
        parts.append(_left_of_computing(line, own.training_share))
    return " · ".join(parts)


def _each_way(manifest: RunManifest, own: OwnRound) -> str:
    """With places for what is sent and for what is received at the most."""
    if own.received_bytes > own.sent_bytes:
        return translate("Traffic", "Sends about %1 in a round and receives as much of each other peer, up to %2")
    if manifest.collaboration.mode == "local-sgd":
        return translate("Traffic", "Sends about %1 in a round and receives as much")
    return translate("Traffic", "Sends about %1 in an epoch and receives as much")


def _hourly(own: OwnRound, round_seconds: float) -> tuple[str, str]:
    """What is sent in an hour, and received at the most."""
    rounds = _SECONDS_PER_HOUR / round_seconds
    return figures.size(own.sent_bytes * rounds), figures.size(own.received_bytes * rounds)


def known_line(settings: Settings, upload: LineMeasured | None, download: LineMeasured | None) -> Line | None:
    """Return the internet connection as the settings name it, each direction else as it was last measured here.

    Where the owner allows less to be received while nobody is at the computer, that is its download.
    """
    up, down = _speed(settings.upload_mbits, upload), _speed(settings.download_mbits, download)
    if up is None:
        return None
    are_measured = settings.upload_mbits is None, settings.download_mbits is None
    if down is None or (are_measured[1] and down <= up):  # at least as much is believed of any line
        return _received_as_allowed(Line(up, None, are_measured[0]), settings)
    return _received_as_allowed(Line(up, down, *are_measured), settings)


def _speed(typed_mbits: float | None, measured: LineMeasured | None) -> float | None:
    """In bits per second."""
    if typed_mbits is not None:
        return typed_mbits * _MBIT
    return measured.bits_per_second if measured else None


def _received_as_allowed(line: Line, settings: Settings) -> Line:
    allowed = settings.availability.download_rate
    is_less = allowed is not None and allowed * _BITS < line.sure_download
    if allowed is None or not is_less:
        return line
    return replace(line, download=float(allowed * _BITS), is_download_measured=False)


def download_of(download_bytes: int, settings: Settings) -> str:
    """Return what a newcomer downloads, and how long that takes where the line or the owner's limit is known.

    Of the two the slower counts, and of the limits the one that holds while somebody is at the computer.
    """
    size, allowed = figures.size(download_bytes), settings.availability.attended_download_rate
    speeds = [_speed(settings.download_mbits, None), None if allowed is None else float(allowed * _BITS)]
    known = [speed for speed in speeds if speed is not None]
    if not known:
        return fill_placeholders(translate("Traffic", "Downloads %1 at the start."), size)
    words = translate("Traffic", "Downloads %1 at the start: about %2 at %3 Mbit/s.")
    seconds = download_bytes * _BITS / min(known)
    return fill_placeholders(words, size, figures.about(seconds), _mbits_as_told(min(known)))


def mbits(bits_per_second: float) -> str:
    """Return a speed that was measured as ``18`` or ``4.7``, in Mbit/s."""
    return figures.number(bits_per_second / _MBIT)


def _mbits_as_told(bits_per_second: float) -> str:
    """Return a speed that a person has typed as ``12.5``, in Mbit/s."""
    speed = bits_per_second / _MBIT
    return installed().decimal(speed, 0 if speed == int(speed) else 1)


def _left_of_computing(line: Line, training_share: float) -> str:
    """What the line leaves of the computing; what was measured is told from what the person has said."""
    upload = mbits(line.upload) if line.is_upload_measured else _mbits_as_told(line.upload)
    if line.download is None:
        words = (
            translate(
                "Traffic", "the upload last measured here, %1 Mbit/s, leaves at least %2 of the time for computing"
            )
            if line.is_upload_measured
            else translate("Traffic", "an upload of %1 Mbit/s leaves at least %2 of the time for computing")
        )
        return fill_placeholders(words, upload, figures.share(training_share))
    download = mbits(line.download) if line.is_download_measured else _mbits_as_told(line.download)
    return fill_placeholders(_words_of_both(line), upload, download, figures.share(training_share))


def _words_of_both(line: Line) -> str:
    """Of a line whose speed is known in both directions, with places for them and for the share that is left."""
    match line.is_upload_measured, line.is_download_measured:
        case True, True:
            return translate(
                "Traffic", "a line of %1/%2 Mbit/s, as last measured here, leaves at least %3 of the time for computing"
            )
        case True, False:
            return translate(
                "Traffic",
                "a line of %1/%2 Mbit/s, its upload as last measured here, leaves %3 of the time for computing",
            )
        case False, True:
            return translate(
                "Traffic",
                "a line of %1/%2 Mbit/s, its download as last measured here, "
                "leaves at least %3 of the time for computing",
            )
        case _:
            return translate("Traffic", "a line of %1/%2 Mbit/s leaves %3 of the time for computing")


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
        words = (
            translate("Traffic", "about %1 each expected")
            if own.received_bytes == own.sent_bytes
            else translate("Traffic", "about %1 and up to %2 expected")
        )
        parts.append(fill_placeholders(words, *_hourly(own, own.round_seconds or _SECONDS_PER_HOUR)))
    return " · ".join(parts)


def run_share(share: RunShare | None) -> str:
    """Return which part of this computer's traffic is the run's; empty where that is not known."""
    if share is None:
        return ""
    words = translate("Traffic", "This run: %1 of this computer's traffic in the last %2")
    return fill_placeholders(words, figures.share(share.share), figures.about(share.seconds))


def swarm_speed(others: float | None, own: float | None) -> float | None:
    """Return the samples per second of the swarm with this computer in it; ``None`` where neither is known."""
    known = [speed for speed in (others, own) if speed is not None]
    return sum(known) or None
