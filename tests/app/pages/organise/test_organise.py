"""The page of an organiser: figures of a fleet, curves, a table of a thousand peers, runs published from here."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest
from PySide6.QtCore import QAbstractItemModel, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.pages.organise.facts import facts_of
from app.pages.organise.page import OrganisePage
from core.client.session import Session
from core.errors import ErrorKind
from core.fleet.history import FleetHistory
from core.security.sanitize import short_id
from tests.app.support.organise_sample import LINES, LINK, look_at, organise_page
from tests.core.fleet.made_up_fleets import peer, snapshot

NAME, EPOCH, SPEED, NOTES = 0, 3, 5, 11
PEERS = 1000

pytestmark = pytest.mark.usefixtures("english")


@pytest.fixture
def page(qtbot: QtBot) -> Iterator[OrganisePage]:
    page = organise_page()
    qtbot.addWidget(page)
    page.resize(800, 600)
    with qtbot.waitExposed(page):
        page.show()
    yield page


def column(model: QAbstractItemModel, number: int) -> list[str]:
    return [model.index(row, number).data() for row in range(model.rowCount())]


def test_everything_that_is_known_of_a_fleet_is_said_in_words(page: OrganisePage) -> None:
    facts = dict(facts_of(look_at(40, 30, untold=3)))
    assert facts["Peers"] == "43: 27 direct, 13 outgoing only, 4 in an earlier epoch"
    assert facts["Epoch"].startswith("3 of 100, the run ends in about ")
    assert facts["Rounds"].startswith("200 whole, 40 partial, 80 failed")
    assert "left out: 12, refused states: 1" in facts["Suspects"] and facts["Blocked"]
    assert facts["Energy"].startswith("700 W of the 10 of 43 peers that tell, 1.1 kWh so far\nabout ")
    assert facts["Energy"].endswith(" by the end of the run, at this power and speed")
    assert "10 × Tesla T4, " in facts["Devices"] and "signed at epoch 3" in facts["Loss"]
    assert facts["Why not whole"].startswith("no other peer was found in time: 3 peers\n")
    assert facts["Address"].startswith("1 of 3 peers that tried could connect") and "--announce" in facts["Address"]
    for words in ("Sums · open", "Seen ", "A new data set comes on Friday.", *facts.values()):
        assert words in page.text.replace("\u200b", "")


def test_countries_are_said_where_a_peer_tells_one_and_nothing_of_them_elsewhere() -> None:
    telling = snapshot(peer(0, country="DE"), peer(1, country="DE"), peer(2, country="FR"), peer(3))
    assert dict(facts_of(telling))["Countries"] == "2 × DE, 1 × FR, 1 does not say"
    assert "Countries" not in dict(facts_of(snapshot(peer(0))))


def test_a_short_id_is_whole_and_a_run_of_short_devices_leaves_room_for_the_other_columns(page: OrganisePage) -> None:
    table, snapshot = page.fleet.table, look_at(3, 3)
    assert table.columnWidth(0) > table.fontMetrics().horizontalAdvance(short_id(snapshot.peers[0].peer_id))
    before = table.columnWidth(1)
    cpus = tuple(msgspec.structs.replace(peer, device="CPU") for peer in snapshot.peers)
    page.fleet.show_fleet(msgspec.structs.replace(snapshot, peers=cpus))
    assert table.columnWidth(1) < before


def test_the_curves_show_peers_speed_and_both_losses(page: OrganisePage) -> None:
    described = {chart.graph.key: chart.accessibleDescription() for chart in page.charts.charts}
    assert described["peers"] == "31" and described["throughput"].startswith("swarm ")
    assert "training 0.5" in described["loss"] and "validation 1.20" in described["loss"]


def test_whoever_is_searched_for_is_found_by_name_device_version_id_or_note(page: OrganisePage) -> None:
    QTest.keyClick(page, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert page.fleet.search.hasFocus()
    for typed, found in (("desk 23", 1), ("tesla", 10), ("named", 1), ("000007", 1), ("behind", 4), ("nobody", 0)):
        page.fleet.search.clear()
        QTest.keyClicks(page.fleet.search, typed)
        assert page.fleet.model.rowCount() == found, typed
    QTest.keyClick(page.fleet.search, Qt.Key.Key_Escape)
    assert page.fleet.model.rowCount() == 40
    back: list[None] = []
    page.back_requested.connect(lambda: back.append(None))
    QTest.keyClick(page.fleet.search, Qt.Key.Key_Escape)
    assert back == [None]


def test_a_strangers_name_is_harmless_and_suspects_come_first_when_notes_are_sorted(page: OrganisePage) -> None:
    model = page.fleet.model
    assert not any("\x1b" in name or "\u202e" in name for name in column(model, NAME))
    page.fleet.table.horizontalHeader().sectionClicked.emit(NOTES)
    assert column(model, NOTES)[:2] == ["named by 3, cut down in 12 rounds", "behind"]


def test_a_thousand_peers_are_changed_sorted_and_searched_in_place(page: OrganisePage) -> None:
    """The model is Qt's own tester's: an inconsistent signal is a failure; the selected peer stays selected."""
    model, history = page.fleet.model, FleetHistory()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    resets: list[None] = []
    model.modelReset.connect(lambda: resets.append(None))
    page.show_fleet(look_at(PEERS), history)
    page.fleet.table.selectRow(500)
    chosen = QPersistentModelIndex(page.fleet.table.currentIndex())
    name = chosen.sibling(chosen.row(), NAME).data()
    for look in range(1, 6):
        page.show_fleet(look_at(PEERS, look), history)
        speeds = [row.peer.samples_per_second for row in model.rows]
        assert speeds == sorted(speeds, reverse=True)
    page.show_fleet(look_at(PEERS - 100, 6), history)
    assert model.rowCount() == PEERS - 100 and resets == []
    assert chosen.sibling(chosen.row(), NAME).data() == name
    assert page.fleet.table.currentIndex().row() == chosen.row()


def test_published_runs_are_watched_copied_and_exported_with_buttons(page: OrganisePage) -> None:
    asked: list[tuple[str, str]] = []
    page.published.watch_requested.connect(lambda link: asked.append(("watch", link)))
    page.published.copy_requested.connect(lambda link: asked.append(("copy", link)))
    page.published.export_requested.connect(lambda run_id: asked.append(("export", run_id)))
    buttons = page.published.findChildren(QPushButton)
    for button in buttons:
        button.click()
    assert asked == [("watch", LINK), ("copy", LINK), ("export", "sums")]
    assert len(buttons) == 3 * len(LINES)


def test_a_problem_is_told_and_what_is_not_looked_for_by_itself_has_a_button(page: OrganisePage) -> None:
    lost = Session(phase="ended", problem=ErrorKind.NOBODY_ANSWERS)
    page.show_watching(lost, is_watching=True)
    assert "by itself" in page.problem.text and not page.problem.action.isVisible()
    page.show_watching(lost, is_watching=False)
    again: list[None] = []
    page.watch_again_requested.connect(lambda: again.append(None))
    page.problem.action.click()
    assert again == [None] and "Last seen " in page.status.text()


def test_a_page_that_watches_nothing_says_how_to_begin(qtbot: QtBot) -> None:
    page = OrganisePage()
    qtbot.addWidget(page)
    page.show()
    assert "No run is watched" in page.status.text()
    assert not page.fleet.isVisible() and not page.published.isVisible() and not page.stop.isVisible()
