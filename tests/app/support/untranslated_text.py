"""What of a widget is still English while another language is spoken."""

from __future__ import annotations

import re
from functools import cache

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTabWidget,
    QWidget,
)

from app.presentation.countries import country_choices
from installer.translations import SOURCES
from installer.window_texts import Text, texts_of

translate = QCoreApplication.translate


def still_english(widget: QWidget) -> list[str]:
    """What on it is as in the sources, though there is something else to say in German.

    “Isle of Man (IM)” is the name of a country, and no “%1 of %2” of ours.
    """
    countries = {name for name, code in country_choices() if code}
    translated = {text.source for text in _texts() if translate(text.context, text.source) != text.source}
    patterns = [_pattern(source) for source in translated if "%" in source]
    return [
        words
        for words in words_on(widget)
        if words in translated or (words not in countries and any(pattern.fullmatch(words) for pattern in patterns))
    ]


@cache
def _texts() -> list[Text]:
    return texts_of(*SOURCES)


@cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(re.sub("%[n1-9]", ".+", re.escape(source)))


def words_on(widget: QWidget) -> list[str]:
    """All that can be read, or heard, or is behind a menu."""
    found = []
    for each in [widget, *widget.findChildren(QWidget)]:
        found += [each.accessibleName(), each.accessibleDescription(), each.toolTip()]
        if isinstance(each, QLabel | QAbstractButton):
            found.append(each.text())
        elif isinstance(each, QComboBox):
            found += [each.itemText(index) for index in range(each.count())]
        elif isinstance(each, QTabWidget):
            found += [each.tabText(index) for index in range(each.count())]
        elif isinstance(each, QLineEdit | QPlainTextEdit):
            found.append(each.placeholderText())
    found += [action.text() for action in widget.findChildren(QAction)]
    return sorted({part for text in found for part in re.split(" · |\n", text) if part})
