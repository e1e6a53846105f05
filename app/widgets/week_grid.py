"""The hours of a week as a table: a row for each day, a cell for each hour, switched by dragging or by keys."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import (
    QCoreApplication,
    QLocale,
    QRectF,
    Qt,
    QTime,
    Signal,
)
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent, QMouseEvent, QPainter, QPen, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from app.appearance.theme import colours
from app.widgets.layout.page_column import show_on_page
from app.widgets.layout.table_model import FlatModel, Index
from core.placeholders import fill_placeholders

translate = QCoreApplication.translate  # lupdate knows it by this name only

DAYS, HOURS = 7, 24
Week = tuple[str, ...]
"""A line of 24 characters for each day from Monday on: ``x`` is a chosen hour, ``.`` one that is not."""
_ROW_HEIGHT, _LEAST_COLUMN = 22, 12
_ARROWS = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down)
_SHEET = """
QTableView, QHeaderView { background: transparent; }
QHeaderView::section { padding: 2px; border: none; background: transparent; }
QTableCornerButton::section { border: none; background: transparent; }
"""
_Cell = tuple[int, int]


class WeekModel(FlatModel):
    """The week as Qt's views see it; each cell has words for whoever does not see its colour."""

    def __init__(self, week: Week) -> None:
        super().__init__()
        self.week = week

    def show_week(self, week: Week) -> None:
        """Have these hours from now on."""
        if week != self.week:
            self.week = week
            self.dataChanged.emit(self.index(0, 0), self.index(DAYS - 1, HOURS - 1))

    def is_chosen(self, cell: _Cell) -> bool:
        """Whether that hour of that day is chosen."""
        return self.week[cell[0]][cell[1]] == "x"

    @property
    def size(self) -> tuple[int, int]:
        """The days of a week, and the hours of a day."""
        return DAYS, HOURS

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The day or the hour, for Qt's view; in full for a screen reader."""
        is_day = orientation == Qt.Orientation.Vertical
        match role:
            case Qt.ItemDataRole.DisplayRole if is_day:
                return QLocale().standaloneDayName(section + 1, QLocale.FormatType.ShortFormat).rstrip(".")
            case Qt.ItemDataRole.DisplayRole:
                return f"{section}"
            case Qt.ItemDataRole.AccessibleTextRole | Qt.ItemDataRole.ToolTipRole:
                return _day(section) if is_day else _hour(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a screen reader says of an hour, and a tooltip shows."""
        if role not in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return None
        words = (
            translate("WeekGrid", "%1, %2: free for training")
            if self.is_chosen((index.row(), index.column()))
            else translate("WeekGrid", "%1, %2: not free for training")
        )
        return fill_placeholders(words, _day(index.row()), _hour(index.column()))


class WeekGrid(QTableView):
    """Seven days of 24 hours: drag over hours to switch them, or click on a day or an hour.

    By keys: the arrows move, Space switches the hour, with Shift its day, and with Ctrl that hour of all days. An arrow
    with Shift carries the state of the hour on to the next one, as dragging does.

    Signals:
        week_changed: the hours that a person has chosen (a Week).
    """

    week_changed = Signal(object)

    def __init__(self, week: Week) -> None:
        super().__init__()
        self.hours = WeekModel(week)
        self._pressed: _Cell | None = None
        self._before = week
        self.setModel(self.hours)
        self.setItemDelegate(_HourDelegate(self))
        self.setAccessibleName(translate("WeekGrid", "Hours of the week"))
        self.setAccessibleDescription(
            translate(
                "WeekGrid",
                "The arrow keys move, Space switches an hour, Shift and Space a day, and Ctrl and Space an hour of all "
                "days. Shift and an arrow key carry what an hour is on to the next.",
            )
        )
        self._lay_out()
        self.setCurrentIndex(self.hours.index(0, 0))

    def show_week(self, week: Week) -> None:
        """Show these hours, without emitting anything; hours that a person is dragging over stay."""
        if self._pressed is None:
            self.hours.show_week(week)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Begin to switch hours, all of them as the first one."""
        index = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and index.isValid():
            self._pressed, self._before = (index.row(), index.column()), self.hours.week
            self._drag_to(self._pressed)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Switch every hour between the first one and this one."""
        index = self.indexAt(event.position().toPoint())
        if self._pressed is not None and index.isValid():
            self._drag_to((index.row(), index.column()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Emit what has been switched."""
        if event.button() == Qt.MouseButton.LeftButton and self._pressed is not None:
            self._pressed = None
            self._emit_changed(self._before)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Switch hours with Space and Shift, and scroll the page to where the keys are; Qt's view moves with arrows."""
        before, week = self._current, self.hours.week
        is_with_shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() != Qt.Key.Key_Space:
            super().keyPressEvent(event)
            if is_with_shift and event.key() in _ARROWS:
                self._switch([self._current], self.hours.is_chosen(before))
        elif is_with_shift:
            self.switch_day(before[0])
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.switch_hour(before[1])
        else:
            self._switch([before])
        if self.hours.week != week:
            self._announce_current()
        show_on_page(self.viewport(), self.visualRect(self.currentIndex()))

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Let the wheel scroll the page."""
        event.ignore()

    def switch_day(self, day: int) -> None:
        """Choose every hour of that day, or none where all are chosen."""
        self._switch([(day, hour) for hour in range(HOURS)])

    def switch_hour(self, hour: int) -> None:
        """Choose that hour of every day, or of none where it is chosen everywhere."""
        self._switch([(day, hour) for day in range(DAYS)])

    @property
    def _current(self) -> _Cell:
        return self.currentIndex().row(), self.currentIndex().column()

    def _switch(self, cells: list[_Cell], is_chosen: bool | None = None) -> None:
        """Have these hours chosen or not; ``None`` switches them."""
        before = self.hours.week
        if is_chosen is None:
            is_chosen = not all(map(self.hours.is_chosen, cells))
        self.hours.show_week(_with(before, cells, is_chosen))
        self._emit_changed(before)

    def _announce_current(self) -> None:
        """Have a screen reader say what the hour is now; of moving it says so itself."""
        if QAccessible.isActive():
            words = self.hours.data(self.currentIndex(), Qt.ItemDataRole.AccessibleTextRole)
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))

    def _drag_to(self, cell: _Cell) -> None:
        assert self._pressed is not None
        rows, columns = (range(min(pair), max(pair) + 1) for pair in zip(self._pressed, cell, strict=True))
        day, hour = self._pressed
        cells = ((row, column) for row in rows for column in columns)
        self.hours.show_week(_with(self._before, cells, self._before[day][hour] != "x"))
        self.setCurrentIndex(self.hours.index(*cell))

    def _emit_changed(self, before: Week) -> None:
        if self.hours.week != before:
            self.week_changed.emit(self.hours.week)

    def _lay_out(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        for bar in (self.setHorizontalScrollBarPolicy, self.setVerticalScrollBarPolicy):
            bar(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setStyleSheet(_SHEET)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setHighlightSections(False)
            header.setSectionsClickable(True)
        across, down = self.horizontalHeader(), self.verticalHeader()
        across.setMinimumSectionSize(_LEAST_COLUMN)
        across.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        across.sectionClicked.connect(self.switch_hour)
        down.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        down.setDefaultSectionSize(_ROW_HEIGHT)
        down.sectionClicked.connect(self.switch_day)
        self.setFixedHeight(DAYS * _ROW_HEIGHT + across.sizeHint().height())


class _HourDelegate(QStyledItemDelegate):
    """Paints an hour: filled where it is chosen, and with a ring around it where the keys are."""

    def __init__(self, grid: WeekGrid) -> None:
        super().__init__(grid)
        self._grid = grid

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint in the colours of the theme that is worn now."""
        theme = colours(self._grid.palette())
        box = QRectF(option.rect).adjusted(1.5, 1.5, -1.5, -1.5)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._grid.hasFocus() and index == self._grid.currentIndex():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.text, 2))
            painter.drawRoundedRect(box, 3, 3)
            box.adjust(3, 3, -3, -3)  # a gap, since the ring is hardly seen beside the colour of a chosen hour
        is_chosen = self._grid.hours.is_chosen((index.row(), index.column()))
        painter.setBrush(theme.accent if is_chosen else Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.accent if is_chosen else theme.muted, 1))
        painter.drawRoundedRect(box, 3, 3)
        painter.restore()


def _with(week: Week, cells: Iterable[_Cell], is_chosen: bool) -> Week:
    """The week in which these hours are chosen, or not."""
    days = [list(day) for day in week]
    for day, hour in cells:
        days[day][hour] = "x" if is_chosen else "."
    return tuple("".join(day) for day in days)


def _day(day: int) -> str:
    return QLocale().standaloneDayName(day + 1, QLocale.FormatType.LongFormat)


def _hour(hour: int) -> str:
    """``22:00 – 23:00``, as the system writes times."""
    first, last = (
        QLocale().toString(QTime(each % HOURS, 0), QLocale.FormatType.ShortFormat) for each in (hour, hour + 1)
    )
    return f"{first} – {last}"
