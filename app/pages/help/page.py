"""The help page: the shipped documents, with links between them, a way back, and a search."""

from __future__ import annotations

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.desktop.external_link import open_web_link
from app.pages.help.document_view import DocumentView
from app.pages.help.search_bar import SearchBar
from app.widgets.labels import Hint
from core.errors import UserError
from core.files.documents import INDEX, read_document

_DOCUMENT = ".md"
_ENGLISH = (QLocale.Language.English, QLocale.Language.C)


class HelpPage(QWidget):
    """Shows a document and follows its links; only web links leave the window, by way of the browser."""

    back_requested = Signal()
    report_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._place = (INDEX, "")
        self._before: list[tuple[str, str]] = []
        self.view, self.search = DocumentView(), SearchBar()
        self.contents, self.back = QPushButton(self.tr("Co&ntents")), QPushButton(self.tr("Back"))
        self.report = QPushButton(self.tr("Make a &report…"))
        self.report.clicked.connect(self.report_requested)
        self.contents.clicked.connect(lambda: self.open_document(INDEX))
        self.back.clicked.connect(self.back_requested)
        self.view.link_followed.connect(self._follow)
        self.search.found.connect(self.view.mark)
        self._add_shortcuts()
        self._lay_out()

    @property
    def topic(self) -> str:
        """The topic of the document that is shown."""
        return self._place[0]

    def open_document(self, topic: str, anchor: str = "") -> None:
        """Show that document, from the heading of that anchor on; an unknown topic changes nothing."""
        if (topic, anchor) != self._place:
            self._before.append(self._place)
        self._show(topic, anchor)

    def open_first(self, topic: str, anchor: str = "") -> None:
        """Show that document as the first one: nothing that was read before is gone back to."""
        self._before.clear()
        self._show(topic, anchor)

    def go_back(self) -> bool:
        """Back to the document before; false where this is the first one."""
        if not self._before:
            return False
        self._show(*self._before.pop())
        return True

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Give the document the focus, so that the keys that scroll it work at once.

        A page that was made anew for another language has none yet.
        """
        super().showEvent(event)
        if self.view.document().isEmpty():
            self._show(*self._place)
        self.view.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Leave the page when Escape is pressed."""
        if event.key() == Qt.Key.Key_Escape:
            self.back_requested.emit()
        else:
            super().keyPressEvent(event)

    def _show(self, topic: str, anchor: str) -> None:
        try:
            document = read_document(topic)
        except UserError:
            return
        self._place = (topic, anchor)
        self.view.show_document(document)
        self.search.search_in(self.view.document())
        if not self.search.field.text():
            self.view.show_anchor(anchor)

    def _follow(self, link: str) -> None:
        """Another document, another heading of this one, or a page of the web."""
        file, _, anchor = link.partition("#")
        if not file:
            self.open_document(self.topic, anchor)
        elif file.endswith(_DOCUMENT) and "/" not in file:
            self.open_document(file.removesuffix(_DOCUMENT), anchor)
        else:
            open_web_link(link)

    def _add_shortcuts(self) -> None:
        for keys, act in (
            (QKeySequence(QKeySequence.StandardKey.Find), self._start_search),
            (QKeySequence(QKeySequence.StandardKey.FindNext), lambda: self.search.go(1)),
            (QKeySequence(QKeySequence.StandardKey.FindPrevious), lambda: self.search.go(-1)),
        ):
            shortcut = QShortcut(keys, self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(act)

    def _start_search(self) -> None:
        self.search.field.setFocus()
        self.search.field.selectAll()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(24, 12, 24, 8)
        top.setSpacing(10)
        top.addWidget(self.contents)
        top.addWidget(self.search, 1)
        top.addWidget(self.report)
        top.addWidget(self.back)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addLayout(top)
        if QLocale().language() not in _ENGLISH:
            hint = Hint(self.tr("This help is in English only."))
            hint.setContentsMargins(24, 0, 24, 8)
            rows.addWidget(hint)
        rows.addWidget(self.view, 1)
