"""What in particular went wrong is a sentence with blanks that a window translates, and never words of the code.

Read from the sources of all that a window shows: `core` without its command line, which speaks English, and `app`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.checkout import ROOT

WORDS = re.compile(r"[A-Za-z]{2}")
FUNCTIONS = {"UserError", "EngineOffer", "InstallFailed", "Failed", "Warned", "warn", "fail", "show_problem"}
SAYING_WHY = {
    "AddressRefusedError",
    "BrokenImageError",
    "DamagedCheckpointError",
    "RefusedError",
    "Restart",
    "UnreachableError",
}
"""Whose first argument becomes part of a detail."""


def untranslatable(code: str) -> list[str]:
    """The words of the code that become a detail without being a sentence of the catalogue, each with its line."""
    tree = ast.parse(code)
    values = _values(tree)
    found = (words for call in ast.walk(tree) if isinstance(call, ast.Call) for words in _details(call))
    return sorted({said for detail in found for said in _words(detail, values, frozenset())})


def _details(call: ast.Call) -> Iterator[ast.expr]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name in SAYING_WHY:
        yield from call.args[:1]
    if name in FUNCTIONS:
        yield from call.args[1:2]
    yield from (each.value for each in call.keywords if each.arg == "detail")


def _values(tree: ast.Module) -> dict[str, list[ast.expr]]:
    """What each name of the file is set to, and what each of its functions returns."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            returned = [each.value for each in ast.walk(node) if isinstance(each, ast.Return) and each.value]
            found.setdefault(node.name, []).extend(returned)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(node.value)
        elif isinstance(node, ast.NamedExpr):
            found.setdefault(node.target.id, []).append(node.value)
    return found


def _words(node: ast.expr, values: dict[str, list[ast.expr]], seen: frozenset[str]) -> Iterator[str]:
    match node:
        case ast.Constant(value=str() as said):
            yield from [f"{node.lineno}: {said}"] if WORDS.search(said) else []
        case ast.JoinedStr(values=parts):
            said = "".join(str(each.value) for each in parts if isinstance(each, ast.Constant))
            yield from [f"{node.lineno}: {said}"] if WORDS.search(said) else []
        case ast.IfExp(body=first, orelse=second):
            yield from (*_words(first, values, seen), *_words(second, values, seen))
        case ast.BoolOp(values=several):
            yield from (each for value in several for each in _words(value, values, seen))
        case ast.Name(id=name) | ast.Call(func=ast.Name(id=name)) if name not in seen:
            for value in values.get(name, []):
                yield from _words(value, values, seen | {name})
        case _:
            pass  # a value, what another module made, or a sentence of the catalogue


@pytest.mark.parametrize(
    "code",
    [
        "raise UserError(ErrorKind.DISK_FULL, 'Nothing is left.')",
        "raise UserError(ErrorKind.DISK_FULL, f'{path} is full.')",
        "emit(Failed(problem='disk_full', detail='It is full.'))",
        "words = f'{path} is full.'\ntask.warn(ErrorKind.DISK_FULL, words)",
        "def _why():\n    return 'It is full.' if full else ''\nraise UserError(ErrorKind.DISK_FULL, _why())",
        "raise RefusedError(f'it has {size} bytes')",
    ],
)
def test_words_of_the_code_are_found(code: str) -> None:
    assert len(untranslatable(code)) == 1


def test_sentences_and_what_others_say_are_fine() -> None:
    assert untranslatable("raise UserError(ErrorKind.DISK_FULL, localized('%1 is full.', path))") == []
    assert untranslatable("raise UserError(ErrorKind.DISK_FULL, f'{path}: {error}.')") == []


@pytest.mark.parametrize("folder", ["core", "app"])
def test_no_detail_stays_english_in_another_language(folder: str) -> None:
    files = [each for each in sorted((ROOT / folder).rglob("*.py")) if (ROOT / "core" / "cli") not in each.parents]
    found = [f"{_name(file)}:{each}" for file in files for each in untranslatable(file.read_text("utf-8"))]
    assert len(files) > 100 and found == []


def _name(file: Path) -> str:
    return str(file.relative_to(ROOT))
