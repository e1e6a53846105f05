"""The parts of hivemind that Workerbee replaces, overrides, copies or relies on, with a hash of each one's source.

    python -m tests.worker.swarm.hivemind_sources

writes the hashes of the hivemind that is installed, after somebody has looked at every remedy that they concern.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import json
import pkgutil
import re
import textwrap
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import core.worker.swarm
from tests.support.checkout import ROOT

TABLE = ROOT / "tests/worker/swarm/hivemind_sources.json"
_KINDS = (FunctionType, property, staticmethod, classmethod, re.Pattern)


def table() -> dict[str, dict[str, str]]:
    """The hashes that the remedies were written for, by the remedy's id and the dotted name in hivemind."""
    found: dict[str, dict[str, str]] = json.loads(TABLE.read_text(encoding="utf-8"))
    return found


def source_hash(name: str) -> str:
    """A hash of the source of what has that dotted name, without its indentation and empty lines."""
    found: Any = _find(name)
    if isinstance(found, property):
        found = found.fget
    elif callable(found):
        found = inspect.unwrap(found)
    try:
        lines = textwrap.dedent(inspect.getsource(found)).splitlines()
        text = "\n".join(line.rstrip() for line in lines if line.strip())
    except TypeError:  # neither a function nor a class, for instance a compiled pattern
        text = repr(found)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def overridden() -> set[str]:
    """The dotted name of every attribute of hivemind that a class of ``core.worker.swarm`` overrides."""
    return {name for module in swarm_modules() for cls in _classes(module) for name in _overridden_by(cls)}


def swarm_modules() -> list[Any]:
    """Every module of ``core.worker.swarm``, imported."""
    package = core.worker.swarm
    names = [each.name for each in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]
    return [importlib.import_module(name) for name in names]


def _classes(module: Any) -> Iterator[type]:
    for found in vars(module).values():
        if isinstance(found, type) and found.__module__ == module.__name__:
            yield found


def _overridden_by(cls: type) -> Iterator[str]:
    upstream = [base for base in cls.__mro__ if base.__module__.startswith("hivemind.")]
    for name, ours in vars(cls).items():
        if not isinstance(ours, _KINDS) or (name.startswith("__") and name != "__init__"):
            continue
        base = next((base for base in upstream if name in vars(base)), None)
        if base is not None:
            yield f"{base.__module__}.{base.__qualname__}.{name}"


def _find(name: str) -> Any:
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            found = inspect.getattr_static(found, part)
            found = found.__func__ if isinstance(found, staticmethod | classmethod) else found
        return found
    raise ModuleNotFoundError(name)


def installed() -> dict[str, dict[str, str]]:
    """The table, with the hashes of the hivemind that is installed; in a process in which it is not changed yet."""
    return {remedy: {name: source_hash(name) for name in sorted(names)} for remedy, names in table().items()}


def main() -> None:
    """Write the table anew; what it names stays."""
    TABLE.write_text(json.dumps(installed(), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
