"""The start of the window's program: Qt, one instance, the application, the loop, the end."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLocale, QObject, Qt, QTimer, Signal
from PySide6.QtDBus import QDBusConnection
from PySide6.QtWidgets import QApplication

from app.appearance.language import Language
from app.appearance.theme import Theme
from app.controllers.settings_store import SettingsStore
from app.desktop.color_scheme import PortalColorScheme
from app.desktop.launch_request import LaunchRequest
from app.desktop.single_instance import SingleInstance
from app.desktop.upgrade_watcher import begin_anew
from app.shell.first_window import InitialWindow
from core.control.place import meeting_place
from core.files.folders import Folders
from core.placeholders import fill_placeholders
from core.records.settings import Settings, save_settings

if TYPE_CHECKING:
    from app.application import Application

translate = QCoreApplication.translate  # lupdate knows it by this name only

_AFTER_FIRST_PAINT_MILLISECONDS = 20
_HUNG_CODE = _BROKEN_CODE = 7
_log = logging.getLogger(__name__)


def open_window(request: LaunchRequest, worker_command: Sequence[str] | None = None) -> int:
    """Show the window until the person quits; the exit code of the process."""
    qt = make_qt()
    folders = Folders.default()
    instance = _instance(folders)
    if instance is not None and not instance.is_first():
        if instance.deliver(request) == "delivered":
            return 0
        if not instance.is_first():  # or else the first one has ended in this very moment
            return _show_hung_instance(qt, instance.owner_pid)
    start = Start(qt, initial_window_for(qt, folders), instance=instance, worker_command=worker_command)
    code = start.run(request)
    if start.is_restarting:
        begin_anew(start.was_seen)
    return code


def open_demo(worker_command: Sequence[str] | None = None) -> int:
    """Show a window that forgets everything, with an organiser to join on this computer; the exit code."""
    from app.controllers.demo_organiser import DemoOrganiser
    from core.client.demo import DEMO_THREADS
    from core.files.temp_folder import temp_folder

    qt = make_qt()
    with temp_folder() as home:
        organiser = DemoOrganiser(Folders.below(home / "organiser"), worker_command=worker_command)
        volunteers = Folders.below(home / "volunteer")
        save_settings(volunteers.settings_file, Settings(threads=DEMO_THREADS, close_to_tray=False))
        start = Start(qt, initial_window_for(qt, volunteers), worker_command=worker_command)

        def connect(application: Application) -> None:
            organiser.published.connect(lambda link: application.intake.open(LaunchRequest(link=link)))
            organiser.failed.connect(application.notices.show_error)
            QTimer.singleShot(0, organiser.start)

        start.begun.connect(connect)
        try:
            return start.run(LaunchRequest())
        finally:
            organiser.close()


def initial_window_for(qt: QApplication, folders: Folders) -> InitialWindow:
    """The first window, in the theme and language of the settings, with the data folder that they name."""
    settings_store = SettingsStore(folders.settings_file)
    if settings_store.settings.data_folder:
        folders = replace(folders, data=Path(settings_store.settings.data_folder))
    language = Language(qt)
    language.choose(settings_store.settings.language)
    theme = Theme(qt)
    theme.choose(settings_store.settings.theme)
    theme.follow(PortalColorScheme(QDBusConnection.sessionBus(), theme))
    return InitialWindow(folders, settings_store, theme, language)


class Start(QObject):
    """Shows the first window, makes the application behind it, and runs Qt's loop.

    Signals:
        begun: the application has been made (an Application).

    Attributes:
        is_restarting: after the loop: the program was replaced meanwhile, and is to begin anew.
        was_seen: after the loop: whether its window was shown at the end.
    """

    begun = Signal(object)

    def __init__(
        self,
        qt: QApplication,
        initial_window: InitialWindow,
        *,
        instance: SingleInstance | None = None,
        worker_command: Sequence[str] | None = None,
    ) -> None:
        super().__init__()
        self._qt, self._initial_window = qt, initial_window
        self._instance, self._worker_command = instance, worker_command
        self._application: Application | None = None
        self.is_restarting = self.was_seen = False

    def run(self, request: LaunchRequest) -> int:
        """Run until the person quits; the exit code of the process."""
        self._initial_window.open(request)
        QTimer.singleShot(_AFTER_FIRST_PAINT_MILLISECONDS, self, lambda: self._make_application(request))
        code = self._qt.exec()
        if self._application is not None:
            events = self._application.system_events
            self.is_restarting = events is not None and events.is_restarting
            self.was_seen = self._application.window.is_seen
            self._application.close()
        return code

    def _make_application(self, request: LaunchRequest) -> None:
        try:
            application = self._application = self._load_application()
        except BaseException:
            self._initial_window.window.close_for_good()
            self._qt.exit(_BROKEN_CODE)
            raise
        _catch_unforeseen(lambda: application.notices.show_internal_error(application.folders.logs))
        # not quit(), which asks every window first, and ours would refuse
        application.finished.connect(lambda: self._qt.exit(0))
        application.open(request)
        self.begun.emit(application)

    def _load_application(self) -> Application:
        """Loading it takes about as long as the first picture did."""
        from app.application import Application

        return Application(self._initial_window, instance=self._instance, worker_command=self._worker_command)


def make_qt() -> QApplication:
    """Make Qt's application, set up as every window of ours expects it."""
    QCoreApplication.setApplicationName("workerbee")
    qt = QApplication(["workerbee"])  # the first word becomes the windows' class, which panels group by
    qt.setDesktopFileName("workerbee")
    qt.setApplicationDisplayName("Workerbee")
    qt.setQuitOnLastWindowClosed(False)
    qt.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
    QLocale.setDefault(QLocale.system())
    return qt


def _instance(folders: Folders) -> SingleInstance | None:
    """Without a place to meet there may be two windows, which is better than none."""
    try:
        return SingleInstance(meeting_place(folders.data))
    except OSError:
        return None


def _show_hung_instance(qt: QApplication, pid: int | None) -> int:
    """It is not taken over: two of them would train under one name."""
    from PySide6.QtWidgets import QMessageBox

    Theme(qt).choose("system")
    number = str(pid or "?")
    title = translate("Start", "Workerbee is running already, but does not answer.")
    advice = translate("Start", "Wait a little. If it stays so, end the process %1 and start again.")
    print(f"{title} {fill_placeholders(advice, number)}", file=sys.stderr)
    box = QMessageBox(QMessageBox.Icon.Warning, "Workerbee", title)
    box.setInformativeText(fill_placeholders(advice, number))
    box.exec()
    return _HUNG_CODE


def _catch_unforeseen(report: Callable[[], None]) -> None:
    """Log in full whatever nobody has foreseen, and say one honest sentence."""

    def catch(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        _log.critical("Not foreseen", exc_info=(kind, error, trace))
        if threading.current_thread() is threading.main_thread():
            report()

    sys.excepthook = catch
    threading.excepthook = lambda hook: catch(hook.exc_type, hook.exc_value or hook.exc_type(), hook.exc_traceback)
