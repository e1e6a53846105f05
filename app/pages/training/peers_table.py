"""The table of the peers in the run; fast with a thousand of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
)
from PySide6.QtWidgets import QHeaderView, QWidget

from app.widgets.layout.row_table import RowTable
from core.placeholders import fill_placeholders
from core.protocol.peers import PeerSeen
from core.security.sanitize import sanitize_line, short_id
from core.texts import figures

translate = QCoreApplication.translate  # lupdate knows it by this name only

NAME, RATE, CONNECTION, EPOCH = range(4)
_Index = QModelIndex | QPersistentModelIndex
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class PeersModel(QAbstractTableModel):
    """The rows in the order that was chosen; a view is notified only of what has changed."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[PeerSeen] = []
        self._shown: Sequence[PeerSeen] = ()
        self._column = RATE
        self._order = Qt.SortOrder.DescendingOrder

    def show_peers(self, peers: Sequence[PeerSeen]) -> None:
        """Show these peers: rows are removed, inserted and changed, and never all made anew."""
        if peers is self._shown:
            return
        self._shown = peers
        rows = self._sorted({peer.peer_id: peer for peer in peers}.values())
        present = {peer.peer_id for peer in rows}
        if {peer.peer_id for peer in self._rows} != present:
            self._remove_all_but(present)
            self._insert_missing(rows)
        self._apply_order(rows)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by that column from now on."""
        self._column, self._order = column, order
        self._apply_order(self._sorted(self._rows))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, EPOCH)

    def sort_otherwise(self, column: int) -> None:
        """Sort by that column; in the other direction if it is sorted by that column already."""
        ascending, descending = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
        is_descending = self._order == descending if column == self._column else column not in (RATE, EPOCH)
        self.sort(column, ascending if is_descending else descending)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of peers, for Qt's view."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of columns, for Qt's view."""
        return 0 if parent.isValid() else 4

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The heading of a column, for Qt's view."""
        if orientation == Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        sign = "▾" if self._order == Qt.SortOrder.DescendingOrder else "▴"
        return f"{_heading(section)} {sign}" if section == self._column else _heading(section)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The text, alignment or tooltip of a cell, for Qt's view."""
        peer = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return _words(peer, index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(index.column())
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == NAME:
            return "\n".join(filter(None, (sanitize_line(peer.device, 80), sanitize_line(peer.peer_id, 120))))
        return None

    def _sorted(self, peers: Any) -> list[PeerSeen]:
        """Those that are equal in that column are in the order of their ids, so that they do not dance."""
        steady = sorted(peers, key=lambda peer: peer.peer_id)
        is_descending = self._order == Qt.SortOrder.DescendingOrder
        return sorted(steady, key=_SORT_KEYS[self._column], reverse=is_descending)

    def _remove_all_but(self, present: set[str]) -> None:
        for row in range(len(self._rows) - 1, -1, -1):
            if self._rows[row].peer_id not in present:
                self.beginRemoveRows(QModelIndex(), row, row)
                del self._rows[row]
                self.endRemoveRows()

    def _insert_missing(self, rows: list[PeerSeen]) -> None:
        """At the end, all at once; ``_apply_order`` puts them where they belong."""
        known = {peer.peer_id for peer in self._rows}
        missing = [peer for peer in rows if peer.peer_id not in known]
        if missing:
            self.beginInsertRows(QModelIndex(), len(self._rows), len(self._rows) + len(missing) - 1)
            self._rows += missing
            self.endInsertRows()

    def _apply_order(self, rows: list[PeerSeen]) -> None:
        """Have these rows, which are of the same peers as those before; the selected ones stay selected."""
        before, self._rows = self._rows, rows
        if [peer.peer_id for peer in before] != [peer.peer_id for peer in rows]:
            self.layoutAboutToBeChanged.emit()
            places = {peer.peer_id: row for row, peer in enumerate(rows)}
            for index in self.persistentIndexList():
                row = places[before[index.row()].peer_id]
                self.changePersistentIndex(index, self.index(row, index.column()))
            self.layoutChanged.emit()
        elif changed := [row for row, peer in enumerate(rows) if peer != before[row]]:
            self.dataChanged.emit(self.index(changed[0], 0), self.index(changed[-1], EPOCH))


class PeersTable(RowTable):
    """A table of one row for each peer, the fastest first; a click on a heading sorts by it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.peers = PeersModel()
        self.setModel(self.peers)
        header = self.horizontalHeader()
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        self._retranslate()
        header.setSectionsClickable(True)
        header.sectionClicked.connect(self.peers.sort_otherwise)

    def show_peers(self, peers: Sequence[PeerSeen]) -> None:
        """Show these peers in the table."""
        self.peers.show_peers(peers)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Retranslate the texts when the language changes."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        """In the language of the moment, whose words need other widths."""
        self.setAccessibleName(self.tr("Peers in the run"))
        examples = {
            RATE: (f"{_heading(RATE)} ▾", figures.rate(100_000.0)),
            CONNECTION: (f"{_heading(CONNECTION)} ▾", _connection(True), _connection(False)),
            EPOCH: (f"{_heading(EPOCH)} ▾", figures.count(1_000_000)),
        }
        for column, texts in examples.items():
            widest = max(map(self.fontMetrics().horizontalAdvance, texts))
            self.setColumnWidth(column, widest + 34)


_SORT_KEYS = {
    NAME: lambda peer: (not peer.is_me, not peer.name, peer.name.casefold(), peer.peer_id),
    RATE: lambda peer: peer.samples_per_second,
    CONNECTION: lambda peer: peer.client_mode,
    EPOCH: lambda peer: peer.epoch,
}


def _heading(column: int) -> str:
    match column:
        case 0:
            return translate("PeersTable", "Peer")
        case 1:
            return translate("PeersTable", "Samples/s")
        case 2:
            return translate("PeersTable", "Connection")
        case _:
            return translate("PeersTable", "Epoch")


def _words(peer: PeerSeen, column: int) -> str:
    match column:
        case 0:
            name = _name(peer)
            return fill_placeholders(translate("PeersTable", "This computer, %1"), name) if peer.is_me else name
        case 1:
            return figures.rate(peer.samples_per_second)
        case 2:
            return _connection(peer.client_mode)
        case _:
            return figures.count(peer.epoch)


def _name(peer: PeerSeen) -> str:
    return sanitize_line(peer.name, 40) or short_id(peer.peer_id)


def _connection(client_mode: bool) -> str:
    return translate("PeersTable", "Outgoing only") if client_mode else translate("PeersTable", "Direct")


def _alignment(column: int) -> Qt.AlignmentFlag:
    if column in (RATE, EPOCH):
        return _RIGHT
    return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
