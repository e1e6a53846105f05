"""The errors of a run file, one line each: section, field, what is wrong, what was probably meant.

msgspec stops at the first mistake and speaks of types; an organiser wants all of them, in words.
"""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from itertools import islice
from typing import Any

import msgspec
from msgspec.structs import FieldInfo

from core.localizable import Detail, LocalizedText, broken_rule, joined, localized, words_of
from core.schema import fields_of

MOST_MISTAKES = 50
Struct = type[msgspec.Struct]


def find_errors(tables: Mapping[str, Any], manifest: Struct) -> list[LocalizedText]:
    """All errors, or the first of very many; an empty list means that the tables are a manifest."""
    found = list(islice(_mistakes(tables, manifest), MOST_MISTAKES + 1))
    return [*found[:MOST_MISTAKES], localized("There are more.")] if len(found) > MOST_MISTAKES else found


def _mistakes(tables: Mapping[str, Any], manifest: Struct) -> Iterator[LocalizedText]:
    sections = {field.name: field for field in fields_of(manifest)}
    homes = _section_of_field(manifest)
    for name, field in sections.items():
        if field.required and name not in tables:
            yield localized("[%1] is missing.", name)
    for name, value in tables.items():
        if name not in sections:
            yield _unknown("", name, value, list(sections), homes)
        elif not (variants := _variants(sections[name])):
            yield from _value_mistakes(name, sections[name].type, value)
        elif not isinstance(value, dict):
            yield localized("%1 = %2: must be a section, [%1].", name, _shown(value))
        else:
            yield from _section_mistakes(name, value, variants, homes)


def with_none(tables: Mapping[str, Any], manifest: Struct) -> dict[str, Any]:
    """The tables with the word ``"none"`` made None in fields that may be empty: TOML has no value for it."""
    result = dict(tables)
    for section in fields_of(manifest):
        table = tables.get(section.name)
        if isinstance(table, dict):
            for variant in _variants(section):
                table = with_none(table, variant)
            result[section.name] = table
        elif table == "none" and type(None) in typing.get_args(section.type):
            result[section.name] = None
    return result


def _section_mistakes(
    name: str, table: dict[str, Any], variants: list[Struct], homes: Mapping[str, str]
) -> Iterator[LocalizedText]:
    """The mistakes of one section; its fields' first, and what does not go together once each is right.

    ``name`` is what stands in its brackets, or for an entry of a list ``[data.files] #2``, brackets included.
    """
    place = name if name.startswith("[") else f"[{name}]"
    tag_field = variants[0].__struct_config__.tag_field or ""
    variant = _select_variant(table, variants)
    if variant is None:
        tags = [str(each.__struct_config__.tag) for each in variants]
        named = f"{place} {tag_field}"
        yield localized("%1 = %2: %3.", named, _shown(table.get(tag_field, "")), _one_of(tags))
        return
    fields = {field.name: field for field in fields_of(variant)}
    are_right = True
    for mistake in _field_mistakes(name, place, table, fields, homes, tag_field):
        are_right = False
        yield mistake
    if are_right:
        yield from _combination_mistakes(place, table, variant)


def _field_mistakes(
    name: str,
    place: str,
    table: dict[str, Any],
    fields: dict[str, FieldInfo],
    homes: Mapping[str, str],
    tag_field: str,
) -> Iterator[LocalizedText]:
    for field in fields.values():
        if field.required and field.name not in table:
            yield localized("%1 %2: is missing.", place, field.name)
    for key, value in table.items():
        if key in fields and isinstance(value, dict) and (parts := _variants(fields[key])):
            yield from _section_mistakes(f"{name}.{key}", value, parts, homes)
        elif key in fields and isinstance(value, list):
            yield from _list_mistakes(name, fields[key], value, homes)
        elif key in fields:
            yield from _value_mistakes(f"{place} {key}", fields[key].type, value)
        elif key != tag_field:
            elsewhere = {field: home for field, home in homes.items() if home != name}
            yield _unknown(f"{place} ", key, value, list(fields), elsewhere)


def _list_mistakes(name: str, field: FieldInfo, values: list[Any], homes: Mapping[str, str]) -> Iterator[LocalizedText]:
    """The mistakes of each entry, counted from 1; those of the list as a whole once each entry is right."""
    kind = _entry_type(field.type)
    structs = [kind] if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else []
    are_right = True
    for number, value in enumerate(values, start=1) if kind is not None else ():
        if structs and isinstance(value, dict):
            found = _section_mistakes(f"[[{name}.{field.name}]] #{number}", value, structs, homes)
        else:
            found = _value_mistakes(f"[{name}] {field.name} #{number}", kind, value)
        for mistake in found:
            are_right = False
            yield mistake
    if are_right:
        yield from _value_mistakes(f"[{name}] {field.name}", field.type, values)


