"""A document as Qt draws Markdown: its links are wishes, its headings anchors, its pictures as wide as fits."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QUrl, Signal
from PySide6.QtGui import QImage, QResizeEvent, QTextBlock, QTextCursor, QTextDocument
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit

from app.appearance.theme import colours
from app.pages.help.document_style import blocks_of, fit_images, style_document
from core.files.documents import FOLDER, Document, slug_of

_WIDEST = 860
_MARGIN = 24
_ABOVE = 10
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")


class DocumentView(QTextBrowser):
    """Shows one document at a time; ``link_followed`` tells of a click on a link."""

    link_followed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.anchorClicked.connect(lambda url: self.link_followed.emit(url.toString()))

    def show_document(self, document: Document) -> None:
        """Draw the document, from its beginning."""
        self.setAccessibleName(document.title)
        drawn = QTextDocument(self)
        drawn.setUndoRedoEnabled(False)
        drawn.setDefaultFont(self.font())
        drawn.setMarkdown(_with_words_for_missing_pictures(document.markdown))
        style_document(drawn, colours(self.palette()))
        fit_images(drawn, self._text_width(drawn))
        drawn.setTextWidth(self.viewport().width())
        drawn.size()  # lays it out to its end: later, the scroll bars would belong to a part of it
        self.setDocument(drawn)  # and forget the one before
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def show_anchor(self, anchor: str) -> bool:
        """Scroll to the heading of that anchor; false where the document has none."""
        block = next((block for slug, block in self._headings() if slug == anchor), None)
        if block is None:
            return False
        self.setTextCursor(QTextCursor(block))
        top = self.document().documentLayout().blockBoundingRect(block).top()
        self.verticalScrollBar().setValue(int(top))
        return True

    def mark(self, found: list[QTextCursor], current: int) -> None:
        """Show where a search has found something, and go to the current one."""
        theme = colours(self.palette())
        selections = []
        for number, cursor in enumerate(found):
            selection = QTextEdit.ExtraSelection()
            selection.cursor = cursor
            is_current = number == current
            selection.format.setBackground(theme.accent if is_current else theme.line)
            if is_current:
                selection.format.setForeground(theme.on_accent)
            selections.append(selection)
        self.setExtraSelections(selections)
        if found:
            here = QTextCursor(found[current])
            here.clearSelection()
            self.setTextCursor(here)
            self.ensureCursorVisible()

    def loadResource(self, kind: int, name: QUrl | str) -> Any:  # noqa: N802
        """A picture of the package; nothing from anywhere else."""
        path = _picture_at(QUrl(name).toString())
        if kind == QTextDocument.ResourceType.ImageResource.value and path is not None:
            return QImage(str(path))
        return None

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Keep the text in the middle, as wide as one reads with ease, and the pictures within it."""
        side = max(_MARGIN, (self.width() - _WIDEST) // 2)
        self.setViewportMargins(side, _ABOVE, side, 0)
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            fit_images(self.document(), self._text_width(self.document()))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Style the document again when the theme changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            style_document(self.document(), colours(self.palette()))

    def _text_width(self, document: QTextDocument) -> float:
        """In pixels, between the margins."""
        return self.viewport().width() - 2 * document.documentMargin()

    def _headings(self) -> list[tuple[str, QTextBlock]]:
        """Every heading with its anchor; of two that are alike, the second one has a number, as on GitHub."""
        found: list[tuple[str, QTextBlock]] = []
        seen: dict[str, int] = {}
        for block in blocks_of(self.document()):
            if block.blockFormat().headingLevel():
                slug = slug_of(block.text())
                times = seen[slug] = seen.get(slug, -1) + 1
                found.append((f"{slug}-{times}" if times else slug, block))
        return found


def _picture_at(link: str) -> Path | None:
    """The file of a picture that a document links to; ``None`` where the package has no such file."""
    path = (FOLDER / link).resolve()
    return path if path.is_relative_to(FOLDER.parent.resolve()) and path.is_file() else None


def _with_words_for_missing_pictures(markdown: str) -> str:
    """A package without pictures shows what they would show, in words."""
    return _PICTURE.sub(lambda found: found[0] if _picture_at(found[2]) else f"*{found[1]}*", markdown)
