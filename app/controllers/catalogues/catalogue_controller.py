"""The catalogues of runs that a person has added: read again every few hours, each in a process of its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property, partial

from PySide6.QtCore import QObject, Signal

from app.controllers.thread_bridge import Bridge
from core.catalogue.reader_process import CatalogueReading
from core.catalogue.refusal import Refusal, RefusedCatalogueError
from core.catalogue.signed_file import SignedCatalogue
from core.catalogue.source import source_in
from core.catalogue.store import CatalogueStore, KnownCatalogue
from core.errors import UserError
from core.files.folders import Folders


class CatalogueController(QObject):
    """Reads catalogues and keeps them; main thread only. Nothing that is read joins or starts a run.

    Signals:
        changed: there is something else to show.
        offered: a catalogue that a person wants to add was read, or one with another key than before: its source, and
            what was read (SignedCatalogue); ``accept`` adds it.
        refused: nothing that could be added was read, and why (Refusal).
        failed: the disk refuses (UserError).
    """

    changed = Signal()
    offered = Signal(str, object)
    refused = Signal(object)
    failed = Signal(object)

    def __init__(
        self, folders: Folders, bridge: Bridge, parent: QObject | None = None, now: Callable[[], float] = time.time
    ) -> None:
        super().__init__(parent)
        self._folders, self._post, self._now = folders, bridge.post_catalogue, now
        self._readings: dict[str, CatalogueReading] = {}
        self._wanted: set[str] = set()
        bridge.catalogue_arrived.connect(self._on_answer)

    @property
    def known(self) -> tuple[KnownCatalogue, ...]:
        """The catalogues that were added."""
        return self._store.all

    @property
    def is_looking(self) -> bool:
        """Whether a catalogue is being read that a person wants to add."""
        return bool(self._wanted)

    @property
    def read_now(self) -> frozenset[str]:
        """The sources that are being read."""
        return frozenset(self._readings)

    def find(self, source: str) -> KnownCatalogue | None:
        """What is known of the catalogue at that source."""
        return self._store.find(source)

    def poll(self) -> None:
        """Read a catalogue that is due; to be called while the page is seen that shows them."""
        now = self._now()
        if not self._readings:
            for known in self._store.all:
                if known.is_due(now):
                    self.refresh(known.source)
                    return

    def refresh(self, source: str) -> None:
        """Read that catalogue now, unless it is being read."""
        if source not in self._readings:
            self._read(source)

    def look_at(self, text: str) -> None:
        """Read the catalogue at what a person has typed, and offer it."""
        try:
            source = source_in(text)
        except RefusedCatalogueError as error:
            self.refused.emit(error.refusal)
            return
        if self._store.is_full and self._store.find(source) is None:
            self.refused.emit(Refusal("full"))
            return
        self._wanted.add(source)
        self.refresh(source)

    def cancel(self) -> None:
        """Offer nothing of what is being read."""
        self._wanted.clear()
        self.changed.emit()

    def accept(self, source: str, read: SignedCatalogue) -> None:
        """Add that catalogue, and trust its key from now on."""
        self._keep(lambda: self._store.add(source, read, self._now()))

    def remove(self, source: str) -> None:
        """Forget that catalogue and its key."""
        self._keep(lambda: self._store.remove(source))

    def stop(self) -> None:
        """End the readings that are under way; for the program's end."""
        for reading in self._readings.values():
            reading.stop()

    @cached_property
    def _store(self) -> CatalogueStore:
        return CatalogueStore(self._folders.contents.catalogues)

    def _read(self, source: str) -> None:
        reading = CatalogueReading(source, self._folders.data, partial(self._post, source))
        try:
            reading.start()
        except UserError:
            self._on_answer(source, Refusal("no_engine"))
        except OSError as error:
            self._on_answer(source, Refusal("unreachable", str(error)))
        else:
            self._readings[source] = reading
            self.changed.emit()

    def _on_answer(self, source: str, answer: SignedCatalogue | Refusal) -> None:
        self._readings.pop(source, None)
        if source not in self._wanted:
            self._keep(lambda: self._store.update(source, answer, self._now()))
            return
        self._wanted.discard(source)
        self.changed.emit()
        if isinstance(answer, Refusal):
            self.refused.emit(answer)
        else:
            self.offered.emit(source, answer)

    def _keep(self, change: Callable[[], None]) -> None:
        try:
            change()
        except UserError as error:
            self.failed.emit(error)
        self.changed.emit()
