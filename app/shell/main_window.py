"""The main window: a header, a notice bar, and below them one page at a time."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QEvent, QMimeData, QSize, Qt, Signal
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
from PySide6.QtWidgets import QMainWindow, QPushButton, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from app.presentation.window_title import PROGRAM
from app.shell.header import Header
from app.widgets.callout import HelpRequest
from app.widgets.notice_bar import NoticeBar

SMALLEST = QSize(560, 420)
FIRST = QSize(980, 720)
_FRAME = QSize(16, 48)  # about what a desktop puts around a window; of a small screen, that much is left for it
_RUN_FILE = ".toml"
_MAX_DROPPED_CHARACTERS = 64 * 1024
_MAX_GEOMETRY_BYTES = 4096


class MainWindow(QMainWindow):
    """Shows one of the pages that it is given, and emits what a person wishes.

    Signals:
        back_requested: Escape, or Alt and the left arrow.
        settings_requested: the header's button, or Ctrl and the comma.
        contributions_requested: the header's button, or Ctrl+B.
        organise_requested: the header's button, or Ctrl+O.
        help_requested: the header's button or F1 (``None``), or a callout's (its ErrorKind).
        close_requested: the window's cross, or Ctrl+W; whether that means to hide or to quit is decided elsewhere.
        quit_requested: Ctrl+Q.
        pause_or_resume_requested: Ctrl+P.
        text_dropped: a text was dropped on the window, which may hold an address.
        run_file_dropped: a run file was dropped on the window (its Path).
        visibility_changed: whether the window is seen from now on.

    Attributes:
        header: the head above every page.
        notice: the bar below it.
        pages: the stack of pages.
    """

    back_requested = Signal()
    settings_requested = Signal()
    contributions_requested = Signal()
    organise_requested = Signal()
    help_requested = Signal(object)
    close_requested = Signal()
    quit_requested = Signal()
    pause_or_resume_requested = Signal()
    text_dropped = Signal(str)
    run_file_dropped = Signal(object)
    visibility_changed = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self._is_closing_for_good = False
        self.setWindowTitle(PROGRAM)
        self.setMinimumSize(SMALLEST)
        self.resize(FIRST.boundedTo(self.screen().availableSize() - _FRAME))
        self.setAcceptDrops(True)
        self.header, self.notice, self.pages = Header(), NoticeBar(), QStackedWidget()
        self.header.settings_requested.connect(self.settings_requested)
        self.header.contributions_requested.connect(self.contributions_requested)
        self.header.organise_requested.connect(self.organise_requested)
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
        """Add a page without showing it, so that showing it later is quick."""
        if self.pages.indexOf(page) < 0:
            self.pages.addWidget(page)

    def show_page(
        self,
        page: QWidget,
        *,
        offers_settings: bool = True,
        offers_help: bool = True,
        offers_contributions: bool = True,
    ) -> None:
        """Show that page, and add it first if need be; the header offers what the page is not itself."""
        self.add_page(page)
        self.header.offer_contributions(offers_contributions)
        self.header.offer_help(offers_help)
        self.header.offer_settings(offers_settings)
        if self.pages.currentWidget() is not page:
            self.pages.setCurrentWidget(page)

    def remove_page(self, page: QWidget) -> None:
        """Remove a page and delete it."""
        self.pages.removeWidget(page)
        page.deleteLater()

    def show_title(self, title: str) -> None:
        """Set the title of the frame and of the task bar; the text is expected to be sanitised."""
        if title != self.windowTitle():
            self.setWindowTitle(title)

    @property
    def page(self) -> QWidget | None:
        """The page that is shown."""
        return self.pages.currentWidget()

    @property
    def is_seen(self) -> bool:
        """Whether the window is visible and not minimised, so that drawing in it is worth the work."""
        return self.isVisible() and not self.isMinimized()

    def come_forward(self) -> None:
        """Show the window above all others, whether it was hidden, minimised or behind them."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        if QGuiApplication.platformName() != "offscreen":  # which would complain
            self.raise_()
        self.activateWindow()

    def close_for_good(self) -> None:
        """Close the window without asking whether that means to hide or to quit."""
        self._is_closing_for_good = True
        self.close()

    def restore_geometry_from(self, path: Path) -> None:
        """Take the place and size that were saved in a file; one that is missing or damaged changes nothing."""
        if path.is_file() and path.stat().st_size < _MAX_GEOMETRY_BYTES:
            self.restoreGeometry(QByteArray(path.read_bytes()))

    def geometry_bytes(self) -> bytes:
        """The window's place and size, for a file that ``restore_geometry_from`` reads."""
        return bytes(self.saveGeometry().data())

    def set_icon(self, icon: QIcon) -> None:
        """Show the icon in the window's frame and in the header."""
        self.setWindowIcon(icon)
        self.header.show_icon(icon)

    def event(self, event: QEvent) -> bool:
        """Emit that a callout asks for help about its error."""
        if isinstance(event, HelpRequest):
            self.help_requested.emit(event.error)
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Go back with Escape, and press the button that has the focus with Return, unless a page has used them.

        Which keys press a button depends on the desktop: without GNOME's or KDE's theme, Qt takes Space alone.
        """
        focused = self.focusWidget()
        is_return = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.isAutoRepeat()
        if event.key() == Qt.Key.Key_Escape:
            self.back_requested.emit()
        elif is_return and isinstance(focused, QPushButton | QToolButton):
            focused.click()
        else:
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        """Accept a run file or a text that is dragged over the window."""
        if _dropped(event.mimeData()) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        """Emit the run file or the text that was dropped."""
        match _dropped(event.mimeData()):
            case Path() as path:
                self.run_file_dropped.emit(path)
            case str() as text:
                self.text_dropped.emit(text)
        event.acceptProposedAction()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Emit the wish to close the window, and stay, unless it is closed for good."""
        if self._is_closing_for_good:
            event.accept()
        else:
            event.ignore()
            self.close_requested.emit()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Emit that the window is seen now."""
        super().showEvent(event)
        self.visibility_changed.emit(self.is_seen)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        """Emit that the window is seen no more."""
        super().hideEvent(event)
        self.visibility_changed.emit(False)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Emit whether the window is seen after it was minimised or restored."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.WindowStateChange:
            self.visibility_changed.emit(self.is_seen)

    def _add_shortcuts(self) -> None:
        for keys, wish in (
            ("Alt+Left", self.back_requested),
            ("Ctrl+,", self.settings_requested),
            ("Ctrl+B", self.contributions_requested),
            ("Ctrl+O", self.organise_requested),
            ("Ctrl+P", self.pause_or_resume_requested),
            ("Ctrl+W", self.close_requested),
            ("Ctrl+Q", self.quit_requested),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(wish)
        QShortcut(QKeySequence("F1"), self).activated.connect(lambda: self.help_requested.emit(None))
        QShortcut(QKeySequence("F11"), self).activated.connect(self._toggle_full_screen)

    def _toggle_full_screen(self) -> None:
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)


def _dropped(data: QMimeData) -> Path | str | None:
    """The path of a dropped run file, or a dropped text; ``None`` for anything else. Nothing is opened or read."""
    for url in data.urls():
        if url.isLocalFile():
            path = Path(url.toLocalFile())
            return path if path.suffix.lower() == _RUN_FILE else None
    text = data.text().strip() or "\n".join(url.toString() for url in data.urls())
    return text[:_MAX_DROPPED_CHARACTERS] or None
