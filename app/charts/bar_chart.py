"""A bar chart as a widget, and the same painted on any picture; readable without eyes or mouse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLabel, QSizePolicy

from app.appearance.theme import Colours, colours
from app.charts.axis import Scale, scale
from app.charts.picture import MARGIN, small_font

_TICK_HEIGHT = 34.0
_WIDEST_BAR = 56.0
_FILLED = 0.72  # of the room of each bar
_LABEL_GAP = 10.0
_MARK_GAP = 8.0  # between a mark and the axis


@dataclass(frozen=True)
class Bar:
    """A value that is not negative, what stands below its bar, and what is read out: ``25 Nov: 3 h 5 min``."""

    label: str
    words: str
    value: float


class BarChart(QLabel):
    """Shows the bars that it was given last; the arrow keys and the mouse read one out.

    A QLabel, whose name and description a screen reader reads; of a plain QWidget it reads nothing.
    """

    def __init__(self) -> None:
        super().__init__()
        self._bars: tuple[Bar, ...] = ()
        self._mark: Callable[[float], str] = str
        self._pointed_at: int | None = None
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:  # noqa: N802
        """The proportions in which heights are easily compared."""
        return QSize(560, 190)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """The size below which nothing can be read off."""
        return QSize(220, 190)

    def show_bars(self, name: str, bars: Sequence[Bar], mark: Callable[[float], str]) -> None:
        """Draw these bars; ``name`` says what they are, ``mark`` writes a value beside the axis."""
        self._mark = mark
        self._bars = tuple(bars)
        self._pointed_at = None
        self.setAccessibleName(name)
        self._describe()
        self.update()

    @property
    def pointed_at(self) -> Bar | None:
        """The bar that is read out, if one is."""
        return None if self._pointed_at is None else self._bars[self._pointed_at]

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint the bars, above them what is pointed at, and the focus."""
        painter, theme = QPainter(self), colours(self.palette())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        small = small_font(self.font())
        head = QFontMetricsF(self.font()).height() + MARGIN
        paint_bars(painter, self._plot(), self._bars, self._mark, theme, small, self._pointed_at)
        painter.setFont(self.font())
        painter.setPen(theme.text)
        if self.pointed_at is not None:
            painter.drawText(QRectF(MARGIN, 2, self.width() - 2 * MARGIN, head), self.pointed_at.words)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.accent, 2.0))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 5, 5)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Read out the bar under the mouse."""
        if self._bars:
            area = bar_area(self._plot(), self._bars, self._mark, small_font(self.font()))
            place = int((event.position().x() - area.left()) / area.width() * len(self._bars) // 1)
            self._point_at(place if 0 <= place < len(self._bars) else None)
        super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        """Read nothing out once the mouse has left."""
        self._point_at(None)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Read out the bar before or after with the arrows; end it with Escape."""
        last = len(self._bars) - 1
        match event.key():
            case Qt.Key.Key_Left if self._bars:
                self._point_at(last if self._pointed_at is None else max(0, self._pointed_at - 1))
            case Qt.Key.Key_Right if self._bars:
                self._point_at(last if self._pointed_at is None else min(last, self._pointed_at + 1))
            case Qt.Key.Key_Escape if self._pointed_at is not None:
                self._point_at(None)
            case _:
                super().keyPressEvent(event)

    def _plot(self) -> QRectF:
        head = QFontMetricsF(self.font()).height() + 2 * MARGIN
        return QRectF(self.rect()).adjusted(MARGIN, head, -MARGIN, -MARGIN)

    def _point_at(self, place: int | None) -> None:
        if place != self._pointed_at:
            self._pointed_at = place
            self._describe()
            self.update()

    def _describe(self) -> None:
        bar = self.pointed_at
        self.setAccessibleDescription(bar.words if bar else "; ".join(each.words for each in self._bars))


def bar_area(rect: QRectF, bars: Sequence[Bar], mark: Callable[[float], str], font: QFont) -> QRectF:
    """The part of ``rect`` in which the bars stand, beside and above the marks of their axes."""
    return _layout(rect, bars, mark, font)[0]


def paint_bars(
    painter: QPainter,
    rect: QRectF,
    bars: Sequence[Bar],
    mark: Callable[[float], str],
    theme: Colours,
    font: QFont,
    pointed_at: int | None = None,
) -> None:
    """Paint bars with a grid and their labels into ``rect``; labels for which there is no room are left out."""
    if not bars:
        return
    area, marks = _layout(rect, bars, mark, font)
    painter.setFont(font)
    metrics = QFontMetricsF(font)
    for value in marks.ticks:
        y = round(area.bottom() - marks.fraction(value) * area.height()) + 0.5
        painter.setPen(QPen(theme.line, 1.0))
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        painter.setPen(theme.muted)
        text = mark(value)
        painter.drawText(
            QPointF(area.left() - metrics.horizontalAdvance(text) - _MARK_GAP, y + metrics.capHeight() / 2), text
        )
    room = area.width() / len(bars)
    width = min(_WIDEST_BAR, room * _FILLED)
    for place, bar in enumerate(bars):
        height = marks.fraction(bar.value) * area.height()
        middle = area.left() + (place + 0.5) * room
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.text if place == pointed_at else theme.curves[0])
        painter.drawRect(QRectF(middle - width / 2, area.bottom() - height, width, height))
    painter.setPen(theme.muted)
    _paint_labels(painter, area, bars, metrics)


def _paint_labels(painter: QPainter, area: QRectF, bars: Sequence[Bar], metrics: QFontMetricsF) -> None:
    """From the newest one back, as many as fit without touching each other."""
    room = area.width() / len(bars)
    base_line, free = area.bottom() + metrics.height(), area.right() + room
    for place in range(len(bars) - 1, -1, -1):
        most = max(room - _LABEL_GAP, 0.28 * area.width())
        text = metrics.elidedText(bars[place].label, Qt.TextElideMode.ElideRight, most)
        width = metrics.horizontalAdvance(text)
        centred = min(area.left() + (place + 0.5) * room - width / 2, area.right() - width)
        left = max(centred, area.left())  # or else it touches the lowest mark of the other axis
        if left + width + _LABEL_GAP <= free and left - centred <= _MARK_GAP:
            painter.drawText(QPointF(left, base_line), text)
            free = left


def _layout(rect: QRectF, bars: Sequence[Bar], mark: Callable[[float], str], font: QFont) -> tuple[QRectF, Scale]:
    metrics = QFontMetricsF(font)
    highest = max((bar.value for bar in bars), default=0.0)
    height = rect.height() - metrics.height() - 4
    marks = scale(0.0, highest, max(2, int(height / _TICK_HEIGHT)), from_zero=True)
    widest = max(metrics.horizontalAdvance(mark(value)) for value in marks.ticks)
    return rect.adjusted(widest + 9, 0, 0, -(metrics.height() + 4)), marks
