"""The owner's rules, as the settings keep them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from core.availability.decision import RuleName
from core.schema import StrictStruct

ALWAYS = "x" * 24
_DAY = Annotated[str, Meta(pattern=r"^[x.]{24}\Z")]
_PROGRAM = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f/\ud800-\udfff]{1,100}\Z")]
_RATE = Annotated[int, Meta(ge=10_000, le=10**10)]
PRICE_ADDRESS = r"^https://[!-~]{1,2000}\Z"
_PATH = Annotated[str, Meta(pattern=r"^/[^\x00-\x1f\ud800-\udfff]{0,4000}\Z")]


LIMITS = frozenset({"gpu_share", "memory_pressure"})
"""Limits that are there by default: where one was taken away (``None``), the settings' file says ``false``."""
_LINE_LIMITS = ("upload_rate", "attended_upload_rate", "download_rate", "attended_download_rate")
PACE_LIMITS = ("gpu_celsius", "gpu_watts", "fan_percent", "attended_compute_share", *_LINE_LIMITS)
"""What slows training down, and does not pause it."""
RULE_FIELDS: dict[RuleName, tuple[str, ...]] = {
    "battery": ("battery",),
    "power_saver": ("power_saver",),
    "metered": ("metered",),
    "data": ("sent_bytes_a_day", "received_bytes_a_day", "sent_bytes_a_month", "received_bytes_a_month"),
    "game": ("games",),
    "program": ("programs",),
    "gpu": ("gpu_share",),
    "film": ("films",),
    "memory": ("memory_pressure",),
    "cpu": ("cpu_pressure",),
    "idle": ("idle_minutes",),
    "hours": ("hours",),
    "price": ("highest_price",),
}
"""By rule, the fields of ``AvailabilityRules`` that switch it on; of ``disk`` there are none, since it always is."""


class AvailabilityRules(StrictStruct, omit_defaults=True, kw_only=True, frozen=True):
    """When this computer is free for training; with the defaults, whenever nobody needs it.

    Training pauses on ``battery``, with the desktop's ``power_saver``, on a ``metered`` connection, while one of the
    ``games`` runs or a full-screen program is in front, while one of the ``films`` plays, while other programs use at
    least ``gpu_share`` of the GPU's time (``None``: that is allowed), while one of ``programs`` runs (names of
    executables), and unless nobody has touched the computer for ``idle_minutes``. ``cpu_pressure`` is the share of the
    cores, 0 to 1, that other programs may use, and ``memory_pressure`` the share of time in which tasks may wait for
    memory. ``hours`` has a line of 24 characters for each day from Monday on: ``x`` is an hour in which the computer is
    free, ``.`` one in which it is not.
    ``price_file`` names a file of prices by hour, or ``price_address`` one on the web, which then counts, and
    ``highest_price`` is the highest at which to train.
    ``sent_bytes_a_day``, ``received_bytes_a_day`` and the same of a month bound the traffic.

    Training is slowed, and not paused, to keep the GPU below ``gpu_celsius``, ``gpu_watts``, and its fan below
    ``fan_percent`` of its full speed, and to compute in no more than ``attended_compute_share`` of the time, 0 to 1,
    while somebody is at the computer. ``attended_upload_rate`` is the bytes a second that may be sent while somebody is
    there, ``upload_rate`` those at other times; ``attended_download_rate`` and ``download_rate`` are the same of
    what is received.
    """

    battery: bool = True
    power_saver: bool = True
    metered: bool = True
    games: bool = True
    films: bool = False
    gpu_share: Annotated[float, Meta(gt=0, le=1)] | None = 0.2
    programs: Annotated[tuple[_PROGRAM, ...], Meta(max_length=100)] = ()
    idle_minutes: Annotated[int, Meta(ge=1, le=240)] | None = None
    cpu_pressure: Annotated[float, Meta(gt=0, le=1)] | None = None
    memory_pressure: Annotated[float, Meta(gt=0, le=1)] | None = 0.2
    hours: Annotated[tuple[_DAY, ...], Meta(min_length=7, max_length=7)] = (ALWAYS,) * 7
    price_file: _PATH | None = None
    price_address: Annotated[str, Meta(pattern=PRICE_ADDRESS)] | None = None
    highest_price: float | None = None
    sent_bytes_a_day: Annotated[int, Meta(ge=10**6, le=10**15)] | None = None
    received_bytes_a_day: Annotated[int, Meta(ge=10**6, le=10**15)] | None = None
    sent_bytes_a_month: Annotated[int, Meta(ge=10**6, le=10**15)] | None = None
    received_bytes_a_month: Annotated[int, Meta(ge=10**6, le=10**15)] | None = None
    gpu_celsius: Annotated[int, Meta(ge=30, le=110)] | None = None
    gpu_watts: Annotated[int, Meta(ge=10, le=5000)] | None = None
    fan_percent: Annotated[int, Meta(ge=5, le=100)] | None = None
    attended_compute_share: Annotated[float, Meta(ge=0.05, le=0.95)] | None = None
    upload_rate: _RATE | None = None
    attended_upload_rate: _RATE | None = None
    download_rate: _RATE | None = None
    attended_download_rate: _RATE | None = None

    @property
    def limits_uploads(self) -> bool:
        """Whether uploads are limited, be it at times only."""
        return not (self.upload_rate is self.attended_upload_rate is None)

    @property
    def limits_downloads(self) -> bool:
        """Whether downloads are limited, be it at times only."""
        return not (self.download_rate is self.attended_download_rate is None)

    @property
    def needs_idle_time(self) -> bool:
        """Whether anything depends on how long nobody has touched the computer."""
        rates_differ = (self.upload_rate, self.download_rate) != (
            self.attended_upload_rate,
            self.attended_download_rate,
        )
        return not (self.idle_minutes is self.attended_compute_share is None) or rates_differ

    @property
    def measures_gpu(self) -> bool:
        """Whether any limit is about what the GPU's driver measures."""
        return not (self.gpu_celsius is self.gpu_watts is self.fan_percent is None)
