"""The runs that need volunteers, from the catalogues that a person has added, with a filter."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from app.pages.join.add_catalogue import AddCatalogue
from app.pages.join.catalogue_source import CatalogueSource
from app.widgets.labels import Heading, Hint
from app.widgets.list_button import ListButton
from core.catalogue.catalogue import CatalogueEntry
from core.catalogue.store import KnownCatalogue
from core.hardware.device import Device
from core.texts.catalogues import entries as texts

MOST_SHOWN = 12
_FEW = 3  # so many runs need no filter
_LONGEST_LINE = 160


@dataclass(frozen=True)
class ShownCatalogues:
    """The catalogues as they are now; ``kept`` are those of them whose copy may be shown, ``read`` are being read."""

    known: tuple[KnownCatalogue, ...] = ()
    kept: frozenset[str] = frozenset()
    read: frozenset[str] = frozenset()


class RunCatalogue(QWidget):
    """Lists open runs: what each is, who organises it, whether it fits. A click on one only asks for its address.

    Signals:
        run_requested: look at that run (a CatalogueEntry).
        refresh_requested, trust_requested, remove_requested: as those of CatalogueSource.

    Attributes:
        adding: the form with which a catalogue is added.
        filter: the field that narrows the list down.
        rows: the runs that are shown.
        sources: the catalogues.
    """

    run_requested = Signal(object)
    refresh_requested = Signal(str)
    trust_requested = Signal(str)
    remove_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._shown = ShownCatalogues()
        self._device: Device | None = None
        self._devices: tuple[Device, ...] = ()
        self._runs: list[tuple[str, CatalogueEntry]] = []
        self._entries: list[CatalogueEntry] = []
        self._fits: list[str] = []
        self.rows: list[ListButton] = []
        self.sources: list[CatalogueSource] = []
        self.adding = AddCatalogue()
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(self.tr("Filter, such as a word or a name"))
        self.filter.setAccessibleName(self.tr("Filter the runs"))
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._show_runs)
        self._told = Hint()
        self._list, self._below = QVBoxLayout(), QVBoxLayout()
        self._lay_out()
        self._show_runs()

    @property
    def told(self) -> str:
        """The sentence below the runs: how many more there are, or why there are none."""
        return self._told.text()

    def show_catalogues(self, shown: ShownCatalogues) -> None:
        """Show these; what is the same already is left alone, and so is the focus in it."""
        if shown == self._shown:
            return
        is_other_list = (shown.known, shown.kept) != (self._shown.known, self._shown.kept)
        self._shown = shown
        if is_other_list:
            self._runs = _open_runs(shown)
            self.filter.setVisible(len(self._runs) > _FEW)
            self._show_runs()
        self._show_sources()

    def show_device(self, device: Device | None, devices: tuple[Device, ...]) -> None:
        """Say of each run whether it fits if that device trains."""
        self._device, self._devices = device, devices
        if [self._fit_words(entry) for entry in self._entries] != self._fits:
            self._show_runs()

    def _found(self) -> list[CatalogueEntry]:
        """The runs with all words of the filter, those that fit first."""
        words = self.filter.text().casefold().split()
        found = [entry for haystack, entry in self._runs if all(word in haystack for word in words)]
        if self._device is None:
            return found
        device, devices = self._device, self._devices
        return sorted(found, key=lambda entry: texts.rank_of(texts.fit_of(entry, device, devices)))

    def _show_runs(self) -> None:
        found = self._found()
        for row in self.rows:
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._entries = found[:MOST_SHOWN]
        self._fits = [self._fit_words(entry) for entry in self._entries]
        self.rows = [self._row(entry, fit) for entry, fit in zip(self._entries, self._fits, strict=True)]
        for row in self.rows:
            self._list.addWidget(row)
        self._told.set_text(self._words_below(len(found) - len(self.rows)))

    def _row(self, entry: CatalogueEntry, fit: str) -> ListButton:
        described = " ".join(texts.description_of(entry).split())
        if len(described) > _LONGEST_LINE:
            described = f"{described[: _LONGEST_LINE - 1]}…"
        line = "\n".join(part for part in (described, texts.facts_of(entry), fit) if part)
        row = ListButton(texts.name_of(entry), line)
        row.setToolTip(self.tr("Look at this run"))
        row.clicked.connect(lambda: self.run_requested.emit(entry))
        return row

    def _fit_words(self, entry: CatalogueEntry) -> str:
        """Whether the run fits; empty while no device is known."""
        if self._device is None:
            return ""
        return texts.fit_words(texts.fit_of(entry, self._device, self._devices))

    def _words_below(self, more: int) -> str:
        if more:
            return self.tr("%n more run(s): type a word above to find them.", "", more)
        if self.rows:
            return ""
        if self.filter.text():
            return self.tr("No run has these words.")
        if self._shown.known:
            return self.tr("No run on your lists is open now.")
        return self.tr("Organisers publish lists of runs. Add one by its address, and its runs are shown here.")

    def _show_sources(self) -> None:
        for each in self.sources:
            self._below.removeWidget(each)
            each.hide()
            each.deleteLater()
        shown = self._shown
        self.sources = [
            CatalogueSource(known, known.source in shown.kept, known.source in shown.read) for known in shown.known
        ]
        for each in self.sources:
            each.refresh_requested.connect(self.refresh_requested)
            each.trust_requested.connect(self.trust_requested)
            each.remove_requested.connect(self.remove_requested)
            self._below.addWidget(each)

    def _lay_out(self) -> None:
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(8)
        rows.addWidget(Heading(self.tr("Runs that need you")))
        rows.addWidget(self.filter)
        for inner in (self._list, self._below):
            inner.setSpacing(8)
        rows.addLayout(self._list)
        rows.addWidget(self._told)
        rows.addLayout(self._below)
        rows.addWidget(self.adding)
        self.filter.hide()


def _open_runs(shown: ShownCatalogues) -> list[tuple[str, CatalogueEntry]]:
    """The open runs of all lists, each once, with the text that is searched."""
    found: dict[tuple[str, str], tuple[str, CatalogueEntry]] = {}
    for known in shown.known:
        for entry in known.catalogue.run if known.source in shown.kept else ():
            if entry.state == "open":
                haystack = "\n".join((entry.name, entry.id, entry.description, entry.organiser, entry.license))
                found.setdefault((entry.organiser, entry.id), (haystack.casefold(), entry))
    return list(found.values())
