"""The packages of the program: the sentence of each, and the floor on which its imports place it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from installer.docs.markdown import first_paragraph, table
from installer.docs.struct_fields import UndocumentedError

ROOT = Path(__file__).resolve().parents[2]


def package_table() -> str:
    """Every package with its sentence, its number of files and its floor."""
    rows = ((f"`{name.replace('.', '/')}/`", _sentence(name), _files(name), str(_floor(name))) for name in _packages())
    return table(("package", "what is in it", "files", "floor"), rows)


def floor_table() -> str:
    """The packages of each floor, the highest first; a package imports only from lower floors."""
    floors = sorted({_floor(name) for name in _packages()}, reverse=True)
    rows = ((str(floor), ", ".join(f"`{name}`" for name in _packages() if _floor(name) == floor)) for floor in floors)
    return table(("floor", "packages"), rows)


@cache
def _packages() -> dict[str, Path]:
    """The folder of every package, by its dotted name."""
    found = (path.parent for top in ("app", "core") for path in (ROOT / top).rglob("__init__.py"))
    return {".".join(folder.relative_to(ROOT).parts): folder for folder in sorted(found)}


def _sentence(package: str) -> str:
    tree = ast.parse((_packages()[package] / "__init__.py").read_text("utf-8"))
    sentence = first_paragraph(ast.get_docstring(tree))
    if not sentence:
        raise UndocumentedError(f"the package {package} has no sentence in its __init__.py")
    return sentence


def _files(package: str) -> str:
    return str(len([path for path in _packages()[package].glob("*.py") if path.name != "__init__.py"]))


@cache
def _floor(package: str) -> int:
    """1 for a package that imports no other; else one more than the highest that it imports."""
    return 1 + max((_floor(name) for name in _imported_by(package)), default=0)


def _imported_by(package: str) -> set[str]:
    """The other packages that it imports, outside ``if TYPE_CHECKING``."""
    found: set[str] = set()
    for path in _packages()[package].glob("*.py"):
        for node in _running(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                found |= {_package_of(f"{node.module}.{alias.name}") for alias in node.names}
            elif isinstance(node, ast.Import):
                found |= {_package_of(alias.name) for alias in node.names}
    return found - {package, ""}


def _running(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING")):
            yield from (child, *_running(child))


def _package_of(name: str) -> str:
    """The innermost package of the program that the dotted name is in; nothing for a library."""
    while name and name not in _packages():
        name = name.rpartition(".")[0]
    return name
