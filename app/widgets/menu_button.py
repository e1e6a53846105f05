"""A button that opens a menu."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QStyle, QStyleOptionToolButton, QToolButton, QWidget


def draw_chevron(painter: QPainter, middle: QPointF, colour: QColor, *, is_up: bool = False) -> None:
    """Draw a chevron eight pixels wide and four high."""
    half = -2.0 if is_up else 2.0
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, 1.8, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    sign = [middle + QPointF(-4, -half), middle + QPointF(0, half), middle + QPointF(4, -half)]
    painter.drawPolyline(QPolygonF(sign))


_SIGN_ROOM = 16


class MenuButton(QToolButton):
    """A button that opens a menu, with a chevron in its middle or after its text.

    Qt's own chevron stands in the corner, where nobody looks for it.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def sizeHint(self) -> QSize:  # noqa: N802
        """The size of the button with room for the chevron."""
        hint = super().sizeHint()
        return QSize(hint.width() + (_SIGN_ROOM if self.text() else 0), hint.height())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint the button as Qt does, and the chevron."""
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        option.features = QStyleOptionToolButton.ToolButtonFeature.None_
        painter = QPainter(self)
        label = option.text
        option.text = ""
        self.style().drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option, painter, self)
        group = QPalette.ColorGroup.Active if self.isEnabled() else QPalette.ColorGroup.Disabled
        colour = option.palette.color(group, QPalette.ColorRole.ButtonText)
        painter.setPen(colour)
        words = self.rect().adjusted(0, 0, -_SIGN_ROOM, 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignCenter, label)
        middle = QPointF(self.rect().center()) + QPointF(0.5, 0.5)
        if label:
            middle.setX(words.right() - 2)
        draw_chevron(painter, middle, colour)
