"""The time zone of this computer, with its daylight-saving changes to come."""

from __future__ import annotations

import os
from datetime import datetime, tzinfo
from functools import lru_cache
from pathlib import Path
from zoneinfo import ZoneInfo

_LOCAL_TIME = Path("/etc/localtime")


def local_now() -> datetime:
    """The present time in the local zone, which may have changed since the last call: computers travel."""
    return datetime.now(_zone())


def _zone() -> tzinfo | None:
    """The zone by name or by its file; where there is neither, that of the present offset from UTC."""
    name = os.environ.get("TZ", "").removeprefix(":")
    try:
        if name:
            return ZoneInfo(name)
        return _zone_in_file(_LOCAL_TIME.stat().st_mtime_ns)
    except (OSError, ValueError, KeyError):  # the last of them is a name of which there are no rules
        return datetime.now().astimezone().tzinfo


@lru_cache(maxsize=1)
def _zone_in_file(_changed_at: int) -> ZoneInfo:
    with _LOCAL_TIME.open("rb") as file:
        return ZoneInfo.from_file(file, "localtime")
