"""The field for a run's address: it judges what is in it when the person pauses, not while they type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QFontDatabase, QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

if TYPE_CHECKING:
    from core.run.address import JoinAddress, UnreadableAddress

PAUSE_MILLISECONDS = 900
_LINES = 3
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


@dataclass(frozen=True)
class Judgement:
    """What the field's text is: an address, something unreadable, or nothing (yet)."""

    address: JoinAddress | None = None
    error: UnreadableAddress | None = None


NO_JUDGEMENT = Judgement()


class AddressField(QPlainTextEdit):
    """Three lines, since an address is long; Enter asks to join, Tab goes on to the next widget."""

    judged = Signal(object)
    join_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Address of the run"))
        self.setPlaceholderText(self.tr("workerbee://join?peer=…   or   /ip4/…/tcp/…/p2p/12D3KooW…"))
        self.setTabChangesFocus(True)
        self.setAcceptDrops(False)  # the page takes what is dropped anywhere on it
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setFixedHeight(self._height())
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MILLISECONDS)
        self._pause.timeout.connect(self.judge)
        self._judgement = NO_JUDGEMENT
        self.textChanged.connect(self._wait)

    @property
    def judgement(self) -> Judgement:
        """The last one; nothing while the text is changing."""
        return self._judgement

    def fill(self, text: str) -> None:
        """Replace the text, and judge the new one at once."""
        self.setPlainText(text.strip())
        self.judge()

    def judge(self, *, is_empty_wrong: bool = False) -> Judgement:
        """Say what the text is; nothing at all is wrong only where somebody asked to join with it."""
        self._pause.stop()
        text = self.toPlainText()
        if not text.strip() and not is_empty_wrong:
            return self._conclude(NO_JUDGEMENT)
        from core.run.address import JoinAddress, UnreadableAddress

        try:
            return self._conclude(Judgement(address=JoinAddress.parse(text)))
        except UnreadableAddress as error:
            return self._conclude(Judgement(error=error))

    def insertFromMimeData(self, source: QMimeData) -> None:  # noqa: N802
        """Pasting is no typing: judge at once."""
        self.insertPlainText(source.text())
        self.judge()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Enter asks to join."""
        if event.key() in _ENTER:
            self.join_requested.emit()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Whoever goes elsewhere has finished typing."""
        super().focusOutEvent(event)
        if self._pause.isActive():
            self.judge()

    def _wait(self) -> None:
        self._conclude(NO_JUDGEMENT)
        self._pause.start()

    def _conclude(self, judgement: Judgement) -> Judgement:
        self._judgement = judgement
        self.judged.emit(judgement)
        return judgement

    def _height(self) -> int:
        margins = self.contentsMargins()
        around = 2 * self.document().documentMargin() + margins.top() + margins.bottom() + 16
        return round(_LINES * QFontMetrics(self.font()).lineSpacing() + around)
