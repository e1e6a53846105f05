"""The texts of the window, read from the sources: `translate(…)`, `self.tr(…)` and `QT_TRANSLATE_NOOP(…)`.

The worker's messages, `localized(…)`, and the errors, `ErrorText(…)`, are among them: the window translates them.

WORKAROUND: lupdate's own reader of Python silently loses a plural of `translate` unless its number is written
out, and all that is inside an f-string. So it is given the texts that are found here, as C++.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.countries import COUNTRIES

_FUNCTIONS = ("translate", "tr", "QT_TRANSLATE_NOOP")
_CONTEXTS = {"localized": ("Worker", 1), "ErrorText": ("Problem", 2)}
"""Functions whose first arguments are texts of one context; the others are none."""


class UnreadableTextError(Exception):
    """A call whose text or class cannot be known before the program runs; says where it is."""


@dataclass(frozen=True)
class Text:
    """``context`` is where Qt looks it up: the class, or the first word of ``translate``."""

    context: str
    source: str
    comment: str = ""
    is_plural: bool = False

    @property
    def as_cpp(self) -> str:
        """A line that lupdate reads in full."""
        words = [json.dumps(word, ensure_ascii=False) for word in (self.context, self.source, self.comment)]
        return f"QCoreApplication::translate({', '.join(words)}{', 1' if self.is_plural else ''});"


def texts_of(*folders: Path) -> list[Text]:
    """Each once, in the order of the files' names and of their lines; then the codes that countries' names are for."""
    files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    codes = [(file.read_text("utf-8"), file.name) for file in files]
    found = dict.fromkeys(text for code, name in codes for text in texts_in(code, name))
    return [*found, *(Text("Countries", code) for code in sorted(COUNTRIES))]


def texts_in(code: str, name: str) -> Iterator[Text]:
    """Those of one file."""
    return _texts_below(ast.parse(code, name), "", name)


def _texts_below(node: ast.AST, of_class: str, file: str) -> Iterator[Text]:
    if isinstance(node, ast.ClassDef):
        of_class = node.name
    if isinstance(node, ast.Call) and _function(node) in _FUNCTIONS:
        yield from _text_of(node, of_class, file)
    elif isinstance(node, ast.Call) and _function(node) in _CONTEXTS:
        yield from _texts_of_context(node, file)
    for child in ast.iter_child_nodes(node):
        yield from _texts_below(child, of_class, file)


def _function(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _text_of(call: ast.Call, of_class: str, file: str) -> Iterator[Text]:
    words = [argument.value if isinstance(argument, ast.Constant) else None for argument in call.args]
    if _function(call) == "tr":
        is_of_self = isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", "") == "self"
        words.insert(0, of_class if is_of_self else None)
    elif _function(call) == "translate" and (len(words) < 2 or words[1] is None):
        return  # str.translate(table), the function itself, or a text that a QT_TRANSLATE_NOOP has named elsewhere
    if not isinstance(words[0], str) or not isinstance(words[1], str) or not words[0]:
        raise _unreadable(call, file)
    comment = words[2] if len(words) > 2 else ""
    yield Text(words[0], words[1], comment if isinstance(comment, str) else "", is_plural=len(words) > 3)


def _texts_of_context(call: ast.Call, file: str) -> Iterator[Text]:
    context, count = _CONTEXTS[_function(call)]
    for argument in call.args[:count]:
        if not isinstance(argument, ast.Constant) or not isinstance(argument.value, str):
            raise _unreadable(call, file)
        yield Text(context, argument.value)


def _unreadable(call: ast.Call, file: str) -> UnreadableTextError:
    return UnreadableTextError(f"{file}:{call.lineno}: Qt cannot know which text this is")
