"""The walls of the house: who may import whom, and how large and how named a room may be.

Every source file is read, none is trusted to be imported; a fresh process then shows what really gets loaded.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.support.checkout import ROOT

MODELS = {"transformers", "peft", "datasets", "pyarrow", "tokenizers", "huggingface_hub"}
HEAVY = {"torch", "hivemind", "numpy", "PySide6", *MODELS}
FORBIDDEN_NAMES = {"utils", "helpers", "common", "manager", "base", "misc"}
MAX_FILE_LINES = 350
MAX_FILES_PER_PACKAGE = 16
MIN_DOCSTRING_WORDS = 5
MAX_FUNCTION_LINES = 35


@cache
def modules() -> dict[str, Path]:
    """Every module of the program, by its dotted name."""
    paths = (path for folder in ("core", "app") for path in (ROOT / folder).rglob("*.py"))
    return {module_name(path): path for path in sorted(paths)}


def module_name(path: Path) -> str:
    """``core/cli/__init__.py`` is ``core.cli``."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree(module: str) -> ast.Module:
    """The module, parsed."""
    return ast.parse(modules()[module].read_text(encoding="utf-8"))


@cache
def imports(module: str) -> frozenset[str]:
    """What it imports, wherever in it, except for the eyes of a type checker only."""
    path = modules()[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    return frozenset(name for node in running(tree(module)) for name in imported(node, package))


def running(node: ast.AST) -> Iterator[ast.AST]:
    """Every node that can run, so none below ``if TYPE_CHECKING``."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            for other in child.orelse:
                yield from (other, *running(other))
        else:
            yield from (child, *running(child))


def imported(node: ast.AST, package: str) -> Iterator[str]:
    """The modules that a statement imports; of ``from a import b`` it is ``a.b`` where that is a module."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
        origin = ".".join([*above, *([node.module] if node.module else [])])
        for alias in node.names:
            name = f"{origin}.{alias.name}"
            yield name if name in modules() else origin


def is_within(module: str, package: str) -> bool:
    """Whether it is that package or in it."""
    return module == package or module.startswith(package + ".")


def trespassers(forbidden: str, *rooms: str) -> list[str]:
    """The modules outside those rooms that import what is forbidden to them."""
    return [
        f"{module} imports {name}"
        for module in modules()
        if not any(is_within(module, room) for room in rooms)
        for name in sorted(imports(module))
        if is_within(name, forbidden)
    ]


def test_every_way_of_importing_is_seen() -> None:
    source = """
import a.b as c
from d import e
from core.protocol import events
from ..client import client
from ..client.session import after
def later():
    if something:
        import f
if TYPE_CHECKING:
    import g
else:
    import h
"""
    seen = {name for node in running(ast.parse(source)) for name in imported(node, "core.cli")}
    assert seen == {
        "a.b",
        "d",
        "core.protocol.events",
        "core.client.client",
        "core.client.session",
        "f",
        "h",
    }
    assert "core.protocol.events" in imports("core.client.client")
    assert "core.run.address" not in imports("core.client.client")


@pytest.mark.parametrize("forbidden", ["app", "PySide6"])
def test_core_knows_no_window(forbidden: str) -> None:
    assert trespassers(forbidden, "app") == []


@pytest.mark.parametrize("forbidden", ["torch", *sorted(MODELS)])
def test_only_the_worker_imports_torch(forbidden: str) -> None:
    assert trespassers(forbidden, "core.worker") == []


def test_only_the_swarm_imports_hivemind() -> None:
    assert trespassers("hivemind", "core.worker.swarm") == []


def test_only_the_readers_of_the_desktop_import_jeepney() -> None:
    """The window speaks D-Bus through Qt."""
    assert trespassers("jeepney", "core.observers.desktop_bus") == []


def test_nobody_imports_the_worker() -> None:
    assert trespassers("core.worker", "core.worker") == []


def package_of(module: str) -> str:
    """The package that holds the module; a package holds its own ``__init__``."""
    return module if modules()[module].name == "__init__.py" else module.rpartition(".")[0]


@cache
def packages() -> dict[str, frozenset[str]]:
    """Every package of the program, and the packages that its files import."""
    graph: dict[str, set[str]] = {package_of(module): set() for module in modules()}
    for module in modules():
        graph[package_of(module)] |= {package_of(name) for name in imports(module) & modules().keys()}
    return {package: frozenset(others - {package}) for package, others in graph.items()}


def test_packages_form_no_circle() -> None:
    try:
        TopologicalSorter(packages()).prepare()
    except CycleError as error:
        pytest.fail(f"These packages import each other in a circle: {' -> '.join(error.args[1])}")


def test_files_form_no_import_circle() -> None:
    try:
        TopologicalSorter({module: imports(module) & modules().keys() for module in modules()}).prepare()
    except CycleError as error:
        pytest.fail(f"These files import each other in a circle: {' -> '.join(error.args[1])}")


def test_packages_are_small() -> None:
    folders = Counter(path.parent for path in modules().values() if path.name != "__init__.py")
    folders += Counter(path.parent for path in (ROOT / "tests").rglob("*.py") if path.name != "__init__.py")
    assert {str(folder): count for folder, count in folders.items() if count > MAX_FILES_PER_PACKAGE} == {}


def test_every_package_says_what_it_is_for() -> None:
    assert [package for package in packages() if not ast.get_docstring(tree(package))] == []


def test_public_docstrings_say_something() -> None:
    assert [
        f"{module}.{node.name}: {docstring}"
        for module in modules()
        for node in ast.walk(tree(module))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and (docstring := ast.get_docstring(node))
        and len(docstring.split()) < MIN_DOCSTRING_WORDS
    ] == []


def test_names_say_what_is_inside() -> None:
    assert [name for name in modules() if FORBIDDEN_NAMES & set(name.split("."))] == []


def test_files_are_short() -> None:
    lengths = {name: len(path.read_bytes().splitlines()) for name, path in modules().items()}
    assert {name: length for name, length in lengths.items() if length > MAX_FILE_LINES} == {}


def test_functions_are_short() -> None:
    assert [
        f"{module}.{node.name}: {length} lines"
        for module in modules()
        for node in ast.walk(tree(module))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or node.lineno) - node.lineno + 1) > MAX_FUNCTION_LINES
    ] == []


