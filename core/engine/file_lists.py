"""What engines are made of: for each build of torch, the exact files, locked by their hashes."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from core.engine.builds import BuildName
from core.engine.pythons import this_python
from core.files.resources import RESOURCES
from core.schema import Sha256, StrictStruct

FOLDER = RESOURCES / "engine"
_FileName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_.+-]{1,250}[.]whl\Z")]
_Bytes = Annotated[int, Meta(ge=0, le=20_000_000_000)]


class EngineFile(StrictStruct, kw_only=True, frozen=True):
    """A wheel of an engine; one that ``is_shipped`` came with Workerbee and is not downloaded."""

    library: Annotated[str, Meta(pattern=r"^[a-z0-9-]{1,100}\Z")]
    version: Annotated[str, Meta(pattern=r"^[A-Za-z0-9.+!-]{1,60}\Z")]
    name: _FileName
    pythons: Annotated[tuple[str, ...], Meta(max_length=8)]
    bytes: _Bytes
    unpacked_bytes: _Bytes
    sha256: Sha256
    is_shipped: bool = False

    @property
    def requirement(self) -> str:
        """The requirement that names this file and no other to uv."""
        return f"{self.library}=={self.version} --hash=sha256:{self.sha256}"


class EngineFiles(StrictStruct, kw_only=True, frozen=True):
    """The files that an engine of one build is made of.

    ``index`` is the address of the package index that has this build's torch, where it is not among those that uv asks.
    """

    build: BuildName
    index: Annotated[str, Meta(max_length=300, pattern=r"^(https?://[^\s@\"\\]+)?\Z")] = ""
    files: Annotated[tuple[EngineFile, ...], Meta(max_length=2000)]

    def for_python(self, python: str) -> EngineFiles:
        """The files for one Python version, such as ``3.11``."""
        files = tuple(each for each in self.files if python in each.pythons)
        return msgspec.structs.replace(self, files=files)

    @property
    def is_complete(self) -> bool:
        """Whether the list has files at all, so that an engine can be made of them."""
        return any(each.library == "torch" for each in self.files)

    @property
    def downloaded(self) -> tuple[EngineFile, ...]:
        """The files that did not come with Workerbee; the largest last, so that a mistake shows early."""
        return tuple(sorted((each for each in self.files if not each.is_shipped), key=lambda each: each.bytes))

    @property
    def download_bytes(self) -> int:
        """The size of all files that are downloaded."""
        return sum(each.bytes for each in self.downloaded)

    @property
    def disk_bytes(self) -> int:
        """The disk space that making the engine needs: the files, what is unpacked from them, and a reserve."""
        return self.download_bytes + int(1.1 * sum(each.unpacked_bytes for each in self.files))

    @property
    def fingerprint(self) -> str:
        """A digest of the files; engines of different fingerprints differ in more than how their wheels were built."""
        listed = "\n".join(sorted(f"{each.library}=={each.version}" for each in self.files))
        return hashlib.sha256(f"{self.build}\n{listed}".encode()).hexdigest()[:16]


def load_files(build: BuildName, folder: Path = FOLDER) -> EngineFiles | None:
    """The files of a build for this Python; ``None`` where this Workerbee has none for it."""
    if not _list_of(build, folder).is_file():
        return None
    files = all_files(build, folder).for_python(this_python())
    return files if files.is_complete else None


def all_files(build: BuildName, folder: Path = FOLDER) -> EngineFiles:
    """The files of a build for every Python; raises FileNotFoundError where there is no list of them."""
    return msgspec.json.decode(_list_of(build, folder).read_bytes(), type=EngineFiles)


def _list_of(build: BuildName, folder: Path) -> Path:
    return folder / f"{build}.json"
