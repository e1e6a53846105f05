"""The column of a page: of a width that reads easily, scrolled vertically and never horizontally."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

MARGIN = 24


class PageColumn(QScrollArea):
    """The middle of a page, scrolled vertically, also to what gets the focus; its contents are added to ``parts``."""

    def __init__(self, widest: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        middle = QWidget()
        middle.setMaximumWidth(widest)
        middle.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.parts = QVBoxLayout(middle)
        self.parts.setContentsMargins(0, 0, 0, 0)
        self.parts.setSpacing(16)
        whole = self._whole = _Whole()
        sides = QHBoxLayout(whole)
        sides.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        sides.setSpacing(0)
        sides.addStretch(1)
        sides.addWidget(middle, 1000)
        sides.addStretch(1)
        self.setWidget(whole)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._follow_focus)

    def scroll_to(self, wanted: QWidget, around: int = MARGIN) -> None:
        """Show that part with so many pixels around it, as soon as the page is laid out."""

        def show_it() -> None:
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)  # its height follows its width
            if wanted.height() + 2 * around > self.viewport().height():
                self.ensureWidgetVisible(wanted, 0, around)  # of a table its current cell, of a text its cursor
            else:
                self.show_rectangle(wanted, wanted.rect(), around)

        QTimer.singleShot(0, wanted, show_it)

    def show_rectangle(self, part: QWidget, rectangle: QRect, around: int = 0) -> None:
        """Show that rectangle of a part with so many pixels above and below it."""
        middle = part.mapTo(self._whole, rectangle.center())
        self.ensureVisible(middle.x(), middle.y(), 0, rectangle.height() // 2 + 1 + around)

    def _follow_focus(self, before: QWidget | None, focused: QWidget | None) -> None:
        """Scroll to what has the focus now: Qt does so only for Tab, and only within the column.

        A click needs it not, nor does a window that is active again.
        """
        is_by_keys = before is not None and not QGuiApplication.mouseButtons()
        if is_by_keys and focused is not None and self.isAncestorOf(focused):
            self.scroll_to(focused)


def show_on_page(part: QWidget, rectangle: QRect) -> None:
    """Scroll the page, if the part stands on one, to that rectangle of it, unless that is empty."""
    above = part.parentWidget()
    while above is not None and not isinstance(above, PageColumn):
        above = above.parentWidget()
    if above is not None and rectangle.isValid():
        above.show_rectangle(part, rectangle)


class _Whole(QWidget):
    """As high as its parts are at the width that there is, not as at the least one."""

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """The width alone; the height follows from it."""
        return QSize(super().minimumSizeHint().width(), 0)
