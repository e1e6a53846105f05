"""The field for a run's address; its text is parsed when the person pauses, not at each key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QFontDatabase, QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit

if TYPE_CHECKING:
    from core.run.address import JoinAddress, UnreadableAddress

PAUSE_MILLISECONDS = 900
_LINES = 3
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


@dataclass(frozen=True)
class ParsedText:
    """What the field's text is: an address, something unreadable, or, with neither, nothing (yet)."""

    address: JoinAddress | None = None
    error: UnreadableAddress | None = None


NOTHING = ParsedText()


class AddressField(QPlainTextEdit):
    """Three lines, since an address is long; Tab goes on to the next widget.

    Each text is parsed once: whoever joins with it later gets the same ``JoinAddress``.

    Signals:
        parsed: the text has changed, and is nothing yet, or it has been parsed (a ParsedText).
        join_requested: Enter was pressed.
    """

    parsed = Signal(object)
    join_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Address of the run"))
        self.setPlaceholderText(self.tr("workerbee://join?peer=…   or   /ip4/…/tcp/…/p2p/12D3KooW…"))
        self.setTabChangesFocus(True)
        self.setAcceptDrops(False)  # the page takes what is dropped anywhere on it
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setFixedHeight(self._height())
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MILLISECONDS)
        self._pause.timeout.connect(self.parse)
        self._result: ParsedText | None = NOTHING
        self.textChanged.connect(self._on_text_changed)

    @property
    def result(self) -> ParsedText:
        """The parsed text; nothing while the text is changing."""
        return self._result or NOTHING

    def fill(self, text: str, address: JoinAddress | None = None) -> None:
        """Replace the text; ``address`` is what it was parsed to already, if it was."""
        self.setPlainText(text.strip())
        if address is not None:
            self._finish(ParsedText(address))
        else:
            self.parse()

    def parse(self, *, is_empty_wrong: bool = False) -> ParsedText:
        """Parse the text unless that has been done; an empty one is wrong only where somebody wants to join."""
        self._pause.stop()
        if self._result is not None and not (is_empty_wrong and self._result == NOTHING):
            return self._result
        text = self.toPlainText()
        if not text.strip() and not is_empty_wrong:
            return self._finish(NOTHING)
        from core.run.address import JoinAddress, UnreadableAddress

        try:
            return self._finish(ParsedText(address=JoinAddress.parse(text)))
        except UnreadableAddress as error:
            return self._finish(ParsedText(error=error))

    def insertFromMimeData(self, source: QMimeData) -> None:  # noqa: N802
        """Parse a pasted text at once, since pasting is not typing."""
        self.insertPlainText(source.text())
        self.parse()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Emit the wish to join when Enter is pressed."""
        if event.key() in _ENTER:
            self.join_requested.emit()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Parse the text of a person who goes elsewhere, and so has finished typing."""
        super().focusOutEvent(event)
        if self._pause.isActive():
            self.parse()

    def _on_text_changed(self) -> None:
        self._result = None
        self.parsed.emit(NOTHING)
        self._pause.start()

    def _finish(self, result: ParsedText) -> ParsedText:
        self._pause.stop()
        self._result = result
        self.parsed.emit(result)
        return result

    def _height(self) -> int:
        margins = self.contentsMargins()
        around = 2 * self.document().documentMargin() + margins.top() + margins.bottom() + 16
        return round(_LINES * QFontMetrics(self.font()).lineSpacing() + around)
