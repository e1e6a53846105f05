"""The reference of the run file: every table with every field, from the structs that it is read into."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec.structs import FieldInfo

from core.run.manifest import RunManifest
from installer.docs.markdown import first_paragraph, table
from installer.docs.struct_fields import default_of, rule_of, sentence_of

_HEADINGS = ("field", "value", "default", "meaning")
Struct = type[msgspec.Struct]


def run_file_reference() -> str:
    """The top-level fields, then each table of the run file with its variants and the tables within them."""
    sections = msgspec.structs.fields(RunManifest)
    plain = [field for field in sections if not _structs_in(field.type)]
    parts = ["## Above the first table", table(_HEADINGS, (_row("", RunManifest, field) for field in plain))]
    for field in sections:
        if structs := _structs_in(field.type):
            parts += _section(field, structs)
    return "\n\n".join(parts)


def _section(field: FieldInfo, structs: list[Struct]) -> Iterator[str]:
    """One top-level table: a sentence, whether it may be left out, its variants, and what they contain."""
    yield f"## [{field.name}]"
    left_out = "This table is required." if field.required else f"Left out: {default_of(field)}."
    yield f"{sentence_of(RunManifest, field.name)} {left_out}"
    yield from _table(field.name, structs)
    for name, inner in _tables_within(field.name, structs):
        yield f"### [{name}]"
        yield from _table(name, inner)


def _table(name: str, structs: list[Struct]) -> Iterator[str]:
    """The fields of one table; where it has variants, what all have, and then what each has of its own."""
    if len(structs) == 1:
        yield first_paragraph(structs[0].__doc__)
        yield from _rows(name, structs[0], msgspec.structs.fields(structs[0]))
        return
    tags = ", ".join(f'`"{each.__struct_config__.tag}"`' for each in structs)
    yield f"`{structs[0].__struct_config__.tag_field}` says which one it is: {tags}."
    shared = _shared(structs)
    yield from _rows(name, structs[0], shared)
    for struct in structs:
        config = struct.__struct_config__
        yield f'#### [{name}] {config.tag_field} = "{config.tag}"'
        yield first_paragraph(struct.__doc__)
        names = {field.name for field in shared}
        yield from _rows(name, struct, [each for each in msgspec.structs.fields(struct) if each.name not in names])


def _shared(structs: list[Struct]) -> list[FieldInfo]:
    """The fields that are the same in each of the structs: type, default and sentence."""

    def described(struct: Struct) -> dict[str, tuple[str, str, str, str]]:
        return {field.name: _row("", struct, field) for field in msgspec.structs.fields(struct)}

    rows = [described(struct) for struct in structs]
    return [
        field
        for field in msgspec.structs.fields(structs[0])
        if all(row.get(field.name) == rows[0][field.name] for row in rows)
    ]


def _rows(name: str, struct: Struct, fields: Iterable[FieldInfo]) -> Iterator[str]:
    if rows := [_row(name, struct, field) for field in fields]:
        yield table(_HEADINGS, rows)


def _row(table_name: str, struct: Struct, field: FieldInfo) -> tuple[str, str, str, str]:
    name = f"{table_name}.{field.name}".lstrip(".")
    return f"`{field.name}`", _value(name, field.type), default_of(field), sentence_of(struct, field.name)


def _value(name: str, kind: Any) -> str:
    """What the field of that dotted name may be: a table or a list of them, or what its type says."""
    members = _members(kind)
    if not _structs_in(kind):
        return str(rule_of(kind))
    if Ellipsis in members:
        return f"tables `[[{name}]]`"
    words = [str(rule_of(each)) for each in members if typing.get_origin(each) is typing.Literal]
    return " or ".join([*words, f"a table `[{name}]`"])


def _tables_within(name: str, structs: list[Struct]) -> Iterator[tuple[str, list[Struct]]]:
    """The tables within a table's variants, each once, by their dotted names."""
    found: dict[str, list[Struct]] = {}
    for struct in structs:
        for field in msgspec.structs.fields(struct):
            for inner in _structs_in(field.type):
                known = found.setdefault(f"{name}.{field.name}", [])
                known += [inner] if inner not in known else []
    yield from found.items()


def _structs_in(kind: Any) -> list[Struct]:
    """The structs that a value of that type may be, or that a list of that type holds."""
    return [each for each in _members(kind) if isinstance(each, type) and issubclass(each, msgspec.Struct)]


def _members(kind: Any) -> list[Any]:
    """The types that a union, a list or an annotated type consists of."""
    if typing.get_origin(kind) is typing.Annotated:
        return _members(typing.get_args(kind)[0])
    is_union = isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union
    if is_union or typing.get_origin(kind) is tuple:
        return [member for each in typing.get_args(kind) for member in _members(each)]
    return [kind]
