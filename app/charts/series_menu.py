"""The menu that chooses which curves are drawn."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QMenu, QWidget

from app.charts.definitions import GRAPHS, curve_title
from app.widgets.menu_button import MenuButton
from core.records.time_series import Series


class _StayingMenu(QMenu):
    """A menu that stays open when a curve is ticked; Escape, Return or a click elsewhere closes it."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Tick or untick the curve that was clicked."""
        action = self.actionAt(event.position().toPoint())
        if action is not None and action.isCheckable():
            action.trigger()
        else:
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Tick or untick the active curve with the space bar."""
        action = self.activeAction()
        if event.key() == Qt.Key.Key_Space and action is not None and action.isCheckable():
            action.trigger()
        else:
            super().keyPressEvent(event)


class SeriesMenu(MenuButton):
    """A button with a menu of all curves, each of which can be ticked.

    Signals:
        curves_chosen: all chosen curves, in the order of the graphs.
    """

    curves_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.curves: tuple[Series, ...] = ()
        self._ticks: dict[Series, QAction] = {}
        menu = _StayingMenu(self)
        for series in (series for graph in GRAPHS for series in graph.choices):
            action = menu.addAction("")
            action.setCheckable(True)
            action.triggered.connect(self._choose)
            self._ticks[series] = action
        self.setMenu(menu)
        self._retranslate()

    def show_curves(self, curves: tuple[Series, ...]) -> None:
        """Show which curves are chosen, without emitting anything."""
        self.curves = tuple(series for series in self._ticks if series in curves)
        for series, action in self._ticks.items():
            action.setChecked(series in curves)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Retranslate the texts when the language changes."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _choose(self) -> None:
        self.curves = tuple(series for series, action in self._ticks.items() if action.isChecked())
        self.curves_chosen.emit(self.curves)

    def _retranslate(self) -> None:
        self.setText(self.tr("Curves"))
        self.setAccessibleName(self.tr("Which curves are drawn"))
        self.setToolTip(self.accessibleName())
        for series, action in self._ticks.items():
            action.setText(curve_title(series))
