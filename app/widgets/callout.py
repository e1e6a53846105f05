"""A message box within a page: an icon, a sentence, advice, a button, and help about an error."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.appearance.line_breaks import breakable
from app.appearance.theme import colours
from app.presentation.severity import Severity
from app.widgets.labels import Strong, Words
from app.widgets.status_icon import StatusIcon, colour_of
from core.errors import ErrorKind
from core.localizable import Detail
from core.security.sanitize import sanitize_text
from core.texts.errors import advice_of, title_of
from core.texts.worker_messages import translate_message

_BAR_WIDTH = 4.0
_RADIUS = 7.0
_TINT = 0.10
_MOST_CHARACTERS = 1000


class HelpRequest(QEvent):
    """Sent to the window by a click on *What can I do?*; ``error`` is what the help should be about."""

    KIND = QEvent.Type(QEvent.registerEventType())

    def __init__(self, error: ErrorKind) -> None:
        super().__init__(self.KIND)
        self.error = error


class Callout(QWidget):
    """A message with an icon, hidden until there is one; with an error, a second button asks the window for help.

    Signals:
        action_requested: the button was pressed.

    Attributes:
        action: the button, visible only with a text.
        help: the button that asks for help about the error, visible only with one.
    """

    action_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = StatusIcon("info", self)
        self._title, self._detail, self._advice = Strong(), Words(), Words()
        self.action, self.help = QPushButton(self), QPushButton(self)
        self.action.clicked.connect(self.action_requested)
        self.help.clicked.connect(self._ask_for_help)
        self._error: ErrorKind | None = None
        self._lay_out()
        self.hide()

    @property
    def title(self) -> str:
        """The first sentence of the message."""
        return self._title.text().replace("\u200b", "")

    @property
    def text(self) -> str:
        """Everything that the message says, one part a line."""
        parts = (self._title.text(), self._detail.text(), self._advice.text())
        return "\n".join(part for part in parts if part).replace("\u200b", "")

    @property
    def severity(self) -> Severity:
        """What the icon of the message means."""
        return self._icon.severity

    def show_problem(self, problem: ErrorKind, detail: Detail, *, action: str = "") -> None:
        """Show what went wrong, with its advice and the help about it, instead of what was there."""
        words = breakable(sanitize_text(translate_message(detail), _MOST_CHARACTERS))
        self.show_message("bad", title_of(problem), words, advice_of(problem), action=action, error=problem)

    def show_message(
        self,
        severity: Severity,
        title: str,
        detail: str = "",
        advice: str = "",
        *,
        action: str = "",
        error: ErrorKind | None = None,
    ) -> None:
        """Show this instead of what was there; a button is there only with a text or an error for it."""
        self._error = error
        self.help.setText(self.tr("What can I do?"))
        self.help.setVisible(error is not None)
        self._icon.set_severity(severity)
        self._title.set_text(title)
        self._detail.set_text(detail)
        self._advice.set_text(advice)
        self.action.setText(action)
        self.action.setVisible(bool(action))
        self.setAccessibleName(title)
        self.setAccessibleDescription("\n".join(part for part in (detail, advice) if part))
        self.show()

    def clear(self) -> None:
        """Hide the callout, so that it takes no room."""
        self.hide()

    def _ask_for_help(self) -> None:
        if self._error is not None:
            QCoreApplication.sendEvent(self.window(), HelpRequest(self._error))

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint the tinted ground, and a bar where reading begins."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = colours(self.palette())
        colour = colour_of(self.severity, theme)
        box = QPainterPath()
        box.addRoundedRect(QRectF(self.rect()), _RADIUS, _RADIUS)
        painter.setClipPath(box)
        painter.fillRect(self.rect(), theme.surface)
        tint = QColor(colour)
        tint.setAlphaF(_TINT)
        painter.fillRect(self.rect(), tint)
        is_mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        left = self.width() - _BAR_WIDTH if is_mirrored else 0.0
        painter.fillRect(QRectF(left, 0, _BAR_WIDTH, self.height()), colour)

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(4)
        for label in (self._title, self._detail, self._advice):
            words.addWidget(label)
        buttons = QHBoxLayout()
        buttons.addWidget(self.action)
        buttons.addWidget(self.help)
        buttons.addStretch(1)
        words.addLayout(buttons)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 10, 12, 10)
        row.setSpacing(10)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
