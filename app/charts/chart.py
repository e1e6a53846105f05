"""One live chart as a widget: cheap to draw again every second, and readable without eyes or mouse."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

from app.appearance.theme import Colours, colours
from app.charts.data import ChartData
from app.charts.definitions import Graph, title
from app.charts.heading import paint_heading
from app.charts.painter import curve_colour, paint_read_out
from app.charts.picture import ChartPicture, paint_picture, small_font
from app.widgets.idle_queue import IdleQueue
from core.records.time_series import Curve, Series

_KEY_STEPS = 40  # from one edge of the picture to the other in so many key presses


class Chart(QLabel):
    """Shows the curves that it was given last; the picture is painted anew only when it is really seen.

    A QLabel, whose name and description a screen reader reads; of a plain QWidget it reads nothing.

    With an ``idle_queue`` a new picture waits for its turn; until then the one before is shown, stretched if need be.

    Attributes:
        graph: which series it draws, and how their figures are written.
    """

    def __init__(self, graph: Graph, *, idle_queue: IdleQueue | None = None) -> None:
        super().__init__()
        self.graph, self._idle_queue = graph, idle_queue
        self._data = ChartData(graph, {}, 0.0, 1.0)
        self._picture: ChartPicture | None = None
        self._is_outdated = True
        self._pointed_at: float | None = None
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(title(graph))
        self.setAccessibleDescription(self._data.description())

    def sizeHint(self) -> QSize:  # noqa: N802
        """The proportions in which slopes are easily read."""
        return QSize(360, 176)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """The size below which nothing can be read off."""
        return QSize(220, 150)

    def show_curves(self, curves: Mapping[Series, Curve], begin: float, end: float) -> None:
        """Draw these curves from ``begin`` to ``end`` (seconds since 1970); to be called about once a second."""
        self._data = ChartData.of(self.graph, curves, begin, end)
        if self._picture is None or self._picture.is_behind(self._data, self.width()):
            self._is_outdated = True
        self.update()
        description = self._data.description()
        if description != self.accessibleDescription():
            self.setAccessibleDescription(description)

    def read_out(self, at: float | None) -> list[str]:
        """Point at a time, as the mouse does, and return what is read out there; ``None`` points nowhere."""
        self._pointed_at = at
        self.update()
        lines = self._picture.lines if self._picture is not None else []
        return [] if at is None else [text for _, text in self._data.read_out(lines, at)]

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint the kept picture, and above it the heading, what is pointed at, and the focus."""
        if self._is_outdated or self._picture is None or self._pixel_ratio_is_another(self._picture):
            self._schedule_redraw()
        painter, theme = QPainter(self), colours(self.palette())
        if self._picture is None:
            painter.fillRect(self.rect(), theme.surface)
        else:
            painter.drawPixmap(self.rect(), self._picture.pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        has_plot = self._picture is not None and self._picture.plot is not None
        lines = self._picture.lines if self._picture is not None and has_plot else []
        paint_heading(painter, self._data, lines, self.width(), self.font(), theme)
        self._paint_read_out(painter, theme)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.accent, 2.0))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 5, 5)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Have a picture painted with the columns of the new width."""
        self._is_outdated = True
        super().resizeEvent(event)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Have a picture painted in another palette, font or language."""
        self._is_outdated = True
        if event.type() == QEvent.Type.LanguageChange:
            self.setAccessibleName(title(self.graph))
            self.setAccessibleDescription(self._data.description())
        self.update()
        super().changeEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Read out what is under the mouse."""
        plot = self._picture.plot if self._picture is not None else None
        x = event.position().x()
        is_inside = plot is not None and plot.area.left() <= x <= plot.area.right()
        self.read_out(plot.time_at(x) if plot is not None and is_inside else None)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        """Read nothing out once the mouse has left."""
        self.read_out(None)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Move what is read out with the left and right arrows; end it with Escape."""
        step = self._data.seconds / _KEY_STEPS
        at = self._pointed_at if self._pointed_at is not None else self._data.end
        match event.key():
            case Qt.Key.Key_Left:
                self._point_at(max(self._data.begin, at - step))
            case Qt.Key.Key_Right:
                self._point_at(min(self._data.end, at + step))
            case Qt.Key.Key_Escape if self._pointed_at is not None:
                self._point_at(None)
            case _:
                super().keyPressEvent(event)

    def _point_at(self, at: float | None) -> None:
        texts = self.read_out(at)
        self.setAccessibleDescription(", ".join(texts) if texts else self._data.description())

    def _pixel_ratio_is_another(self, picture: ChartPicture) -> bool:
        """Whether the window was moved to a screen with smaller or larger pixels."""
        return picture.pixmap.devicePixelRatio() != self.devicePixelRatioF()

    def _schedule_redraw(self) -> None:
        """Draw at once, or as soon as it is this chart's turn."""
        if self._idle_queue is None:
            self._draw()
        else:
            self._idle_queue.submit(self, self._draw_if_visible)

    def _draw(self) -> None:
        ratio, theme = self.devicePixelRatioF(), colours(self.palette())
        self._picture = paint_picture(self._data, self.size(), ratio, self.font(), theme)
        self._is_outdated = False

    def _draw_if_visible(self) -> None:
        """Draw, unless the chart is hidden by now: then it is drawn when it is seen again."""
        if self.isVisible():
            self._draw()
            self.update()

    def _paint_read_out(self, painter: QPainter, theme: Colours) -> None:
        picture, at = self._picture, self._pointed_at
        if at is None or picture is None or picture.plot is None or self._is_outdated:
            return
        plot = picture.plot
        x = min(max(plot.x(at), plot.area.left()), plot.area.right())
        texts = [
            (curve_colour(series, theme) if series is not None else None, text)
            for series, text in self._data.read_out(picture.lines, at)
        ]
        paint_read_out(painter, plot, x, texts, theme, small_font(self.font()))
