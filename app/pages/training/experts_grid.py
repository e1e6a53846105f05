"""The grid of a run's experts: a cell for each, with its host and what it does; arrows lead through it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QFocusEvent, QFont, QFontMetrics, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.appearance.theme import Colours, colours
from app.widgets.layout.page_column import show_on_page
from core.placeholders import fill_placeholders
from core.protocol.experts import ExpertSeen
from core.security.sanitize import sanitize_line, short_id
from core.texts import figures
from core.texts.experts import token_rate

translate = QCoreApplication.translate  # lupdate knows it by this name only

MOST_ROWS = 6  # that are seen at once
_GAP, _PADDING, _LINES = 5, 7, 4
_BAR_HEIGHT, _ABOVE_BAR = 3, 4
_SAMPLE = ExpertSeen(
    layer=22,
    number=99,
    host="12D3KooWGRUmYzA1b2YzA1b2YzA1b2",
    tokens_per_second=10_000.0,
    latency_seconds=0.999,
    tokens=1_000_000_000,
)
_Index = QModelIndex | QPersistentModelIndex


class ExpertsModel(QAbstractListModel):
    """The experts as Qt's views see them; each has words for whoever does not see its cell."""

    def __init__(self) -> None:
        super().__init__()
        self.experts: tuple[ExpertSeen, ...] = ()

    def show_experts(self, experts: Sequence[ExpertSeen]) -> None:
        """Have these experts from now on; the cell that is looked at stays where the same ones are told of again."""
        if tuple(experts) == self.experts:
            return
        are_same = [(each.layer, each.number) for each in experts] == [(own.layer, own.number) for own in self.experts]
        if not are_same:
            self.beginResetModel()
        self.experts = tuple(experts)
        if not are_same:
            self.endResetModel()
        elif self.experts:
            self.dataChanged.emit(self.index(0), self.index(len(self.experts) - 1))

    @property
    def highest_load(self) -> float:
        """The tokens per second of the expert that is trained with most of them."""
        return max((each.tokens_per_second or 0.0 for each in self.experts), default=0.0)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of experts, for Qt's view."""
        return 0 if parent.isValid() else len(self.experts)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a screen reader says of an expert, and a tooltip shows."""
        expert = self.experts[index.row()]
        match role:
            case Qt.ItemDataRole.AccessibleTextRole:
                return ", ".join(filter(None, _words_of(expert)))
            case Qt.ItemDataRole.ToolTipRole:
                return "\n".join(filter(None, (*_words_of(expert), sanitize_line(expert.host, 120))))
        return None


class ExpertsGrid(QListView):
    """As many cells in a row as there is room for; more than a few rows are scrolled."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.experts = ExpertsModel()
        self.setModel(self.experts)
        self._cells = _ExpertDelegate(self)
        self.setItemDelegate(self._cells)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setStyleSheet("QListView { background: transparent; }")
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setMovement(QListView.Movement.Static)
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._retranslate()

    def show_experts(self, experts: Sequence[ExpertSeen]) -> None:
        """Show a cell for each of these experts."""
        before = len(self.experts.experts)
        self.experts.show_experts(experts)
        if len(experts) != before:
            self._fit()

    def cell_size(self) -> QSize:
        """How large a cell is, with the gap to the next: such that a row is filled."""
        least = self._cells.least_size()
        return QSize(self._room() // self._columns(least), least.height())

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Retranslate the texts when the language changes, whose words need another width."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        if event.type() in (QEvent.Type.LanguageChange, QEvent.Type.FontChange):
            self._fit()
        super().changeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Have as many columns as there is room for."""
        self._fit()
        super().resizeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Scroll the page, too, to the cell to which a key has led."""
        super().keyPressEvent(event)
        show_on_page(self.viewport(), self.visualRect(self.currentIndex()))

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Begin with the first cell, for whoever comes here by Tab."""
        if not self.currentIndex().isValid() and self.experts.experts:
            self.setCurrentIndex(self.experts.index(0))
        super().focusInEvent(event)

    def _fit(self) -> None:
        """As high as the rows that there are, up to a few."""
        least = self._cells.least_size()
        rows = -(-len(self.experts.experts) // self._columns(least))
        self.setFixedHeight(max(1, min(rows, MOST_ROWS)) * least.height() + 2)
        self.scheduleDelayedItemsLayout()

    def _columns(self, least: QSize) -> int:
        return max(1, self._room() // least.width())

    def _room(self) -> int:
        """The width of a row; the scroll bar's place is always left free, as Qt's layout leaves it."""
        return max(1, self.width() - self.verticalScrollBar().sizeHint().width() - 1)

    def _retranslate(self) -> None:
        self.setAccessibleName(translate("ExpertsGrid", "Experts of the run"))
        self.setAccessibleDescription(translate("ExpertsGrid", "The arrow keys move from expert to expert."))


class _ExpertDelegate(QStyledItemDelegate):
    """Paints a cell: four lines and a bar of the load; ours are framed in the accent's colour."""

    def __init__(self, grid: ExpertsGrid) -> None:
        super().__init__(grid)
        self._grid = grid

    def least_size(self) -> QSize:
        """The room that the longest usual words need, whoever the experts are."""
        usual, bold = QFontMetrics(self._grid.font()), QFontMetrics(_bold(self._grid.font()))
        title, *others = _lines_of(_SAMPLE)
        in_bold, in_usual = (title, _own_words()), (*others, _host_words(ExpertSeen(layer=0, number=0)))
        words = max(*map(bold.horizontalAdvance, in_bold), *map(usual.horizontalAdvance, in_usual))
        height = _LINES * bold.height() + 2 * _PADDING + _ABOVE_BAR + _BAR_HEIGHT + _GAP
        return QSize(words + 2 * _PADDING + _GAP, height)

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:  # noqa: N802
        """All cells have one size."""
        return self._grid.cell_size()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint in the colours of the theme that is worn now."""
        theme, expert = colours(self._grid.palette()), self._grid.experts.experts[index.row()]
        box = QRectF(option.rect).adjusted(1.5, 1.5, 1.5 - _GAP, 1.5 - _GAP)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(theme.window)
        frame = theme.accent if expert.is_mine else theme.line
        style = Qt.PenStyle.SolidLine if expert.host else Qt.PenStyle.DashLine
        painter.setPen(QPen(frame, 2 if expert.is_mine else 1, style))
        painter.drawRoundedRect(box, 5, 5)
        inner = box.adjusted(_PADDING, _PADDING, -_PADDING, -_PADDING).toRect()
        self._paint_lines(painter, inner, expert, theme)
        self._paint_load(painter, inner, expert, theme)
        if self._grid.hasFocus() and index == self._grid.currentIndex():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.text, 2))
            painter.drawRoundedRect(box.adjusted(2.5, 2.5, -2.5, -2.5), 4, 4)
        painter.restore()

    def _paint_lines(self, painter: QPainter, inner: QRect, expert: ExpertSeen, theme: Colours) -> None:
        usual, bold = self._grid.font(), _bold(self._grid.font())
        of_host = theme.accent if expert.is_mine else theme.text if expert.host else theme.warning
        of_name = bold if expert.is_mine else usual
        styles = ((bold, theme.text), (of_name, of_host), (usual, theme.text), (usual, theme.muted))
        height = QFontMetrics(bold).height()
        for number, (words, (font, colour)) in enumerate(zip(_lines_of(expert), styles, strict=True)):
            line = QRect(inner.left(), inner.top() + number * height, inner.width(), height)
            painter.setFont(font)
            painter.setPen(colour)
            shown = QFontMetrics(font).elidedText(words, Qt.TextElideMode.ElideRight, line.width())
            painter.drawText(line, Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter, shown)

    def _paint_load(self, painter: QPainter, inner: QRect, expert: ExpertSeen, theme: Colours) -> None:
        """A bar as long as the expert's load, of that of the expert with the highest one."""
        bar = QRectF(inner.left(), inner.bottom() + 1 - _BAR_HEIGHT, inner.width(), _BAR_HEIGHT)
        painter.fillRect(bar, theme.line)
        highest = self._grid.experts.highest_load
        if highest > 0 and expert.tokens_per_second:
            share = expert.tokens_per_second / highest
            painter.fillRect(QRectF(bar.left(), bar.top(), bar.width() * share, bar.height()), theme.accent)


def _bold(font: QFont) -> QFont:
    bold = QFont(font)
    bold.setBold(True)
    return bold


def _own_words() -> str:
    return translate("ExpertsGrid", "This computer")


def _host_words(expert: ExpertSeen) -> str:
    if expert.is_mine:
        return _own_words()
    return short_id(expert.host) if expert.host else translate("ExpertsGrid", "Nobody answers")


def _title(expert: ExpertSeen) -> str:
    words = translate("ExpertsGrid", "Layer %1 · expert %2")
    return fill_placeholders(words, figures.count(expert.layer), figures.count(expert.number))


def _latency(expert: ExpertSeen) -> str:
    return "" if expert.latency_seconds is None else figures.latency(expert.latency_seconds)


def _tokens(expert: ExpertSeen) -> str:
    return fill_placeholders(translate("ExpertsGrid", "%1 tokens"), figures.count(expert.tokens)) if expert.host else ""


def _lines_of(expert: ExpertSeen) -> tuple[str, str, str, str]:
    """What a cell shows, line by line."""
    speeds = " · ".join(filter(None, (token_rate(expert.tokens_per_second), _latency(expert))))
    return _title(expert), _host_words(expert), speeds, _tokens(expert)


def _words_of(expert: ExpertSeen) -> tuple[str, ...]:
    """The same in full, part by part; what is not known is empty."""
    latency = _latency(expert)
    answers = fill_placeholders(translate("ExpertsGrid", "answers in %1"), latency) if latency else ""
    if not expert.host:
        return _title(expert), _host_words(expert)
    trained = fill_placeholders(
        translate("ExpertsGrid", "trained with %1 tokens there, optimizer steps in all: %2"),
        figures.count(expert.tokens),
        figures.count(expert.steps),
    )
    return _title(expert), _host_words(expert), token_rate(expert.tokens_per_second), answers, trained
