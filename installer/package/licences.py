"""Whose work is inside, under which terms: Debian's copyright file, with every licence text that is found."""

from __future__ import annotations

from collections.abc import Iterator
from email.parser import HeaderParser
from pathlib import Path

_NAMES = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "AUTHORS")
_QT = (
    "Qt and PySide6 are the work of The Qt Company Ltd. and others, used here under the GNU Lesser General "
    "Public License, version 3, whose text is in /usr/share/common-licenses/LGPL-3 (and GPL-3, which it "
    "refers to). They are separate files below /usr/lib/workerbee/vendor, which you may replace by your own "
    "builds. Their source is published by The Qt Company beside each release."
)


def copyright_text(licence: Path, vendor: Path) -> str:
    """Ours first, then of everything in ``vendor``."""
    parts = ["Workerbee", "=========", "", licence.read_text("utf-8"), "", "Also inside", "===========", ""]
    for metadata in sorted(vendor.glob("*.dist-info/METADATA")):
        parts += _chapter(metadata)
    return "\n".join(parts).rstrip() + "\n"


def _chapter(metadata: Path) -> list[str]:
    words = HeaderParser().parsestr(metadata.read_text("utf-8"))
    name, version = words["Name"], words["Version"]
    title = f"{name} {version}"
    terms = words["License-Expression"] or words["License"] or "; ".join(_classifiers(words.get_all("Classifier")))
    is_of_qt = name.lower().startswith(("pyside", "shiboken"))
    texts = [] if is_of_qt else [_short(text.read_text("utf-8")) for text in _texts(metadata.parent)]
    return [
        title,
        "-" * len(title),
        terms.splitlines()[0] if terms else "",
        *([_QT] if is_of_qt else texts),
        "",
    ]


def _classifiers(values: list[str] | None) -> Iterator[str]:
    return (value.rpartition(" :: ")[2] for value in values or () if value.startswith("License"))


def _short(text: str) -> str:
    """Debian keeps the longest ones in a place of their own."""
    if "Apache License" in text and "TERMS AND CONDITIONS FOR USE" in text:
        return "The Apache License, version 2.0, is in /usr/share/common-licenses/Apache-2.0."
    return text


def _texts(folder: Path) -> list[Path]:
    files = (each for each in folder.rglob("*") if each.is_file())
    return sorted(each for each in files if each.name.upper().startswith(_NAMES))
