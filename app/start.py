"""The start of the window's program: Qt, one instance, the application, the loop, the end."""

from __future__ import annotations

import logging
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QCoreApplication, QLocale, Qt, QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from app.application import Application
from app.choices import Choices
from app.filled import filled
from app.handover import Handover
from app.language import Language
from app.single_instance import SingleInstance, meeting_place
from app.theme import Theme
from core.folders import Folders
from core.settings import Settings, save_settings

translate = QCoreApplication.translate  # lupdate knows it by this name only

_HUNG_CODE = 7
_log = logging.getLogger(__name__)


def open_window(handover: Handover, worker_command: Sequence[str] | None = None) -> int:
    """Show the window until the person quits; the process's exit code."""
    qt = make_qt()
    folders = Folders.default()
    instance = _instance(folders)
    if instance is not None and not instance.is_first():
        if instance.deliver(handover) == "delivered":
            return 0
        if not instance.is_first():  # or else the first one has ended in this very moment
            return _tell_of_the_hung_one(qt, instance.owner_pid)
    application = application_for(qt, folders, instance, worker_command)
    return _run(qt, application, handover)


def open_demo(worker_command: Sequence[str] | None = None) -> int:
    """Show a window of its own, which forgets everything, with an organiser to join; the exit code."""
    from app.demo import DemoOrganiser
    from core.demo import DEMO_THREADS

    qt = make_qt()
    with tempfile.TemporaryDirectory(prefix="workerbee-demo-", ignore_cleanup_errors=True) as home:
        organiser = DemoOrganiser(Folders.below(Path(home) / "organiser"), worker_command=worker_command)
        volunteers = Folders.below(Path(home) / "volunteer")
        save_settings(volunteers.settings_file, Settings(threads=DEMO_THREADS, close_to_tray=False))
        application = application_for(qt, volunteers, None, worker_command)
        organiser.published.connect(lambda link: application.take(Handover(link=link)))
        organiser.failed.connect(application.tell)
        QTimer.singleShot(0, organiser.begin)
        try:
            return _run(qt, application, Handover())
        finally:
            organiser.close()


def application_for(
    qt: QApplication,
    folders: Folders,
    instance: SingleInstance | None = None,
    worker_command: Sequence[str] | None = None,
) -> Application:
    """As the person's settings want it."""
    choices = Choices(folders.settings_file)
    if choices.settings.data_folder:
        folders = replace(folders, data=Path(choices.settings.data_folder))
    language = Language(qt)
    language.choose(choices.settings.language)
    theme = Theme(qt)
    theme.choose(choices.settings.theme)
    return Application(folders, choices, theme, language, instance=instance, worker_command=worker_command)


def _run(qt: QApplication, application: Application, handover: Handover) -> int:
    _catch_surprises(application.tell_surprise)
    # not quit(), which asks every window first, and ours would refuse
    application.finished.connect(lambda: qt.exit(0))
    application.open(handover)
    code = qt.exec()
    application.close()
    return code


def make_qt() -> QApplication:
    """Qt, as every window of ours expects it."""
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


def _tell_of_the_hung_one(qt: QApplication, pid: int | None) -> int:
    """It is not taken over: two of them would train under one name."""
    Theme(qt).choose("system")
    number = str(pid or "?")
    title = translate("Start", "Workerbee is running already, but does not answer.")
    advice = translate("Start", "Wait a little. If it stays so, end the process %1 and start again.")
    print(f"{title} {filled(advice, number)}", file=sys.stderr)
    box = QMessageBox(QMessageBox.Icon.Warning, "Workerbee", title)
    box.setInformativeText(filled(advice, number))
    box.exec()
    return _HUNG_CODE


def _catch_surprises(tell: Callable[[], None]) -> None:
    """Log in full whatever nobody has foreseen, and say one honest sentence."""

    def catch(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        _log.critical("Not foreseen", exc_info=(kind, error, trace))
        if threading.current_thread() is threading.main_thread():
            tell()

    sys.excepthook = catch
    threading.excepthook = lambda hook: catch(
        hook.exc_type, hook.exc_value or hook.exc_type(), hook.exc_traceback
    )
