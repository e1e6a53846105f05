"""The one window: a header, a place for what must be known, and below it one page at a time."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QEvent, QSize, Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QHideEvent,
    QIcon,
    QKeyEvent,
    QKeySequence,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from app.desktop.drop import dropped
from app.presentation.window_title import PROGRAM
from app.shell.header import Header
from app.widgets.callout import HelpRequest
from app.widgets.notice_bar import NoticeBar

SMALLEST = QSize(560, 420)
FIRST = QSize(980, 720)


class Window(QMainWindow):
    """Knows no page: it is given them. Its cross only asks, and ``end`` is how it closes."""

    back_requested = Signal()
    settings_requested = Signal()
    help_requested = Signal(object)
    close_requested = Signal()
    quit_requested = Signal()
    pause_or_resume_requested = Signal()
    text_dropped = Signal(str)
    run_file_dropped = Signal(object)
    visibility_changed = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self._is_ending = False
        self.setWindowTitle(PROGRAM)
        self.setMinimumSize(SMALLEST)
        self.resize(FIRST)
        self.setAcceptDrops(True)
        self.header, self.notice, self.pages = Header(), NoticeBar(), QStackedWidget()
        self.header.settings_requested.connect(self.settings_requested)
        self.header.help_requested.connect(lambda: self.help_requested.emit(None))
        whole = QWidget()
        rows = QVBoxLayout(whole)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self.header)
        rows.addWidget(self.notice)
        rows.addWidget(self.pages, 1)
        self.setCentralWidget(whole)
        self._add_shortcuts()

    def add_page(self, page: QWidget) -> None:
        """Have it ready to be turned to."""
        if self.pages.indexOf(page) < 0:
            self.pages.addWidget(page)

    def show_page(self, page: QWidget, *, offers_settings: bool = True, offers_help: bool = True) -> None:
        """Turn to that page; the header offers what the page is not itself."""
        self.add_page(page)
        self.header.offer_help(offers_help)
        self.header.offer_settings(offers_settings)
        if self.pages.currentWidget() is not page:
            self.pages.setCurrentWidget(page)

    def show_title(self, title: str) -> None:
        """For the frame and the task bar, which want no stranger's tricks in it either."""
        if title != self.windowTitle():
            self.setWindowTitle(title)

    @property
    def page(self) -> QWidget | None:
        """What is shown."""
        return self.pages.currentWidget()

    @property
    def is_seen(self) -> bool:
        """Whether drawing in it is worth the trouble."""
        return self.isVisible() and not self.isMinimized()

    def come_forward(self) -> None:
        """Be seen, whatever was before."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        if QGuiApplication.platformName() != "offscreen":  # which would complain
            self.raise_()
        self.activateWindow()

    def end(self) -> None:
        """Close without asking."""
        self._is_ending = True
        self.close()

    def remember_place(self, path: Path) -> None:
        """Be where that file says from now on; a file that says nonsense is not obeyed."""
        if path.is_file() and path.stat().st_size < 4096:
            self.restoreGeometry(QByteArray(path.read_bytes()))

    def place(self) -> bytes:
        """What such a file should hold."""
        return bytes(self.saveGeometry().data())

    def give_icon(self, icon: QIcon) -> None:
        """For the window's frame and the header."""
        self.setWindowIcon(icon)
        self.header.show_icon(icon)

    def event(self, event: QEvent) -> bool:
        """A callout asks for help about its error."""
        if isinstance(event, HelpRequest):
            self.help_requested.emit(event.error)
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Escape, unless a page has used it, goes back."""
        if event.key() == Qt.Key.Key_Escape:
            self.back_requested.emit()
        else:
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        """A run file or a text may be dropped anywhere."""
        if dropped(event.mimeData()) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        """Pass it on."""
        match dropped(event.mimeData()):
            case Path() as path:
                self.run_file_dropped.emit(path)
            case str() as text:
                self.text_dropped.emit(text)
        event.acceptProposedAction()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Whether to hide or to quit is not the window's to decide."""
        if self._is_ending:
            event.accept()
        else:
            event.ignore()
            self.close_requested.emit()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Now it is worth drawing."""
        super().showEvent(event)
        self.visibility_changed.emit(self.is_seen)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        """And now it is not."""
        super().hideEvent(event)
        self.visibility_changed.emit(False)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Minimised is as good as hidden."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.WindowStateChange:
            self.visibility_changed.emit(self.is_seen)

    def _add_shortcuts(self) -> None:
        for keys, wish in (
            ("Alt+Left", self.back_requested),
            ("Ctrl+,", self.settings_requested),
            ("Ctrl+P", self.pause_or_resume_requested),
            ("Ctrl+W", self.close_requested),
            ("Ctrl+Q", self.quit_requested),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(wish)
        QShortcut(QKeySequence("F1"), self).activated.connect(lambda: self.help_requested.emit(None))
        QShortcut(QKeySequence("F11"), self).activated.connect(self._toggle_full_screen)

    def _toggle_full_screen(self) -> None:
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)
