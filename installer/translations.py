"""Bring the window's translations up to date with its sources, or see whether they are.

    python -m installer.translations [--add LANGUAGE] [--check]

New texts are added to resources/translations/workerbee_*.ts, for Qt Linguist, and those that are gone are
dropped; what is translated is compiled to the .qm files beside them, which the window reads. English has its
plurals only. `--add fr` begins the files of another language, by its code in ISO 639, with `_BR` for a country's own.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree import ElementTree

from installer.window_texts import Text, texts_of

ROOT = Path(__file__).resolve().parent.parent
SOURCES = (ROOT / "app", ROOT / "core")
FOLDER = ROOT / "resources" / "translations"
LANGUAGES = tuple(sorted(file.stem.removeprefix("workerbee_") for file in FOLDER.glob("workerbee_*.ts")))


def main(words: Sequence[str] | None = None) -> int:
    """Whether all is well, as an exit code."""
    parser = argparse.ArgumentParser(prog="python -m installer.translations", description="Translations.")
    parser.add_argument("--check", action="store_true", help="change nothing, only look")
    parser.add_argument("--add", metavar="LANGUAGE", help="begin with another language")
    asked = parser.parse_args(words)
    texts, languages = texts_of(*SOURCES), {*LANGUAGES, *([asked.add] if asked.add else ())}
    problems = stale(texts) if asked.check else []
    if not asked.check:
        update(texts, FOLDER, languages)
    problems += [text for language in sorted(languages) for text in untranslated(language)]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def update(texts: Sequence[Text], folder: Path, languages: Iterable[str] = LANGUAGES) -> None:
    """Have both files of each language say what they should."""
    with tempfile.TemporaryDirectory() as made:
        listed = Path(made) / "texts.cpp"
        listed.write_text("\n".join(text.as_cpp for text in texts), "utf-8")
        for language in languages:
            plurals = ["-pluralonly"] if language == "en" else []
            catalogue = folder / f"workerbee_{language}.ts"
            options = ["-silent", "-no-obsolete", "-locations", "none", "-source-language", "en", *plurals]
            _run("lupdate", *options, "-target-language", language, str(listed), "-ts", str(catalogue))
            compiled = catalogue.with_suffix(".qm.new")
            _run("lrelease", "-silent", "-nounfinished", str(catalogue), "-qm", str(compiled))
            compiled.replace(catalogue.with_suffix(".qm"))  # an open window has the old one mapped into its memory


def stale(texts: Sequence[Text]) -> list[str]:
    """The files that an update would change."""
    names = [f"workerbee_{language}.{kind}" for language in LANGUAGES for kind in ("ts", "qm")]
    with tempfile.TemporaryDirectory() as made:
        for name in names:
            if name.endswith(".ts") and (FOLDER / name).is_file():
                shutil.copy(FOLDER / name, made)
        update(texts, Path(made))
        now, then = ([_bytes(place / name) for name in names] for place in (FOLDER, Path(made)))
    advice = "is out of date; run: python -m installer.translations"
    return [f"{name} {advice}" for name, old, new in zip(names, now, then, strict=True) if old != new]


def untranslated(language: str) -> list[str]:
    """The texts that nobody has translated, or that have changed since."""
    catalogue = ElementTree.parse(FOLDER / f"workerbee_{language}.ts")
    return [
        f"{language}: not translated: {message.findtext('source', '')}"
        for message in catalogue.iter("message")
        if message.find("translation[@type]") is not None
    ]


def _bytes(file: Path) -> bytes:
    return file.read_bytes() if file.is_file() else b""


def _run(tool: str, *words: str) -> None:
    """The tools come with PySide6, beside the Python that runs this."""
    subprocess.run([str(Path(sys.executable).with_name(f"pyside6-{tool}")), *words], check=True)


if __name__ == "__main__":
    sys.exit(main())
