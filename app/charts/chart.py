"""One live graph, painted by hand: cheap to draw again every second, and readable without eyes or mouse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.appearance.theme import Colours, colours
from app.charts.axis import scale, time_label
from app.charts.decimation import Column, columns, nearest, segments
from app.charts.definitions import SWARM_SERIES, Graph, legend, nothing_to_draw, title
from app.charts.painter import Plot, paint_curve, paint_dots, paint_grid, paint_read_out
from app.widgets.idle_queue import IdleQueue
from core.records.time_series import Curve, Series
from core.texts import figures

translate = QCoreApplication.translate  # lupdate knows it by this name only

_MARGIN = 7.0
_TICK_HEIGHT = 34.0
_KEY_STEP = 40  # from one edge of the picture to the other in so many key presses
_LARGEST_VALUE = 1e15
_PIXELS_A_COLUMN = 2  # hardly wider than the line that is drawn through them
_MOST_SECONDS_BEHIND = 10.0


@dataclass(frozen=True)
class _Line:
    series: Series
    columns: list[Column]


class Chart(QWidget):
    """``show_curves`` is called about once a second; the picture is made only when it is really seen.

    With ``turns``, it waits for its turn; until then the one before is shown, stretched if need be.
    """

    def __init__(self, graph: Graph, parent: QWidget | None = None, *, turns: IdleQueue | None = None) -> None:
        super().__init__(parent)
        self.graph, self._turns = graph, turns
        self._curves: dict[Series, Curve] = {}
        self._begin, self._end = 0.0, 1.0
        self._lines: list[_Line] = []
        self._plot: Plot | None = None
        self._picture: QPixmap | None = None
        self._is_outdated = True
        self._pointed_at: float | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(title(graph))
        self.setAccessibleDescription(nothing_to_draw(graph))

    def sizeHint(self) -> QSize:  # noqa: N802
        """A shape in which slopes are easily read."""
        return QSize(360, 176)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Less is of no use."""
        return QSize(220, 150)

    def show_curves(self, curves: Mapping[Series, Curve], begin: float, end: float) -> None:
        """Draw these from ``begin`` to ``end`` (seconds since 1970), in the graph's order."""
        self._curves = {series: curves[series] for series in self.graph.series if series in curves}
        self._begin, self._end = begin, max(end, begin + 1.0)
        if self._is_behind():
            self._is_outdated = True
        self.update()
        said = self._description()
        if said != self.accessibleDescription():
            self.setAccessibleDescription(said)

    def _is_behind(self) -> bool:
        """Whether another picture would look different; one of a whole day changes every few minutes only."""
        plot = self._plot
        if plot is None or [line.series for line in self._lines] != list(self._curves):
            return True
        behind = abs(self._end - plot.end)
        length = self._end - self._begin
        column_seconds = length / max(1, self._width_in_columns())
        is_as_long = abs(length - (plot.end - plot.begin)) <= column_seconds
        return not is_as_long or behind >= min(column_seconds, _MOST_SECONDS_BEHIND)

    def _width_in_columns(self) -> int:
        return max(1, (self.width() - 50) // _PIXELS_A_COLUMN)

    def read_out(self, at: float | None) -> list[str]:
        """Point at a time, as the mouse does: what is said there; ``None`` points nowhere."""
        self._pointed_at = at
        self.update()
        return [] if at is None else [text for _, text in self._said_at(at, colours(self.palette()))]

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """The kept picture, and above it whatever is pointed at."""
        if self._is_outdated or self._ratio != self.devicePixelRatioF():
            self._schedule_redraw()
        painter = QPainter(self)
        self._paint_picture(painter)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = colours(self.palette())
        self._paint_heading(painter, theme)
        if self._pointed_at is not None and self._plot is not None and not self._is_outdated:
            self._paint_read_out(painter, self._plot, self._pointed_at, theme)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.accent, 2.0))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 5, 5)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Another width needs other columns."""
        self._is_outdated = True
        super().resizeEvent(event)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Another palette, font or language needs another picture."""
        self._is_outdated = True
        if event.type() == QEvent.Type.LanguageChange:
            self.setAccessibleName(title(self.graph))
            self.setAccessibleDescription(self._description())
        self.update()
        super().changeEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Read out what is under the mouse."""
        plot = self._plot
        is_inside = plot is not None and plot.area.left() <= event.position().x() <= plot.area.right()
        self.read_out(plot.at(event.position().x()) if plot is not None and is_inside else None)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        """Point at nothing."""
        self.read_out(None)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Left and right move what is read out, Escape ends it."""
        step = (self._end - self._begin) / _KEY_STEP
        at = self._pointed_at if self._pointed_at is not None else self._end
        match event.key():
            case Qt.Key.Key_Left:
                self._point_at(max(self._begin, at - step))
            case Qt.Key.Key_Right:
                self._point_at(min(self._end, at + step))
            case Qt.Key.Key_Escape if self._pointed_at is not None:
                self._point_at(None)
            case _:
                super().keyPressEvent(event)

    def _point_at(self, at: float | None) -> None:
        said = self.read_out(at)
        self.setAccessibleDescription(", ".join(said) if said else self._description())

    def _latest(self, series: Series) -> float | None:
        """The last value, unless it is so old that it no longer holds."""
        curve = self._curves.get(series)
        if curve is None:
            return None
        longest = max(self.graph.bridge_seconds, 2 * curve.step_seconds)
        for index in range(len(curve.highs) - 1, -1, -1):
            if self._end - (curve.begin + index * curve.step_seconds) > longest + curve.step_seconds:
                return None
            if curve.highs[index] == curve.highs[index]:
                return (curve.lows[index] + curve.highs[index]) / 2
        return None

    def _description(self) -> str:
        """``mine 512/s, swarm 3,012/s``."""
        said = [self._said(series, self._latest(series)) for series in self._curves]
        return ", ".join(said) or nothing_to_draw(self.graph)

    def _said(self, series: Series, value: float | None) -> str:
        figure = figures.unknown() if value is None else self.graph.figure(value)
        return f"{legend(series)} {figure}".strip()

    @property
    def _ratio(self) -> float:
        return self._picture.devicePixelRatio() if self._picture is not None else 0.0

    def _schedule_redraw(self) -> None:
        """At once, or as soon as it is this chart's turn."""
        if self._turns is None:
            self._draw()
        else:
            self._turns.ask(self, self._draw_in_turn)

    def _draw(self) -> None:
        self._picture, self._is_outdated = self._drawn(), False

    def _draw_in_turn(self) -> None:
        """Unless it is hidden by now: then it is drawn when it is seen again."""
        if self.isVisible():
            self._draw()
            self.update()

    def _paint_picture(self, painter: QPainter) -> None:
        """The kept one, which another size stretches."""
        if self._picture is None:
            painter.fillRect(self.rect(), colours(self.palette()).surface)
        else:
            painter.drawPixmap(self.rect(), self._picture)

    def _drawn(self) -> QPixmap:
        """The whole picture, in the screen's own pixels."""
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        theme = colours(self.palette())
        picture.fill(theme.surface)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._measure()
        if self._plot is None:
            self._paint_emptiness(painter, theme)
        else:
            paint_grid(painter, self._plot, self.graph.mark, theme, self._small_font())
            self._paint_curves(painter, self._plot, theme)
        painter.end()
        return picture

    def _measure(self) -> None:
        """Thin the curves out and find the scale that holds them all."""
        width = self._width_in_columns()
        self._lines = [
            _Line(series, columns(curve, self._begin, self._end, width)) for series, curve in self._curves.items()
        ]
        lows = [column.low for line in self._lines for column in line.columns]
        highs = [column.high for line in self._lines for column in line.columns]
        if not lows or max(highs) > _LARGEST_VALUE or min(lows) < -_LARGEST_VALUE:
            self._plot = None
            return
        small = QFontMetricsF(self._small_font())
        top = _MARGIN + QFontMetricsF(self.font()).height() + 10
        bottom = self.height() - _MARGIN - small.height() - 3
        graph = self.graph
        marks = scale(
            min(lows),
            max(highs),
            max(2, int((bottom - top) / _TICK_HEIGHT)),
            from_zero=graph.starts_at_zero,
            ceiling=graph.ceiling,
            whole=graph.is_whole,
        )
        widest = max(small.horizontalAdvance(graph.mark(value)) for value in marks.ticks)
        left = _MARGIN + widest + 9
        area = QRectF(left, top, max(1.0, self.width() - left - _MARGIN), max(1.0, bottom - top))
        self._plot = Plot(area, self._begin, self._end, marks)

    def _small_font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(max(6.5, font.pointSizeF() * 0.86))
        return font

    def _paint_heading(self, painter: QPainter, theme: Colours) -> None:
        """What it is at the left; what the curves are now at the right."""
        metrics = QFontMetricsF(self.font())
        right = self.width() - _MARGIN
        if self._plot is not None:
            right = self._paint_legend(painter, theme, right)
        painter.setFont(self.font())
        painter.setPen(theme.muted)
        text = metrics.elidedText(title(self.graph), Qt.TextElideMode.ElideRight, right - _MARGIN)
        painter.drawText(QPointF(_MARGIN, _MARGIN + metrics.ascent()), text)

    def _paint_legend(self, painter: QPainter, theme: Colours, right: float) -> float:
        """Ends at the right, and gives where it begins."""
        font = QFont(self.font())
        font.setBold(True)
        metrics = QFontMetricsF(font)
        base_line = _MARGIN + metrics.ascent()
        painter.setFont(font)
        for line in reversed(self._lines):
            latest = self._latest(line.series)
            text = self._said(line.series, latest)
            right -= metrics.horizontalAdvance(text)
            painter.setPen(theme.text if latest is not None else theme.muted)
            painter.drawText(QPointF(right, base_line), text)
            if len(self._lines) > 1:
                right -= 10
                dot = QPointF(right + 3, base_line - metrics.capHeight() / 2)
                paint_dots(painter, [dot], _colour(line.series, theme), 3.5)
            right -= 14
        return right

    def _paint_emptiness(self, painter: QPainter, theme: Colours) -> None:
        painter.setFont(self.font())
        painter.setPen(theme.muted)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(self.rect().adjusted(8, 24, -8, -8), flags, nothing_to_draw(self.graph))

    def _paint_curves(self, painter: QPainter, plot: Plot, theme: Colours) -> None:
        painter.save()
        painter.setClipRect(plot.area.adjusted(-3, -3, 3, 3))
        for number, line in enumerate(reversed(self._lines), start=1):
            gap = max(self.graph.bridge_seconds, self._spacing(line) * 2.5)
            is_filled = self.graph.starts_at_zero and number == len(self._lines)
            colour = _colour(line.series, theme)
            paint_curve(painter, plot, segments(line.columns, gap), colour, is_filled=is_filled)
        painter.restore()

    def _spacing(self, line: _Line) -> float:
        """Seconds from one column to the next where nothing is missing."""
        column_seconds = (self._end - self._begin) / self._width_in_columns()
        return max(self._curves[line.series].step_seconds, column_seconds)

    def _said_at(self, at: float, theme: Colours) -> list[tuple[QColor | None, str]]:
        said: list[tuple[QColor | None, str]] = [(None, time_label(at, is_day=False))]
        for line in self._lines:
            column = nearest(line.columns, at, max(self._spacing(line) * 2.5, self.graph.bridge_seconds / 2))
            value = None if column is None else column.middle
            said.append((_colour(line.series, theme), self._said(line.series, value)))
        return said

    def _paint_read_out(self, painter: QPainter, plot: Plot, at: float, theme: Colours) -> None:
        x = min(max(plot.x(at), plot.area.left()), plot.area.right())
        paint_read_out(painter, plot, x, self._said_at(at, theme), theme, self._small_font())


def _colour(series: Series, theme: Colours) -> QColor:
    """One for this computer, another for the swarm."""
    return theme.curves[1 if series in SWARM_SERIES else 0]
