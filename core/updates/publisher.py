"""Where update notices come from: as the package's builder wrote it down, or as a person has set it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from core.files.resources import RESOURCES
from core.records.settings import UPDATE_ADDRESS, UPDATE_PUBLISHER, Settings
from core.schema import StrictStruct
from core.security.bounded_toml import read_toml

_FILE = RESOURCES / "updates.toml"


@dataclass(frozen=True)
class Source:
    """A source of update notices; ``publisher`` is the peer id whose key signs what lies at ``address``."""

    address: str
    publisher: str

    @property
    def host(self) -> str:
        """The server that learns that this computer asks."""
        return urlsplit(self.address).hostname or ""


class _Built(StrictStruct, kw_only=True, frozen=True):
    """Empty words stand for nobody."""

    address: Annotated[str, Meta(pattern=rf"^\Z|{UPDATE_ADDRESS}")] = ""
    publisher: Annotated[str, Meta(pattern=rf"^\Z|{UPDATE_PUBLISHER}")] = ""


def source_of(settings: Settings) -> Source | None:
    """The source that the settings name, or else the package's own; ``None`` where neither names one."""
    built = built_in()
    address = settings.update_address or built.address
    publisher = settings.update_publisher or built.publisher
    return Source(address, publisher) if address and publisher else None


@cache
def built_in(file: Path = _FILE) -> _Built:
    """The source that is written in the package; raises ValueError where its builder has made a mistake."""
    return msgspec.convert(read_toml(file.read_text("utf-8")), _Built)
