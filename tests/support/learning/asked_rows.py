"""Tables of swarms: which rows run with every change, and which the chosen tests are about, so that no other trains."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest

from tests.support.peers.learning_rows import Row


def seldom_but(often: Collection[str], rows: Iterable[Any]) -> list[pytest.ParameterSet]:
    """Rows, or their names, as parameters; those that are not named as ``often`` are marked `faults`."""
    marked = ((row, () if _name_of(row) in often else pytest.mark.faults) for row in rows)
    return [pytest.param(row, marks=marks, id=_name_of(row)) for row, marks in marked]


def rows_asked_for(request: pytest.FixtureRequest, rows: Iterable[Row]) -> tuple[Row, ...]:
    """Those rows whose names this module's chosen tests have as parameters, or in their mark `rows`."""
    chosen = [item for item in request.session.items if item.path == request.path]
    marked = {name for item in chosen for mark in item.iter_markers("rows") for name in mark.args}
    asked = marked | {_name_of(value) for item in chosen for value in _parameters(item)}
    return tuple(row for row in rows if row.name in asked)


def _parameters(item: pytest.Item) -> list[Any]:
    call = getattr(item, "callspec", None)
    return [] if call is None else list(call.params.values())


def _name_of(value: Any) -> str:
    return value if isinstance(value, str) else getattr(value, "name", "")