def _combination_mistakes(place: str, table: dict[str, Any], variant: Struct) -> Iterator[LocalizedText]:
    """What the section's own rules say against values that are right one by one."""
    try:
        msgspec.convert(table, variant)
    except msgspec.ValidationError as error:
        yield localized("%1: %2.", place, error)


def _value_mistakes(named: str, kind: Any, value: Any) -> Iterator[LocalizedText]:
    """What is wrong with one value, if anything; ``named`` is its section and its field."""
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        yield localized("%1 = %2: %3.", named, _shown(value), _in_words(error, kind))


def _in_words(error: msgspec.ValidationError, kind: Any) -> Detail:
    """The rule that the value breaks, where its type has words for it."""
    if typing.get_origin(kind) is typing.Literal:
        return _one_of([str(each) for each in typing.get_args(kind)])
    if "matching regex" in str(error) and (rule := _rule_of(kind)):
        return localized("must be %1", rule)
    return words_of(error) if error.__cause__ else broken_rule(str(error))


def _rule_of(kind: Any) -> LocalizedText | None:
    """The words that stand beside the pattern of a text: ``text_rule(…)``."""
    rules = (each.extra or {} for each in getattr(kind, "__metadata__", ()) if isinstance(each, msgspec.Meta))
    inner = (_rule_of(each) for each in typing.get_args(kind))
    return next((rule for rule in (*(each.get("rule") for each in rules), *inner) if rule), None)


def _entry_type(kind: Any) -> Any:
    """The type of each entry of a list, such as ``tuple[FileAt, ...]``; ``None`` where it is not a list."""
    if typing.get_origin(kind) in (tuple, list, frozenset):
        return typing.get_args(kind)[0]
    return next(filter(None, map(_entry_type, typing.get_args(kind))), None)


# by hivemind to 0.10, or by Lightning: names that look more like other fields (resources/docs/migrating.md)
_CALLED_BEFORE = {
    "averaging_expiration": "matchmaking_time",
    "batch_size": "batch_size_per_step",
    "state_compression_type": "load_state_compression",
    "grad_averager_factory": "powersgd_rank",
    "prefix": "id",
}


def _unknown(place: str, key: str, value: Any, known: list[str], homes: Mapping[str, str]) -> LocalizedText:
    """A field that nobody knows here, with the one that was probably meant or the section it belongs in."""
    is_section = isinstance(value, dict) and not place
    kind = localized("unknown section") if is_section else localized("unknown field")
    known_as = key if len(key) <= 60 else f"{key[:57]}…"
    name = f"[{known_as}]" if is_section else f"{place}{known_as}"
    if key in homes:
        return localized("%1: %2 here; it belongs in [%3].", name, kind, homes[key])
    close = get_close_matches(key.lower().replace("-", "_"), known, n=1, cutoff=0.6)
    if (now := _CALLED_BEFORE.get(key)) in known:
        close = [now]
    if close:
        return localized("%1: %2; did you mean %3?", name, kind, close[0])
    elsewhere = get_close_matches(key.lower(), list(homes), n=1, cutoff=0.85)
    if elsewhere:
        return localized("%1: %2; did you mean %3 in [%4]?", name, kind, elsewhere[0], homes[elsewhere[0]])
    where = place.strip() or localized("the file")
    return localized("%1: %2; %3 may have %4.", name, kind, where, ", ".join(known))


@functools.cache
def _section_of_field(manifest: Struct) -> dict[str, str]:
    """Which section each field belongs in, for those that were written in another."""
    return {
        field.name: section.name
        for section in fields_of(manifest)
        for variant in _variants(section)
        for field in fields_of(variant)
    }


def _variants(section: FieldInfo) -> list[Struct]:
    """The structs that a section may be; none where it is a plain value."""
    is_union = isinstance(section.type, types.UnionType) or typing.get_origin(section.type) is typing.Union
    members = typing.get_args(section.type) if is_union else (section.type,)
    return [each for each in members if isinstance(each, type) and issubclass(each, msgspec.Struct)]


def _select_variant(table: dict[str, Any], variants: list[Struct]) -> Struct | None:
    """The variant that the section's tag names; a section of one kind need not name it."""
    tag_field = variants[0].__struct_config__.tag_field
    if tag_field is None or (len(variants) == 1 and tag_field not in table):
        return variants[0]
    return next((each for each in variants if each.__struct_config__.tag == table.get(tag_field)), None)


def _one_of(words: list[str]) -> LocalizedText:
    return localized("must be %1", joined([f'"{word}"' for word in words], localized("%1 or %2")))


def _shown(value: Any) -> str:
    """The value as the organiser wrote it, more or less, and never long."""
    try:
        text = str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else str(value)
    except (ValueError, RecursionError):  # a number of thousands of digits, a tower of tables
        text = "…"
    text = "".join(each if each.isprintable() else " " for each in text[:200])
    return text if len(text) <= 60 else f"{text[:57]}…"
