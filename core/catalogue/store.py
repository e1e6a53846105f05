"""The catalogues that a person has added: whose key signs each, and the last copy of it that was good."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from core.catalogue.catalogue import Catalogue, PublisherId
from core.catalogue.refusal import Refusal
from core.catalogue.signed_file import SignedCatalogue
from core.catalogue.source import SOURCE
from core.files.atomic import delete_file, storage_problem
from core.files.json_file import JsonFile
from core.schema import StrictStruct

MAX_CATALOGUES = 100
EVERY_SECONDS = 3 * 3600.0
KEPT_SECONDS = 14 * 86_400.0
_MAX_FILE_BYTES = 4 * 1024 * 1024

_Seconds = Annotated[float, Meta(ge=0, le=2**40)]


class KnownCatalogue(StrictStruct, kw_only=True, frozen=True):
    """A catalogue that was added; times are in seconds since 1970.

    ``catalogue`` is the last good copy, read at ``read_at``; ``refusal`` says why nothing good came after it.
    """

    source: Annotated[str, Meta(pattern=SOURCE)]
    publisher: PublisherId
    catalogue: Catalogue
    read_at: _Seconds
    asked_at: _Seconds
    refusal: Refusal | None = None

    def is_due(self, now: float) -> bool:
        """Whether it may be read again unasked; a clock that was set back does not put it off."""
        return not 0 <= now - self.asked_at < EVERY_SECONDS

    def is_kept(self, now: float) -> bool:
        """Whether the copy is recent enough to be shown."""
        return now - self.read_at <= KEPT_SECONDS

    def after(self, answer: SignedCatalogue | Refusal, now: float) -> KnownCatalogue:
        """What is known once that answer has come; another key and an older list change nothing but the refusal."""
        if isinstance(answer, SignedCatalogue):
            answer = self._refusal_of(answer) or answer
        if isinstance(answer, Refusal):
            return msgspec.structs.replace(self, asked_at=now, refusal=answer)
        return msgspec.structs.replace(self, catalogue=answer.catalogue, read_at=now, asked_at=now, refusal=None)

    def _refusal_of(self, answer: SignedCatalogue) -> Refusal | None:
        if answer.publisher != self.publisher:
            return Refusal("other_key", answer.publisher)
        if answer.catalogue.made < self.catalogue.made:
            return Refusal("older", f"{answer.catalogue.made:%Y-%m-%d}")
        return None


class CatalogueStore:
    """The known catalogues, each in a small file of its own below one folder; in the order of their sources.

    A damaged file is quarantined and counts as none. ``add``, ``update`` and ``remove`` raise UserError for a disk
    that refuses.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, JsonFile[KnownCatalogue]] = {}
        self._known: dict[str, KnownCatalogue] = {}
        for path in sorted(folder.glob("*.json"))[:MAX_CATALOGUES] if folder.is_dir() else ():
            file = _file_at(path)
            if (known := file.load()) is not None and known.source not in self._known:
                self._files[known.source], self._known[known.source] = file, known

    @property
    def all(self) -> tuple[KnownCatalogue, ...]:
        """The known catalogues, in the order of their sources."""
        return tuple(self._known[source] for source in sorted(self._known))

    @property
    def is_full(self) -> bool:
        """Whether no other catalogue can be added."""
        return len(self._known) >= MAX_CATALOGUES

    def find(self, source: str) -> KnownCatalogue | None:
        """What is known of the catalogue at that source."""
        return self._known.get(source)

    def add(self, source: str, read: SignedCatalogue, now: float) -> None:
        """Trust from now on the key that has signed what was read there, in the place of any other."""
        known = KnownCatalogue(
            source=source, publisher=read.publisher, catalogue=read.catalogue, read_at=now, asked_at=now
        )
        if source not in self._files:
            self._files[source] = _file_at(self._folder / f"{os.urandom(8).hex()}.json")
        self._write(known)

    def update(self, source: str, answer: SignedCatalogue | Refusal, now: float) -> None:
        """Record the answer to another reading; of a catalogue that was removed meanwhile nothing."""
        if (known := self._known.get(source)) is not None:
            self._write(known.after(answer, now))

    def remove(self, source: str) -> None:
        """Forget that catalogue and its key."""
        self._known.pop(source, None)
        if (file := self._files.pop(source, None)) is not None:
            try:
                delete_file(file.path)
            except OSError as error:
                raise storage_problem(error, file.path) from error
            with contextlib.suppress(OSError):
                self._folder.rmdir()  # the last of them is gone

    def _write(self, known: KnownCatalogue) -> None:
        self._known[known.source] = known
        file = self._files[known.source]
        try:
            file.write(known)
        except OSError as error:
            raise storage_problem(error, file.path) from error


def _file_at(path: Path) -> JsonFile[KnownCatalogue]:
    return JsonFile(path, KnownCatalogue, max_bytes=_MAX_FILE_BYTES)
