"""How a document looks: what Qt's reader of Markdown leaves plain is given the theme's colours and room."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtGui import (
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFragment,
    QTextFrameFormat,
    QTextImageFormat,
    QTextLength,
    QTextTable,
)

from app.appearance.theme import Colours

_HEADING_SIZES = {1: 1.6, 2: 1.3, 3: 1.12}
_CODE_SIZE = 0.92
_LINE_PERCENT = 125.0
_CELL_PADDING = 5.0
_TABLE_PERCENT = 99  # of the width: columns are rounded up, and a full table would be a pixel too wide


def style_document(document: QTextDocument, theme: Colours) -> None:
    """Space out paragraphs and headings, colour code, and draw the lines of tables."""
    with _one_change(document):
        for block in blocks_of(document):
            _style_block(block, document.defaultFont(), theme)
        for frame in document.rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                _style_table(frame, theme)


def fit_images(document: QTextDocument, width: float) -> None:
    """Make every picture as wide as it is, but at most that wide."""
    with _one_change(document):
        for block in blocks_of(document):
            for fragment in list(_fragments_of(block)):
                image = fragment.charFormat().toImageFormat()
                if image.isValid():
                    _resize(document, fragment, image, width)


@contextmanager
def _one_change(document: QTextDocument) -> Iterator[None]:
    """Whatever is changed within it is laid out once, at its end: after each change it would take seconds."""
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    try:
        yield
    finally:
        cursor.endEditBlock()


def blocks_of(document: QTextDocument) -> Iterator[QTextBlock]:
    """The paragraphs of a document, those in tables included."""
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def _style_block(block: QTextBlock, font: QFont, theme: Colours) -> None:
    level = block.blockFormat().headingLevel()
    room, letters = QTextBlockFormat(), QTextCharFormat()
    if _is_code(block):
        room.setBackground(theme.window)
        letters.setFontPointSize(font.pointSizeF() * _CODE_SIZE)
    elif not _has_image(block):  # above which there would be a quarter of its height
        room.setLineHeight(_LINE_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    if level:
        room.setTopMargin(font.pointSizeF() * (1.8 if level > 1 else 0.0))
        room.setBottomMargin(font.pointSizeF() * 0.6)
        letters.setFontPointSize(font.pointSizeF() * _HEADING_SIZES.get(level, 1.0))
        letters.setFontWeight(QFont.Weight.DemiBold)
    cursor = QTextCursor(block)
    cursor.mergeBlockFormat(room)
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    cursor.mergeCharFormat(letters)
    link = QTextCharFormat()
    link.setForeground(theme.accent)
    for fragment in list(_fragments_of(block)):
        if fragment.charFormat().isAnchor():
            _cursor_over(block.document(), fragment).mergeCharFormat(link)


def _has_image(block: QTextBlock) -> bool:
    return any(fragment.charFormat().isImageFormat() for fragment in _fragments_of(block))


def _is_code(block: QTextBlock) -> bool:
    return bool(block.blockFormat().hasProperty(QTextBlockFormat.Property.BlockCodeFence.value))


def _style_table(table: QTextTable, theme: Colours) -> None:
    look = table.format()
    look.setBorder(1)
    look.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    look.setBorderBrush(theme.line)
    look.setBorderCollapse(True)
    look.setCellPadding(_CELL_PADDING)
    look.setCellSpacing(0)
    look.setTopMargin(6)
    look.setBottomMargin(12)
    look.setWidth(QTextLength(QTextLength.Type.PercentageLength, _TABLE_PERCENT))
    table.setFormat(look)
    for column in range(table.columns()):
        heading = table.cellAt(0, column)
        style = heading.format()
        style.setBackground(theme.window)
        heading.setFormat(style)


def _fragments_of(block: QTextBlock) -> Iterator[QTextFragment]:
    iterator = block.begin()
    while not iterator.atEnd():
        yield iterator.fragment()
        iterator += 1


def _resize(document: QTextDocument, fragment: QTextFragment, image: QTextImageFormat, width: float) -> None:
    """Set the width that the picture is drawn with; its height follows."""
    natural = document.resource(QTextDocument.ResourceType.ImageResource.value, image.name())
    wanted = min(width, float(natural.width())) if natural is not None else width
    if image.width() != wanted:
        image.setWidth(wanted)
        _cursor_over(document, fragment).setCharFormat(image)


def _cursor_over(document: QTextDocument, fragment: QTextFragment) -> QTextCursor:
    """A cursor that has selected the fragment."""
    cursor = QTextCursor(document)
    cursor.setPosition(fragment.position())
    cursor.setPosition(fragment.position() + fragment.length(), QTextCursor.MoveMode.KeepAnchor)
    return cursor
