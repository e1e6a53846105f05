"""The column of a page: of a width that reads easily, scrolled vertically and never horizontally."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QSize, Qt, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

MARGIN = 24


class PageColumn(QScrollArea):
    """The middle of a page, scrolled vertically; its contents are added to ``parts``."""

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
        whole = _Whole()
        sides = QHBoxLayout(whole)
        sides.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        sides.setSpacing(0)
        sides.addStretch(1)
        sides.addWidget(middle, 1000)
        sides.addStretch(1)
        self.setWidget(whole)

    def scroll_to(self, wanted: QWidget, around: int = MARGIN) -> None:
        """Show that part with so many pixels around it, as soon as the page is laid out."""

        def show_it() -> None:
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)  # its height follows its width
            self.ensureWidgetVisible(wanted, 0, around)

        QTimer.singleShot(0, wanted, show_it)


class _Whole(QWidget):
    """As high as its parts are at the width that there is, not as at the least one."""

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """The width alone; the height follows from it."""
        return QSize(super().minimumSizeHint().width(), 0)
