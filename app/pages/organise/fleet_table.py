"""The table of a fleet's peers with a field to search them; fast with a thousand of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from app.presentation.peers import connection, peer_name
from app.widgets.labels import Hint
from app.widgets.layout.keyed_rows import Column, KeyedRowsModel
from app.widgets.layout.row_table import RowTable
from core.fleet.snapshot import FleetSnapshot
from core.fleet.totals import stragglers_of
from core.placeholders import fill_placeholders
from core.protocol.peers import PeerSeen, Suspect
from core.security.sanitize import sanitize_line, short_id
from core.texts import figures

translate = QCoreApplication.translate  # lupdate knows it by this name only

_ROWS_HIGH = 14
_PADDING = 34
_LEAST_NAME_WIDTH = 150
_WIDE_ID = "12D3KooW" + 44 * "D"
_LONG_DEVICE = "NVIDIA GeForce RTX 4090"
_DEVICE = 1  # the column of the device
_FASTEST = 5  # the column of the speed


@dataclass(frozen=True)
class FleetRow:
    """A peer, and what others make of it; ``is_behind`` where it reports an earlier epoch than most."""

    peer: PeerSeen
    is_behind: bool = False
    suspect: Suspect | None = None

    @property
    def told(self) -> str:
        """What a search looks through."""
        peer = self.peer
        return f"{peer_name(peer)} {peer.peer_id} {peer.device} {peer.activity.version} {_notes(self)}".casefold()


class FleetTable(QWidget):
    """The peers of a fleet, the fastest first; a click on a heading sorts, and what is typed above chooses rows."""

    def __init__(self) -> None:
        super().__init__()
        self.search, self.table = QLineEdit(), RowTable()
        self.model = KeyedRowsModel(_COLUMNS, lambda row: row.peer.peer_id, sorted_by=_FASTEST)
        self._rows: tuple[FleetRow, ...] = ()
        self._untold = 0
        self._devices: frozenset[str] = frozenset()
        self._count = Hint()
        self.search.setPlaceholderText(self.tr("Search: name, device, version, peer id"))
        self.search.setAccessibleName(self.tr("Search the peers"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._show)
        self.table.setModel(self.model)
        self.table.setAccessibleName(self.tr("Peers of the run"))
        self.table.setHorizontalScrollMode(RowTable.ScrollMode.ScrollPerPixel)
        header = self.table.horizontalHeader()
        header.setSectionsClickable(True)
        header.sectionClicked.connect(self.model.sort_otherwise)
        self._set_widths()
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        for part in (self.search, self.table, self._count):
            rows.addWidget(part)

    def show_fleet(self, snapshot: FleetSnapshot) -> None:
        """Show the peers of that moment."""
        suspects: Mapping[str, Suspect] = {each.peer_id: each for each in snapshot.suspects}
        behind = stragglers_of(snapshot.peers, snapshot.epoch)
        self._rows = tuple(
            FleetRow(peer, peer.peer_id in behind, suspects.get(peer.peer_id)) for peer in snapshot.peers
        )
        self._untold = snapshot.totals.peers - len(snapshot.peers)
        self._fit_devices()
        self._show()

    def _show(self) -> None:
        words = self.search.text().casefold().split()
        chosen = [row for row in self._rows if all(word in row.told for word in words)] if words else self._rows
        self.model.show_rows(chosen)
        total = figures.count(len(self._rows) + self._untold)
        told = self.tr("%1 of %2 peers are shown.")
        is_all = len(chosen) == len(self._rows) and not self._untold
        self._count.set_text("" if is_all else fill_placeholders(told, figures.count(len(chosen)), total))

    def _fit_devices(self) -> None:
        """Give the devices the room that those of this run take, where they are others than before."""
        devices = frozenset(map(_device, self._rows))
        if devices != self._devices:
            self._devices = devices
            advance = self.table.fontMetrics().horizontalAdvance
            longest = max(map(advance, (_COLUMNS[_DEVICE].heading(), *devices)))
            self.table.setColumnWidth(_DEVICE, min(longest, advance(_LONG_DEVICE)) + _PADDING)

    def _set_widths(self) -> None:
        """As wide as the widest words that are to be expected."""
        advance = self.table.fontMetrics().horizontalAdvance
        examples = ("", _LONG_DEVICE, "0.10.0", "1,000,000", "1,000,000", figures.rate(100_000.0))
        more = ("1,000.0", "1,000 / 100 / 100", figures.size(10**11), figures.size(10**11), connection(True), "")
        for number, (column, example) in enumerate(zip(_COLUMNS, (*examples, *more), strict=True)):
            self.table.setColumnWidth(number, max(advance(f"{column.heading()} ▾"), advance(example)) + _PADDING)
        self.table.setColumnWidth(0, max(_LEAST_NAME_WIDTH, advance(short_id(_WIDE_ID)) + _PADDING))
        self.table.horizontalHeader().setStretchLastSection(True)
        height = self.table.verticalHeader().defaultSectionSize()
        bar = self.table.horizontalScrollBar().sizeHint().height()
        self.table.setFixedHeight(self.table.horizontalHeader().sizeHint().height() + _ROWS_HIGH * height + bar + 2)


def _by_name(row: FleetRow) -> tuple[bool, str, str]:
    return not row.peer.name, row.peer.name.casefold(), row.peer.peer_id


def _by_notes(row: FleetRow) -> tuple[int, bool]:
    """Suspects first, named by most before the others; then those who are behind."""
    return -(row.suspect.named_by if row.suspect else 0), not row.is_behind


def _peer_id(row: FleetRow) -> str:
    return sanitize_line(row.peer.peer_id, 120)


def _device(row: FleetRow) -> str:
    return sanitize_line(row.peer.device, 60)


def _version(row: FleetRow) -> str:
    return sanitize_line(row.peer.activity.version, 24)


def _rounds(row: FleetRow) -> str:
    activity = row.peer.activity
    counts = (activity.whole, activity.partial, activity.failed)
    return " / ".join(map(figures.count, counts)) if activity.is_told else ""


def _norm_ratio(row: FleetRow) -> str:
    return "" if row.peer.norm_ratio is None else figures.amount(row.peer.norm_ratio)


def _notes(row: FleetRow) -> str:
    behind = [translate("FleetTable", "behind")] if row.is_behind else []
    if row.suspect is None:
        return ", ".join(behind)
    named = fill_placeholders(
        translate("FleetTable", "named by %1, cut down in %2 rounds"),
        *map(figures.count, (row.suspect.named_by, row.suspect.rounds)),
    )
    return ", ".join([named, *behind])


_COLUMNS: tuple[Column[FleetRow], ...] = (
    Column(lambda: translate("FleetTable", "Peer"), lambda row: peer_name(row.peer), _by_name, tooltip=_peer_id),
    Column(lambda: translate("FleetTable", "Device"), _device, lambda row: row.peer.device.casefold()),
    Column(lambda: translate("FleetTable", "Version"), _version, lambda row: row.peer.activity.version),
    Column(
        lambda: translate("FleetTable", "Epoch"),
        lambda row: figures.count(row.peer.epoch),
        lambda row: row.peer.epoch,
        is_number=True,
    ),
    Column(
        lambda: translate("FleetTable", "Samples"),
        lambda row: figures.count(row.peer.samples),
        lambda row: row.peer.samples,
        is_number=True,
    ),
    Column(
        lambda: translate("FleetTable", "Speed"),
        lambda row: figures.rate(row.peer.samples_per_second),
        lambda row: row.peer.samples_per_second,
        is_number=True,
    ),
    Column(
        lambda: translate("FleetTable", "Norm ÷ median"),
        _norm_ratio,
        lambda row: row.peer.norm_ratio or 0.0,
        is_number=True,
    ),
    Column(
        lambda: translate("FleetTable", "Whole / partial / failed"),
        _rounds,
        lambda row: (row.peer.activity.whole, row.peer.activity.partial, row.peer.activity.failed),
        is_number=True,
    ),
    Column(
        lambda: translate("FleetTable", "Sent"),
        lambda row: figures.size(row.peer.activity.sent_bytes) if row.peer.activity.is_told else "",
        lambda row: row.peer.activity.sent_bytes,
        is_number=True,
    ),
    Column(
        lambda: translate("FleetTable", "Received"),
        lambda row: figures.size(row.peer.activity.received_bytes) if row.peer.activity.is_told else "",
        lambda row: row.peer.activity.received_bytes,
        is_number=True,
    ),
    Column(
        lambda: translate("FleetTable", "Connection"),
        lambda row: connection(row.peer.client_mode),
        lambda row: row.peer.client_mode,
    ),
    Column(lambda: translate("FleetTable", "Notes"), _notes, _by_notes),
)
"""What is told of a peer; what it counts of its life is empty where it tells nothing."""
