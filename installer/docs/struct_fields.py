"""The fields of a msgspec struct in words: what one holds, its type, its bounds and its default."""

from __future__ import annotations

import ast
import inspect
import json
import types
import typing
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec
from msgspec import NODEFAULT, Meta
from msgspec.structs import FieldInfo

from installer.docs.markdown import as_markdown

_PLAIN = {int: "whole number", float: "number", str: "text", bool: "`true` or `false`", bytes: "bytes"}
_PLURALS = {"text": "texts", "whole number": "whole numbers", "number": "numbers"}


class UndocumentedError(Exception):
    """Something that has to be in a document has no sentence; names it."""


@dataclass(frozen=True)
class Rule:
    """What a value must be: its type in words, and the bounds that are set to it."""

    type: str
    bounds: str = ""

    def __str__(self) -> str:
        return ", ".join(part for part in (self.type, self.bounds) if part)


def sentence_of(struct: type, field: str) -> str:
    """The docstring below the field, in the class that declares it; raises UndocumentedError without one."""
    for each in struct.__mro__:
        if field in vars(each).get("__annotations__", ()) and (sentence := _sentences(each).get(field)):
            return as_markdown(sentence)
    raise UndocumentedError(f"{struct.__name__}.{field} has no sentence: write a docstring below the field")


@cache
def _sentences(struct: type) -> dict[str, str]:
    """The docstrings below the fields of one class, by the field."""
    body = ast.parse(inspect.getsource(struct)).body[0]
    assert isinstance(body, ast.ClassDef)
    found = {}
    for node, below in zip(body.body, body.body[1:], strict=False):
        is_text = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and is_text:
            found[node.target.id] = str(below.value.value)  # type: ignore[attr-defined]
    return found


def rule_of(kind: Any) -> Rule:
    """A field's type in words."""
    if typing.get_origin(kind) is typing.Annotated:
        inner, *notes = typing.get_args(kind)
        rule = rule_of(inner)
        bounds = [_bounds(note, inner) for note in notes if isinstance(note, Meta)]
        return Rule(rule.type, ", ".join(part for part in (rule.bounds, *bounds) if part))
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        return _rule_of_union(typing.get_args(kind))
    if typing.get_origin(kind) is typing.Literal:
        return Rule(_alternatives([f"`{json.dumps(each)}`" for each in typing.get_args(kind)]))
    if typing.get_origin(kind) is tuple:
        return _rule_of_tuple(typing.get_args(kind))
    return Rule(_PLAIN[kind])


def default_of(field: FieldInfo) -> str:
    """The default as a run file would have it; `required` where there is none."""
    if field.required:
        return "required"
    default = field.default if field.default is not NODEFAULT else field.default_factory()
    if default is None:
        return '`"none"`'
    if isinstance(default, msgspec.Struct):
        config = default.__struct_config__
        return f'`{config.tag_field} = "{config.tag}"`' if config.tag_field else "its defaults"
    return f"`{json.dumps(list(default) if isinstance(default, tuple) else default)}`"


def _rule_of_union(members: tuple[Any, ...]) -> Rule:
    rules = [rule_of(each) for each in members if each is not type(None)]
    words = [rule.type for rule in rules] + ['`"none"`'] * (type(None) in members)
    return Rule(_alternatives(words), ", ".join(rule.bounds for rule in rules if rule.bounds))


def _rule_of_tuple(members: tuple[Any, ...]) -> Rule:
    each = rule_of(members[0])
    kind = f"list of {_PLURALS.get(each.type, each.type)}"
    if members[1:] != (...,):
        kind = f"list of {len(members)} {_PLURALS.get(each.type, each.type)}"
    return Rule(kind, f"each {each.bounds}" if each.bounds else "")


def _alternatives(words: list[str]) -> str:
    """The words joined by commas, the last one by `or`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _bounds(meta: Meta, kind: Any) -> str:
    """The bounds of one Meta in words; its description stands for a pattern, which nobody reads with ease."""
    if meta.pattern is not None and not meta.description:
        raise UndocumentedError(f"the pattern {meta.pattern} has no description in words")
    unit = " characters" if kind is str else " items"
    value = _joined((("≥ ", meta.ge), ("> ", meta.gt), ("≤ ", meta.le), ("< ", meta.lt)))
    length = _joined((("at least ", meta.min_length), ("at most ", meta.max_length)))
    parts = (value, length and f"{length}{unit}", meta.description or "")
    return ", ".join(part for part in parts if part)


def _joined(bounds: Iterable[tuple[str, float | None]]) -> str:
    return " and ".join(f"{word}{bound:,}" for word, bound in bounds if bound is not None)
