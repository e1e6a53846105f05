"""The peers: in order, and quick with a thousand of them."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from app.pages.training.peers_table import CONNECTION, EPOCH, NAME, RATE, PeersTable, peers_model
from tests.app.support.training_sample import peer


def rows(model: QAbstractItemModel, column: int) -> list[str]:
    return [model.index(row, column).data() for row in range(model.rowCount())]


def test_the_fastest_is_first_and_i_am_named() -> None:
    model = peers_model()
    model.show_rows([peer(3), peer(1), peer(2)])
    assert rows(model, RATE) == ["4999/s", "4998/s", "4997/s"] or rows(model, RATE)[0].startswith("4,999")
    assert rows(model, NAME)[1].startswith("This computer, ")
    assert rows(model, CONNECTION) == ["Direct", "Direct", "Outgoing only"]
    assert rows(model, EPOCH) == ["42"] * 3


def test_peers_come_go_and_change_without_the_selection_being_lost() -> None:
    model = peers_model()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)
    model.show_rows([peer(number) for number in range(10)])
    chosen = QPersistentModelIndex(model.index(4, NAME))
    name = chosen.data()
    model.show_rows([peer(number) for number in (*range(2, 7), 20, 21)])
    assert model.rowCount() == 7 and chosen.data() == name
    model.show_rows([peer(number, samples_per_second=float(number)) for number in (*range(2, 7), 20, 21)])
    assert chosen.data() == name
    assert rows(model, RATE)[0].startswith("21")
    model.show_rows([])
    assert model.rowCount() == 0 and not chosen.isValid()


def test_only_what_has_changed_is_drawn_again(qtbot: QtBot) -> None:
    model = peers_model()
    peers = [peer(number) for number in range(10)]
    model.show_rows(peers)
    changed: list[tuple[int, int]] = []
    model.dataChanged.connect(lambda first, last, *_: changed.append((first.row(), last.row())))
    model.show_rows(peers)
    assert changed == []
    model.show_rows([*peers[:3], peer(3, epoch=43), *peers[4:]])
    assert changed == [(3, 3)]


def test_a_click_on_a_heading_sorts_by_it_and_another_turns_it_round(qtbot: QtBot) -> None:
    table = PeersTable()
    qtbot.addWidget(table)
    table.show_peers([peer(number, epoch=number) for number in range(5)])
    model, clicked = table.peers, table.horizontalHeader().sectionClicked
    clicked.emit(EPOCH)
    assert rows(model, EPOCH) == ["4", "3", "2", "1", "0"]
    clicked.emit(EPOCH)
    assert rows(model, EPOCH) == ["0", "1", "2", "3", "4"]
    assert model.headerData(EPOCH, Qt.Orientation.Horizontal) == "Epoch ▴"
    clicked.emit(NAME)
    assert rows(model, NAME)[0].startswith("This computer")


def test_a_name_from_a_stranger_is_harmless() -> None:
    model = peers_model()
    model.show_rows([peer(1, peer_id="\x1b[2J<b>" + "x" * 500)])
    assert "\x1b" not in rows(model, NAME)[0] and len(rows(model, NAME)[0]) <= 20


def test_a_thousand_peers_may_come_and_go(qtbot: QtBot) -> None:
    table = PeersTable()
    qtbot.addWidget(table)
    table.resize(700, 300)
    table.show()
    qtbot.waitExposed(table)
    for second in range(10):
        first = second * 100
        peers = [
            peer(number, samples_per_second=float(number * 7919 % (1009 + second)))
            for number in range(first, first + 1000)
        ]
        table.show_peers(peers)
        table.grab()
        told = {table.model().index(row, NAME).data() for row in range(table.model().rowCount())}
        assert len(told) == len(peers)