def loaded_by(*names: str) -> list[str]:
    """The heavy packages that a fresh process has loaded once it has imported those modules."""
    code = f"import sys, {', '.join(names)}; print(*sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert answer.returncode == 0, answer.stderr
    return sorted(set(answer.stdout.split()) & HEAVY)


def test_the_client_and_the_command_line_start_light() -> None:
    rooms = [name for name in modules() if is_within(name, "core") and not is_within(name, "core.worker")]
    assert loaded_by(*rooms) == []


def test_a_worker_loads_no_language_models_before_a_run_wants_one() -> None:
    assert set(loaded_by("core.worker.roles.volunteer", "core.worker.roles.organiser")) & MODELS == set()


def test_a_command_loads_no_window() -> None:
    assert loaded_by("app.__main__") == []


def test_the_window_loads_qt_and_nothing_else_that_is_heavy() -> None:
    rooms = [name for name in modules() if is_within(name, "app")]
    assert loaded_by(*rooms) == ["PySide6"]


def test_only_the_entrance_knows_the_command_line() -> None:
    rooms = {name for name in modules() if is_within(name, "app")}
    assert {name for name in rooms if any(is_within(each, "core.cli") for each in imports(name))} == {"app.__main__"}


def test_nothing_waits_with_a_function_that_loses_cancellations() -> None:
    """``asyncio.wait_for`` does, up to Python 3.11, where what is waited for ends at the same moment."""
    assert [name for name, path in modules().items() if "asyncio.wait_for(" in path.read_text("utf-8")] == []
