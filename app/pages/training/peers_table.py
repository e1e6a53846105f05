"""The table of the peers in the run; fast with a thousand of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from app.presentation.peers import connection, peer_name
from app.widgets.layout.keyed_rows import Column, KeyedRowsModel
from app.widgets.layout.row_table import RowTable
from core.placeholders import fill_placeholders
from core.protocol.peers import PeerSeen
from core.security.sanitize import sanitize_line
from core.texts import figures

translate = QCoreApplication.translate  # lupdate knows it by this name only

NAME, RATE, CONNECTION, EPOCH = range(4)


class PeersTable(RowTable):
    """A table of one row for each peer, the fastest first; a click on a heading sorts by it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.peers = peers_model()
        self.setModel(self.peers)
        header = self.horizontalHeader()
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        self._retranslate()
        header.setSectionsClickable(True)
        header.sectionClicked.connect(self.peers.sort_otherwise)

    def show_peers(self, peers: Sequence[PeerSeen]) -> None:
        """Show these peers in the table."""
        self.peers.show_rows(peers)

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
            CONNECTION: (f"{_heading(CONNECTION)} ▾", connection(True), connection(False)),
            EPOCH: (f"{_heading(EPOCH)} ▾", figures.count(1_000_000)),
        }
        for column, texts in examples.items():
            widest = max(map(self.fontMetrics().horizontalAdvance, texts))
            self.setColumnWidth(column, widest + 34)


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


def _peer(peer: PeerSeen) -> str:
    name = peer_name(peer)
    return fill_placeholders(translate("PeersTable", "This computer, %1"), name) if peer.is_me else name


def _told(peer: PeerSeen) -> str:
    return "\n".join(filter(None, (sanitize_line(peer.device, 80), sanitize_line(peer.peer_id, 120))))


_COLUMNS = (
    Column[PeerSeen](
        partial(_heading, NAME),
        _peer,
        lambda peer: (not peer.is_me, not peer.name, peer.name.casefold(), peer.peer_id),
        tooltip=_told,
    ),
    Column[PeerSeen](
        partial(_heading, RATE),
        lambda peer: figures.rate(peer.samples_per_second),
        lambda peer: peer.samples_per_second,
        is_number=True,
    ),
    Column[PeerSeen](
        partial(_heading, CONNECTION), lambda peer: connection(peer.client_mode), lambda peer: peer.client_mode
    ),
    Column[PeerSeen](
        partial(_heading, EPOCH), lambda peer: figures.count(peer.epoch), lambda peer: peer.epoch, is_number=True
    ),
)


def peers_model() -> KeyedRowsModel:
    """The rows of the table, the fastest peer first."""
    return KeyedRowsModel(_COLUMNS, lambda peer: peer.peer_id, sorted_by=RATE)
