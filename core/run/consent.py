"""What a volunteer agrees to: the part of a manifest that decides what is computed, downloaded and used, as a digest.

Everything in a manifest is part of it but ``run``, apart from its id, the ``revision``, and ``succession``: what only
people read, and whom the organiser trusts to sign beside it (``keepers``) or to lead the run on. Neither changes what
is computed, downloaded or used. A section that a later version adds is so part of it from the beginning.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from core.run.manifest import RunManifest

ConsentDigest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]

_PREFIX = b"workerbee consent 1:"
_KINDS = ("kind", "name")  # say which of the recipes, data sources or optimizers a section describes


@dataclass(frozen=True)
class Change:
    """A field that differs between two manifests, by its path; ``None`` where only the other one has it."""

    section: str
    field: str
    before: object
    after: object


def consent_digest(manifest: RunManifest) -> str:
    """The SHA-256 of what is agreed to, in hexadecimal; equal for manifests in which all of that is equal.

    It covers the JSON of that part with sorted keys and all defaults, so that another default is another digest.
    """
    terms = _terms(manifest)
    if not manifest.access.tickets:  # an open run is what every run was before there were closed ones
        del terms["access"]
    if not manifest.steering.data:  # as in every run before there were changes of data
        del terms["steering"]["data"]
    return hashlib.sha256(_PREFIX + msgspec.json.encode(terms, order="deterministic")).hexdigest()


def is_agreed(manifest: RunManifest, digest: str) -> bool:
    """Whether whoever has agreed to that digest has agreed to this manifest."""
    return consent_digest(manifest) == digest


def changes_between(before: RunManifest, after: RunManifest) -> tuple[Change, ...]:
    """What differs in what is agreed to, field by field; of a section of another kind, only the kind."""
    old, new = _terms(before), _terms(after)
    return tuple(change for section in new for change in _changes_in(section, old.get(section), new[section]))


def _terms(manifest: RunManifest) -> dict[str, Any]:
    terms: dict[str, Any] = msgspec.to_builtins(manifest)
    del terms["revision"], terms["succession"]
    terms["run"] = {"id": manifest.run.id}
    return terms


def _changes_in(section: str, before: object, after: object) -> Iterator[Change]:
    old, new = dict(_leaves(before)), dict(_leaves(after))
    for kind in _KINDS:
        if old.keys() != new.keys() and old.get(kind) != new.get(kind):
            yield Change(section, kind, old.get(kind), new.get(kind))
            return
    for field in {**old, **new}:
        if old.get(field) != new.get(field):
            yield Change(section, field, old.get(field), new.get(field))


def _leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Every single value in nested objects and lists, with its path: ``files.0.url``."""
    match value:
        case dict():
            inner = value.items()
        case list() | tuple():
            inner = dict(enumerate(value)).items()
        case _:
            yield path, value
            return
    for name, each in inner:
        yield from _leaves(each, f"{path}.{name}" if path else str(name))
