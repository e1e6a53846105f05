"""The tray icon: what the computer does at a glance, and a menu to pause, resume and quit."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QSystemTrayIcon, QWidget

from app.shell.tray_icons import tray_icon
from app.widgets.pause_menu import PauseMenu
from core.client.session import Session
from core.placeholders import fill_placeholders
from core.security.sanitize import sanitize_line
from core.texts.status import BETWEEN

_MOST_CHARACTERS = 34  # some panels cut their menus at 240 pixels


class Tray(QObject):
    """The icon in the desktop's panel and its menu; there is no icon before ``appear``, which must wait for the panel.

    Signals:
        open_requested: show the window.
        pause_requested: for so many seconds, or ``None`` for until the person resumes.
        resume_requested: go on.
        finish_requested: stop after this epoch, or take that back.
        quit_requested: end the program.
    """

    open_requested = Signal()
    pause_requested = Signal(object)
    resume_requested = Signal()
    finish_requested = Signal()
    quit_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon: QSystemTrayIcon | None = None
        self._session = Session()
        self._sentences: tuple[str, ...] = ("",)
        self._can_pause = self._can_resume = False
        self.menu = QMenu(parent)
        self._add_actions()
        self.menu.aboutToShow.connect(self._refresh_menu)

    @property
    def is_visible(self) -> bool:
        """Whether a person can see the icon."""
        return self._icon is not None and QSystemTrayIcon.isSystemTrayAvailable()

    def appear(self) -> None:
        """Show the icon, once a panel is there: Qt looks for one a single time."""
        if self._icon is None:
            self._icon = QSystemTrayIcon(tray_icon(self._session), self)
            self._icon.setContextMenu(self.menu)
            self._icon.activated.connect(self._on_activated)
            self._icon.messageClicked.connect(self.open_requested)
            self._show_icon()
            self._icon.show()

    def disappear(self) -> None:
        """Remove the icon, as a program that ends should."""
        if self._icon is not None:
            self._icon.hide()

    def show_sessions(
        self, foremost: Session, sentences: tuple[str, ...], *, can_pause: bool, can_resume: bool
    ) -> None:
        """Show the state of the foremost session, and the status sentence of each; what is wished is wished of all."""
        facts = _menu_facts(foremost), len(sentences), can_pause, can_resume
        is_new = facts != (_menu_facts(self._session), len(self._sentences), self._can_pause, self._can_resume)
        self._session, self._sentences = foremost, sentences
        self._can_pause, self._can_resume = can_pause, can_resume
        if is_new or not self._icon:
            self._refresh_menu()
        self._show_icon()

    def _show_icon(self) -> None:
        if self._icon is None:
            return
        icon, sentence = tray_icon(self._session), "\n".join(self._sentences)
        if icon.cacheKey() != self._icon.icon().cacheKey():
            self._icon.setIcon(icon)
        if sentence != self._icon.toolTip():
            self._icon.setToolTip(sentence)

    def show_notification(self, title: str, words: str) -> bool:
        """Show a notification of the desktop; false where it has no way to."""
        if self._icon is None or not QSystemTrayIcon.supportsMessages():
            return False
        self._icon.showMessage(title, words, tray_icon(self._session))
        return True

    def _add_actions(self) -> None:
        """Made once; what is wrong for the moment is hidden, so that panels keep a menu they know."""
        self._status = self.menu.addAction("")
        self._status.setEnabled(False)
        self._further: list[QAction] = []
        self._which = self.menu.addAction("")
        self._which.setEnabled(False)
        self.menu.addSeparator()
        self._open = self._added(self.open_requested)
        self._pause = QMenu(self.menu)
        self.menu.addMenu(self._pause)
        self._pause_menu = PauseMenu(self._pause, self.pause_requested.emit)
        self._resume = self._added(self.resume_requested)
        self._finish = self._added(self.finish_requested)
        self._finish.setCheckable(True)
        self.menu.addSeparator()
        self._quit = self._added(self.quit_requested)
        self._refresh_menu()

    def _added(self, wish: object) -> QAction:
        action = self.menu.addAction("")
        action.triggered.connect(lambda: wish.emit())  # type: ignore[attr-defined]
        return action

    def _refresh_menu(self) -> None:
        """In the language of the moment, with what can be done at the moment."""
        session = self._session
        self._status.setText(_menu_text(self._sentences[0] or self.tr("Nothing is running")))
        self._show_further(self._sentences[1:])
        which = sanitize_line(session.switch.to, _MOST_CHARACTERS) if session.switch is not None else ""
        self._which.setText(_menu_text(fill_placeholders(self.tr("Run: %1"), which)))
        self._which.setVisible(bool(which) and session.phase not in ("idle", "ended"))
        self._open.setText(self.tr("&Open Workerbee"))
        self._pause.setTitle(self.tr("&Pause"))
        self._pause_menu.retranslate(is_paused=False)
        self._resume.setText(self.tr("&Resume now") if session.is_held else self.tr("&Resume"))
        self._finish.setText(self.tr("&Finish this epoch, then stop"))
        self._quit.setText(self.tr("&Quit"))
        self._pause.menuAction().setVisible(self._can_pause)
        self._resume.setVisible(self._can_resume)
        self._finish.setVisible(session.phase == "training")
        self._finish.setChecked(session.is_finishing)

    def _show_further(self, sentences: tuple[str, ...]) -> None:
        """A line for each further device, below that of the first."""
        while len(self._further) < len(sentences):
            line = QAction("", self.menu)
            line.setEnabled(False)
            self.menu.insertAction(self._which, line)
            self._further.append(line)
        for number, line in enumerate(self._further):
            line.setVisible(number < len(sentences))
            line.setText(_menu_text(sentences[number]) if number < len(sentences) else "")

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        """A click opens; the other button is the menu's."""
        if reason in (QSystemTrayIcon.ActivationReason.Trigger, QSystemTrayIcon.ActivationReason.DoubleClick):
            self.open_requested.emit()


def shortened(sentence: str, most: int = _MOST_CHARACTERS) -> str:
    """The first parts of a status sentence that have room in a menu; one that is too long itself is cut."""
    parts = sentence.split(BETWEEN)
    while len(parts) > 1 and len(BETWEEN.join(parts)) > most:
        parts.pop()
    words = BETWEEN.join(parts)
    return words if len(words) <= most else f"{words[: most - 1].rstrip()}…"


def _menu_text(sentence: str) -> str:
    return shortened(sentence).replace("&", "&&")


def _menu_facts(session: Session) -> tuple[object, ...]:
    return session.phase, session.consent is None, session.is_finishing, session.pause, session.switch
