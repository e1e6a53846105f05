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
COMMAND = re.compile(r"`[^`]*`")
SENTENCE = re.compile(r"[A-Za-z]{2,}[ ,:]+[A-Za-z]{2,}")
FUNCTIONS = {"UserError", "EngineOffer", "InstallFailed", "Failed", "Warned", "warn", "fail", "show_problem"}
SAYING_WHY = {
    "AddressRefusedError",
    "BrokenImageError",
    "DamagedCheckpointError",
    "RefusedError",
    "Restart",
    "MultiaddrError",
    "RefusedCatalogueError",
    "UnreachableError",
    "UnreadableAddress",
    "ValueError",
}
"""Whose arguments become part of a detail."""
REASONS = re.compile(r"(_error|flaw|misfit)$|^_?why_")
"""Functions that return why something is refused."""
NOT_SHOWN = (
    "core/availability/price_file.py",  # whoever reads the prices says only that the file is broken
    "core/catalogue/catalogue.py",  # the command line alone makes a catalogue
    "core/control",
    "core/observers/price_fetch.py",  # a process whose output nobody reads
    "core/protocol/codec.py",
    "core/run/block_list.py",  # the command line alone blocks
    "core/run/receipt_file.py",  # the command line and its own program
    "core/schema.py",  # messages between peers: what strangers send is only logged
    "core/security/confinement",  # our own code alone can be wrong there
    "core/tickets",
    "core/worker/experts",  # no run has them yet
    "core/worker/swarm/access",
    "core/worker/swarm/averaging/allreduce.py",
    "core/worker/swarm/averaging/averager_process.py",
    "core/worker/swarm/averaging/state_fetch.py",
    "core/worker/swarm/conditional_finds",
    "core/worker/swarm/dht",
    "core/worker/swarm/experts",
    "core/worker/swarm/local_sgd/audit",
    "core/worker/swarm/local_sgd/catch_up.py",
    "core/worker/swarm/local_sgd/codecs",
    "core/worker/swarm/local_sgd/exchange.py",
    "core/worker/swarm/local_sgd/own_progress.py",
    "core/worker/swarm/local_sgd/replay.py",
    "core/worker/swarm/local_sgd/round_log.py",
    "core/worker/swarm/patches",
    "core/worker/swarm/state_parts",
    "core/worker/swarm/trust/part_checks.py",
    "core/worker/swarm/upload_test",
    "app/desktop/display.py",  # a terminal's: there is no window yet
)
"""Where errors are only logged, or told at a terminal, which speaks English."""


def untranslatable(code: str, *, is_shown: bool = True) -> list[str]:
    """The words of the code that become a detail without being a sentence of the catalogue, each with its line.

    ``is_shown`` says whether the ValueErrors of that code, and its reasons for a refusal, reach a person.
    """
    tree = ast.parse(code)
    values = _values(tree)
    found = list[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for detail in _details(node, is_shown):
                found += _words(detail, values, frozenset())
            for blank in node.args[1:] if _name_of(node) == "localized" else ():
                found += [each for each in _words(blank, values, frozenset()) if _is_sentence(each)]
        elif isinstance(node, ast.FunctionDef) and is_shown and REASONS.search(node.name):
            for returned in values[node.name]:
                found += [each for each in _words(returned, values, frozenset()) if _is_sentence(each)]
    return sorted(set(found))


def _is_sentence(said: str) -> bool:
    """Whether there are words of a language outside the commands in it."""
    return bool(SENTENCE.search(COMMAND.sub("", said)))


def _details(call: ast.Call, is_shown: bool) -> Iterator[ast.expr]:
    name = _name_of(call)
    if name in SAYING_WHY and (is_shown or name != "ValueError"):
        yield from call.args[1:] if name in ("UnreadableAddress", "RefusedCatalogueError") else call.args
    if name in FUNCTIONS:
        yield from call.args[1:2]
    yield from (each.value for each in call.keywords if each.arg == "detail")


def _name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


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
            yield from [f"{node.lineno}: {said}"] if WORDS.search(said) or any(map(_is_error, parts)) else []
        case ast.IfExp(body=first, orelse=second):
            yield from (*_words(first, values, seen), *_words(second, values, seen))
        case ast.BoolOp(values=several):
            yield from (each for value in several for each in _words(value, values, seen))
        case ast.Name(id=name) | ast.Call(func=ast.Name(id=name)) if name not in seen:
            for value in values.get(name, []):
                yield from _words(value, values, seen | {name})
        case _:
            pass  # a value, what another module made, or a sentence of the catalogue


def _is_error(part: ast.expr) -> bool:
    """Whether it puts an exception into an f-string: of one that was raised with a sentence, only the English stays."""
    return isinstance(part, ast.FormattedValue) and ast.unparse(part.value) == "error"


@pytest.mark.parametrize(
    "code",
    [
        "raise UserError(ErrorKind.DISK_FULL, 'Nothing is left.')",
        "raise UserError(ErrorKind.DISK_FULL, f'{path} is full.')",
        "emit(Failed(problem='disk_full', detail='It is full.'))",
        "words = f'{path} is full.'\ntask.warn(ErrorKind.DISK_FULL, words)",
        "def _why():\n    return 'It is full.' if full else ''\nraise UserError(ErrorKind.DISK_FULL, _why())",
        "raise RefusedError(f'it has {size} bytes')",
        "raise ValueError(f'it has {size} bytes')",
        "raise UserError(ErrorKind.DISK_FULL, f'{path}: {error}.')",
        "raise UserError(ErrorKind.DISK_FULL, localized('%1: %2.', path, 'nothing is left'))",
        "why = f'of {path} nothing is left'\nlocalized('%1.', why)",
        "def size_error(size):\n    return f'it has {size} bytes'",
    ],
)
def test_words_of_the_code_are_found(code: str) -> None:
    assert len(untranslatable(code)) == 1


def test_sentences_and_what_others_say_are_fine() -> None:
    assert untranslatable("raise UserError(ErrorKind.DISK_FULL, localized('%1 is full.', path))") == []
    assert untranslatable("raise UserError(ErrorKind.DISK_FULL, localized('%1: %2.', path, error))") == []
    assert untranslatable("raise UserError(ErrorKind.DISK_FULL, f'{path}: {error.strerror}.')") == []
    assert untranslatable("raise ValueError('only logged')", is_shown=False) == []


@pytest.mark.parametrize("folder", ["core", "app"])
def test_no_detail_stays_english_in_another_language(folder: str) -> None:
    files = [each for each in sorted((ROOT / folder).rglob("*.py")) if (ROOT / "core" / "cli") not in each.parents]
    found = [
        f"{_name(file)}:{each}"
        for file in files
        for each in untranslatable(file.read_text("utf-8"), is_shown=not _name(file).startswith(NOT_SHOWN))
    ]
    assert len(files) > 100 and found == []


def _name(file: Path) -> str:
    return str(file.relative_to(ROOT))
