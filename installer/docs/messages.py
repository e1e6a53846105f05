"""The tables of the worker protocol, from the structs of its messages."""

from __future__ import annotations

import typing
from typing import Any

import msgspec

from core.protocol.commands import AnyCommand
from core.protocol.events import AnyEvent
from installer.docs.markdown import first_paragraph, table


def commands() -> str:
    """Every command that the client gives the worker."""
    return _messages(AnyCommand)


def events() -> str:
    """Every event that the worker tells the client."""
    return _messages(AnyEvent)


def _messages(union: Any) -> str:
    structs: tuple[type[msgspec.Struct], ...] = typing.get_args(union)
    rows = ((f"`{_tag(each)}`", first_paragraph(each.__doc__), _fields(each)) for each in structs)
    return table((str(structs[0].__struct_config__.tag_field), "meaning", "fields"), rows)


def _tag(struct: type[msgspec.Struct]) -> str:
    return str(struct.__struct_config__.tag)


def _fields(struct: type[msgspec.Struct]) -> str:
    """The names of the fields; those that may be left out are in brackets."""
    return ", ".join(
        f"`{field.name}`" if field.required else f"[`{field.name}`]" for field in msgspec.structs.fields(struct)
    )
