"""The pages: each made when it is first needed, shown what it should show, its wishes passed on."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from app.controllers.engine_controller import EngineController
from app.controllers.session_controller import SessionController
from app.pages.join.page import JoinPage
from app.presentation.window_title import PROGRAM, window_title
from app.shell.first_window import InitialWindow
from app.shell.page_factory import engine_page, help_page, review_page, settings_page, training_page
from app.shell.page_selection import PageName, page_for
from app.widgets.idle_queue import IdleQueue
from core.client.session import Session
from core.errors import ErrorKind, UserError
from core.files.disk_space import free_space
from core.files.documents import ERRORS, INDEX, slug_of
from core.run.address import JoinAddress

if TYPE_CHECKING:
    from app.controllers.run_recorder import RunRecorder
    from app.pages.engine import EnginePage
    from app.pages.help.page import HelpPage
    from app.pages.review.page import ReviewPage
    from app.pages.settings.page import SettingsPage
    from app.pages.training.page import TrainingPage
    from core.hardware.monitor import DevicesSeen
    from core.protocol.client_events import ClientEvent
    from core.records.time_series import Curve, Series
    from core.updates.notice import UpdateNotice

_Page = TypeVar("_Page")


class Navigator(QObject):
    """Turns the window's pages as the session goes on; only what is seen is drawn."""

    log_requested = Signal()
    removal_requested = Signal()

    def __init__(self, front: InitialWindow, helm: SessionController, engine_room: EngineController) -> None:
        super().__init__(front.window)
        self._engine_room = engine_room
        self.memory: RunRecorder | None = None
        self._window, self._helm, self._choices = front.window, helm, front.choices
        self._data = front.folders.data
        self._pages: dict[PageName, Any] = {"join": self._wired_join(front.join)}
        self._seen: DevicesSeen | None = None
        self._is_in_settings = self._is_in_help = False
        self._put_away: Session | None = None
        self._newer: UpdateNotice | None = None
        self._turns = IdleQueue(self)
        helm.rehearsals.changed.connect(self.refresh)
        self._window.back_requested.connect(self.go_back)
        self._window.settings_requested.connect(self.open_settings)
        self._window.help_requested.connect(self.open_help)
        self._window.text_dropped.connect(self.fill_address)
        self._window.run_file_dropped.connect(self.take_run_file)

    @property
    def name(self) -> PageName:
        """Which page should be shown now."""
        if self._is_in_help:
            return "help"
        if self._is_in_settings:
            return "settings"
        session = self._helm.session
        if self._engine_room.is_open and self._helm.is_over:
            return "engine"
        return "join" if session is self._put_away else page_for(session)

    @property
    def join(self) -> JoinPage:
        """The first page."""
        return self._page("join", lambda: self._wired_join(JoinPage()))

    @property
    def engine(self) -> EnginePage:
        """The one before the first, where there is nothing yet that could train."""
        return self._page("engine", lambda: engine_page(self._engine_room))

    @property
    def review(self) -> ReviewPage:
        """The second."""
        return self._page("review", lambda: review_page(self._helm, self._choices, self.go_back))

    @property
    def training(self) -> TrainingPage:
        """The third."""
        return self._page("training", self._wired_training)

    @property
    def settings(self) -> SettingsPage:
        """The one beside the others."""
        return self._page("settings", self._wired_settings)

    @property
    def help(self) -> HelpPage:
        """The documents."""
        return self._page("help", lambda: help_page(self.leave_help))

    def turn(self) -> None:
        """Be on the right page, and have it show what is so now."""
        name = self.name
        if name != "review":
            self._helm.rehearsals.stop()
        page = getattr(self, name)
        is_new = self._window.page is not page
        session = self._helm.session
        self._window.show_page(
            page, offers_settings=name in ("review", "training", "engine"), offers_help=name != "help"
        )
        self._window.show_title(PROGRAM if session is self._put_away else window_title(session))
        if is_new:
            self._show_devices_to(name, page)
        if is_new and name == "review":
            self.review.show_disk(free_space(self._data, self._choices.settings.disk_limit_bytes))
            self._make_ready()
        self.refresh()

    def refresh(self) -> None:
        """Show the session, if anybody looks; the third page remembers what it is told while it is hidden."""
        session, name = self._helm.session, self.name
        if "training" in self._pages:
            self.training.show_session(session, time.time())
        if not self._window.is_seen:
            return
        if name == "engine":
            room = self._engine_room
            self.engine.show_engine(room.offer, room.last, is_making=room.is_making)
        elif name == "review":
            self.review.show_session(session)
            self.review.show_dry_run(self._helm.rehearsals.session)
        elif name == "join" and session is not self._put_away:
            self.join.show_session(session)

    def show_event(self, event: ClientEvent) -> None:
        """A line for the log of the third page."""
        if "training" in self._pages:
            self.training.show_event(event, time.time())

    def translate(self) -> None:
        """Make the pages anew, in another language; the third one can do it by itself."""
        address = self.join.entry.field.toPlainText()
        for name in [name for name in self._pages if name != "training"]:
            page = self._pages.pop(name)
            self._window.pages.removeWidget(page)
            page.deleteLater()
        self.show_recent()
        if address:
            self.join.fill_address(address)
        self.turn()

    def show_kept(self) -> None:
        """What the memory holds: call it once a second."""
        if self.memory is None or self.name != "training" or not self._window.is_seen:
            return
        self.training.show_deeds(*self.memory.deeds(self._helm.session))
        self.training.show_curves(self._curve)

    def show_devices(self, seen: DevicesSeen) -> None:
        """To the page that is open; another one is shown them when it is turned to."""
        self._seen = seen
        name = self.name
        if name in self._pages:
            self._show_devices_to(name, self._pages[name])

    def show_recent(self) -> None:
        """The runs of before."""
        if self.memory is not None:
            self.join.show_recent(self.memory.recent)

    def show_newer(self, notice: UpdateNotice) -> None:
        """On the page of the settings."""
        self._newer = notice
        if "settings" in self._pages:
            self.settings.updates.show_newer(notice)

    def show_settings(self) -> None:
        """To whoever shows some of them."""
        if "review" in self._pages:
            self.review.show_settings(self._choices.settings)
        if "settings" in self._pages:
            self.settings.show_settings(self._choices.settings)
        if self._seen is not None:
            self.show_devices(self._seen)

    def fill_address(self, text: str) -> None:
        """What was handed over waits in the field; joining takes a click."""
        self.join.fill_address(text)
        self._is_in_settings = self._is_in_help = False
        if self._helm.is_over:
            self._put_away = self._helm.session
        elif self._helm.session.consent is not None:
            title = self.tr("An address was handed over.")
            words = self.tr("It waits on the first page until this run is left.")
            self._window.notice.say("info", title, words)
        self.turn()

    def take_run_file(self, path: Path) -> None:
        """Read it; the next address is joined with it."""
        from core.run.run_file import load_run_file

        try:
            manifest = load_run_file(path)
        except UserError as error:
            self.join.show_problem(error.problem, error.detail)
            self.join.show_run_file("", "")
            return
        self._helm.manifest = manifest
        self.join.show_run_file(path.name, manifest.run.name)
        self._is_in_settings = self._is_in_help = False
        self.turn()

    def offer_clipboard(self) -> None:
        """While somebody looks at the first page; nothing is taken."""
        if self._window.is_seen and self.name == "join" and self._helm.is_over:
            self.join.offer_clipboard(QGuiApplication.clipboard().text())

    def open_settings(self) -> None:
        """Beside whatever goes on."""
        self._is_in_settings, self._is_in_help = True, False
        self.turn()

    def open_help(self, error: ErrorKind | None = None) -> None:
        """The list of documents, or the paragraph about an error, beside whatever goes on."""
        if error is not None:
            self.help.open_first(ERRORS, slug_of(error.title))
        elif not self._is_in_help:
            self.help.open_first(INDEX)
        self._is_in_help = True
        self.turn()

    def leave_help(self) -> None:
        """Back to the page beside which the help was opened."""
        self._is_in_help = False
        self.turn()

    def go_back(self) -> None:
        """To the page before; on the way back from a run that was only looked at, it is left."""
        if self._is_in_help:
            if not self.help.go_back():
                self.leave_help()
        elif self._is_in_settings:
            self._is_in_settings = False
            self.turn()
        elif self._engine_room.close():
            self.turn()
        elif self._helm.is_over:
            self.put_away()
        elif self._helm.session.consent is None:
            self._helm.leave()

    def put_away(self) -> None:
        """The run that has ended was looked at long enough."""
        if self._helm.is_over:
            self._put_away = self._helm.session
            self.turn()

    def _make_ready(self) -> None:
        """The third page, step by step, while a person reads the second: at once it would take too long."""
        self._turns.ask("load", lambda: importlib.import_module("app.pages.training.page"))
        self._turns.ask("make", lambda: self.training)
        self._turns.ask("add", lambda: self._window.add_page(self.training))

    def _page(self, name: PageName, make: Callable[[], _Page]) -> _Page:
        """The page of that name, made if need be."""
        page: _Page | None = self._pages.get(name)
        if page is None:
            page = self._pages[name] = make()
            self._show_devices_to(name, page)
        return page

    def _wired_join(self, page: JoinPage) -> JoinPage:
        page.join_requested.connect(self._join)
        page.cancel_requested.connect(self._helm.leave)
        page.run_file_requested.connect(self.take_run_file)
        page.device_chosen.connect(lambda device: self._choices.replace(device=device))
        page.settings_requested.connect(self.open_settings)
        page.forget_requested.connect(self._forget)
        return page

    def _wired_training(self) -> TrainingPage:
        page = training_page(self._helm, self._choices.settings)
        page.leave_requested.connect(self._leave)
        page.advice_requested.connect(self._follow_advice)
        page.graphs_chosen.connect(self._choose_graphs)
        return page

    def _wired_settings(self) -> SettingsPage:
        page = settings_page(self._choices, self.go_back)
        page.removal_requested.connect(self.removal_requested)
        page.updates.show_newer(self._newer)
        return page

    def _show_devices_to(self, name: PageName, page: Any) -> None:
        if self._seen is None or name in ("engine", "help"):
            return
        if name == "settings":
            page.show_devices(self._seen)
        else:
            page.show_devices(self._seen, self._choices.settings.device)

    def _join(self, address: JoinAddress) -> None:
        self._put_away = None
        self._helm.join(address)

    def _forget(self, run_id: str, organiser: str) -> None:
        if self.memory is not None:
            self.memory.forget(run_id, organiser)
            self.show_recent()

    def _leave(self) -> None:
        self.put_away() if self._helm.is_over else self._helm.leave()

    def _follow_advice(self, problem_key: str) -> None:
        """The one button beside a problem."""
        from app.presentation.error_actions import remedy_of

        match remedy_of(ErrorKind.from_key(problem_key)):
            case "again":
                self._helm.join_again()
            case "back":
                self._leave()
            case "settings":
                self.open_settings()
            case "engine":
                self._leave()
                self._engine_room.renew()
            case "log":
                self.log_requested.emit()

    def _choose_graphs(self, period: str, curves: tuple[str, ...]) -> None:
        self._choices.replace(graph_period=period, graph_curves=tuple(curves))
        self.show_kept()

    def _curve(self, series: Series) -> Curve:
        from app.charts.definitions import PERIODS

        assert self.memory is not None
        period = PERIODS[self._choices.settings.graph_period]
        return self.memory.curve(self._helm.session, series, period, time.time())
