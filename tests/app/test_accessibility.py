"""Every page and window can be used without a mouse and without seeing it, in a small window and with long words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QRadioButton,
    QScrollArea,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.controllers.thread_bridge import Bridge
from app.pages.contributions.page import ContributionsPage
from app.pages.engine import EnginePage
from app.pages.help.report_dialog import ReportDialog
from app.pages.join.page import JoinPage
from app.pages.join.run_catalogue import ShownCatalogues
from app.pages.order.view import OrderRow, OrderView
from app.pages.review.page import ReviewPage
from app.pages.settings.page import SettingsPage
from app.shell.erase_dialog import EraseDialog
from app.shell.shutdown_window import ShutdownWindow
from core.availability.decision import Decision, Reason
from core.availability.observation import GpuUse, Observation
from core.availability.rule_views import rule_views
from core.availability.rules import AvailabilityRules
from core.catalogue.refusal import Refusal
from core.catalogue.store import KnownCatalogue
from core.client.session import Session
from core.engine.build_selection import Choice, Suited
from core.engine.file_lists import EngineFile, EngineFiles
from core.engine.install.events import InstallFailed
from core.engine.install.offer import EngineOffer
from core.errors import ErrorKind
from core.files.folders import Folders
from core.protocol.events import FitMeasured
from core.records.erase import CATEGORIES
from core.records.recent_runs import RecentRun
from core.records.settings import Settings
from core.updates.notice import UpdateNotice
from tests.app.pages.test_contributions import GIVEN, TARIFF
from tests.app.support.organise_sample import organise_page
from tests.app.support.sample_sessions import ADDRESS, BUSY_GPU, CPU, GPU, PEER, run_found, search, seen
from tests.core.catalogue.listed import catalogue, entry
from tests.core.run.test_receipts import MINE_KEPT

LONG = "Donaudampfschifffahrtsgesellschaft " * 3
SEEN = Observation(
    datetime(2026, 11, 25, 12, tzinfo=UTC), 0.0, idle_seconds=240.0, is_on_battery=True, battery=0.5, games=(LONG,),
    programs=frozenset({"blender"}), gpu_uses=(GpuUse(0, LONG, 0.5),), memory_pressure=0.1, sent_today=10**9,
    received_today=10**10,
)  # fmt: skip
RULES = AvailabilityRules(programs=("blender", "n" * 100), highest_price=0.25, idle_minutes=5)
ORDER = OrderView(
    rows=(
        OrderRow(("long", PEER), LONG, "changed"),
        OrderRow(("sums", PEER), "Sums", is_present=True),
        OrderRow(("c", PEER), "C", "unreachable"),
    ),
    addable=((("d", PEER), LONG),),
    return_after_minutes=None,
    changes=(f"12:00 · {LONG}",) * 4,
    can_begin=True,
)
INTERACTIVE = (QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit)


def join_page() -> JoinPage:
    page = JoinPage()
    page.show_devices(seen(GPU, BUSY_GPU, CPU), "auto")
    page.offer_clipboard(ADDRESS)
    page.show_run_file(f"{'long' * 20}.toml", LONG)
    page.show_recent(
        (RecentRun(run_id="sums", name=LONG, organiser=PEER, address=ADDRESS, last_state="paused", at=0.0),)
    )
    page.order.show_order(ORDER)
    return page


def first_day_page() -> JoinPage:
    page = JoinPage()
    page.show_devices(seen(GPU, BUSY_GPU, CPU), "auto")
    page.show_questions(Settings())
    return page


def long_catalogue() -> KnownCatalogue:
    """A list with the longest words, which is signed with another key now."""
    runs = catalogue(*(entry(f"run-{number}", name=LONG, description=LONG * 4) for number in range(5)))
    return KnownCatalogue(
        source="https://example.org/" + "a" * 200,
        publisher=PEER,
        catalogue=msgspec.structs.replace(runs, title=LONG),
        read_at=0.0,
        asked_at=0.0,
        refusal=Refusal("other_key", PEER),
    )


def catalogue_page() -> JoinPage:
    page, listed = join_page(), long_catalogue()
    page.catalogue.show_catalogues(ShownCatalogues((listed,), frozenset({listed.source})))
    page.catalogue.show_device(GPU, (GPU, CPU))
    page.catalogue.adding.show_refusal(Refusal("unreadable", LONG))
    return page


def review_page() -> ReviewPage:
    page = ReviewPage()
    page.show_devices(seen(GPU, CPU), "auto")
    page.show_session(search(run_found(name=LONG, homepage="https://example.org/" + "a" * 150)))
    page.show_dry_run(Session(fit=FitMeasured(device="cpu", micro_batch=4096, samples_per_second=123456.0)))
    return page


def further_gpus_page() -> ReviewPage:
    page, run = ReviewPage(), run_found()
    gpus = [
        GPU,
        *(
            replace(GPU, index=index, name="NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition")
            for index in (1, 2)
        ),
    ]
    page.show_devices(seen(*gpus), "auto")
    page.show_session(search(run))
    page.offer.further_devices.show_devices(GPU, gpus, {"cuda:2"}, run.manifest)
    return page


def choice_page() -> ReviewPage:
    page = ReviewPage()
    page.show_session(search(run_found("one", name=LONG), run_found("two")))
    return page


def contributions_page() -> ContributionsPage:
    page = ContributionsPage()
    page.show_contributions(GIVEN, TARIFF, LONG)
    page.receipts.show_receipts((MINE_KEPT,))
    return page


def settings_page() -> SettingsPage:
    page = SettingsPage()
    page.show_devices(seen(GPU, CPU))
    page.show_settings(
        Settings(
            data_folder="/somewhere/" + "a" * 200,
            public_name="Anna",
            availability=RULES,
            update_address=f"https://{'updates.' * 12}example.org/latest.json",
            update_publisher=PEER,
        )
    )
    decision = Decision((Reason("program", LONG),), ignored=("battery", "metered"))
    page.availability.show_sights(decision, rule_views(RULES, SEEN), frozenset({"blender", "firefox"}))
    page.updates.show_newer(UpdateNotice(version="999999.999999", page="https://example.org/"))
    page.catalogues.show_catalogues((long_catalogue(),))
    return page


def engine_page() -> EnginePage:
    page = EnginePage()
    file = EngineFile(
        library="torch",
        version="2.13.0",
        name="torch-2.13.0-py3-none-any.whl",
        pythons=("3.11",),
        bytes=200_000_000,
        unpacked_bytes=700_000_000,
        sha256="0" * 64,
    )
    choice = Choice(Suited("cpu", "driver_too_old", "470.1"), EngineFiles(build="cpu", files=(file,)))
    offer = EngineOffer(Path("/somewhere") / ("a" * 200), choice, 80_000_000_000)
    page.show_engine(offer, InstallFailed(ErrorKind.DISK_FULL, LONG), is_making=False)
    return page


def erase_dialog() -> QWidget:
    folders = Folders.default()
    for folder in (folders.logs, folders.contents.fetched / "files"):
        folder.mkdir(parents=True)
        (folder / "something").write_bytes(b"x" * 4700)
    bridge = Bridge()
    dialog = EraseDialog(folders, bridge, QApplication.activeWindow() or QWidget())
    dialog.open()
    bridge.sizes_arrived.emit(dict.fromkeys(CATEGORIES, 4700))
    assert dialog.box is not None
    return dialog.box


def report_dialog() -> QWidget:
    window = QWidget()
    window.resize(800, 600)
    dialog = ReportDialog("\n".join([LONG] * 200), window)
    dialog.setParent(None, Qt.WindowType.Dialog)  # the window is not kept
    return dialog


PAGES = (
    join_page,
    first_day_page,
    catalogue_page,
    review_page,
    further_gpus_page,
    choice_page,
    settings_page,
    contributions_page,
    engine_page,
    organise_page,
)
WINDOWS = (ShutdownWindow, erase_dialog, report_dialog)


@pytest.fixture(params=[*PAGES, *WINDOWS], ids=lambda make: make.__name__)
def page(request: pytest.FixtureRequest, qtbot: QtBot) -> QWidget:
    make: Callable[[], QWidget] = request.param
    page = make()
    qtbot.addWidget(page)
    if make in PAGES:
        page.resize(560, 420)
    with qtbot.waitExposed(page):
        page.show()
    return page


def interactive(page: QWidget) -> list[QWidget]:
    widgets = [widget for widget in page.findChildren(QWidget) if isinstance(widget, INTERACTIVE)]
    return [
        widget
        for widget in widgets
        if widget.isVisible() and widget.isEnabled() and not isinstance(widget.parent(), INTERACTIVE)
    ]


def name_of(widget: QWidget) -> str:
    own_text = widget.text() if isinstance(widget, QAbstractButton) else ""
    return widget.accessibleName() or own_text


def test_everything_has_a_name(page: QWidget) -> None:
    assert [type(widget) for widget in interactive(page) if not any(map(str.isalpha, name_of(widget)))] == []


def is_reached_by_arrows(widget: QWidget) -> bool:
    """Tab leads to the chosen one of several radio buttons, and the arrow keys from there to the others."""
    return isinstance(widget, QRadioButton) and not widget.isChecked()


def test_everything_can_be_reached_with_tab(page: QWidget) -> None:
    """From a dialog's other widgets, Tab leads to its default button; Shift+Tab to the ones before it."""
    wanted = {widget for widget in interactive(page) if not is_reached_by_arrows(widget)}
    reached = set()
    for key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab) if page.findChild(QDialogButtonBox) else (Qt.Key.Key_Tab,):
        for _ in range(3 * len(wanted)):
            QTest.keyClick(page.focusWidget() or page, key)
            reached.add(page.focusWidget())
    assert [name_of(widget) for widget in wanted - reached] == []


def test_nothing_is_wider_than_a_small_window(page: QWidget) -> None:
    areas = [area for area in page.findChildren(QScrollArea) if area.isVisible()]
    assert areas or isinstance(page, ShutdownWindow | QMessageBox | ReportDialog)
    for area in areas:
        content = area.widget()
        assert content is not None and content.width() <= area.viewport().width()


def test_no_word_is_cut(page: QWidget) -> None:
    labels = [label for label in page.findChildren(QLabel) if label.isVisible() and label.text()]
    assert [label.text() for label in labels if label.width() < label.minimumSizeHint().width()] == []
    assert [
        label.text() for label in labels if label.wordWrap() and label.height() < label.heightForWidth(label.width())
    ] == []
