"""A catalogue as it lies on a server: TOML that people can read, below a line that holds the signature of the rest."""

from __future__ import annotations

import base64
import re
import time
from datetime import UTC, datetime

import msgspec

from core.catalogue.catalogue import FORMAT_VERSION, MAX_CATALOGUE_BYTES, MAX_RUNS, Catalogue
from core.catalogue.refusal import RefusedCatalogueError
from core.localizable import localized, words_of
from core.run.address import JoinAddress, UnreadableAddress
from core.schema import StrictStruct, fields_of
from core.security.bounded_toml import read_toml
from core.security.identity import Identity, verify

_SIGNING_PREFIX = b"workerbee run catalogue 1:"
_MARK = b"# workerbee catalogue "
_FIRST_LINE = re.compile(rb"# workerbee catalogue 1 (12D3KooW[1-9A-HJ-NP-Za-km-z]{44}) ([A-Za-z0-9+/]{86}==)\r?\Z")


class SignedCatalogue(StrictStruct, frozen=True, tag=True):
    """A catalogue whose signature was verified; ``publisher`` is the peer id of the key that signed it."""

    publisher: str
    catalogue: Catalogue


def sign_catalogue(catalogue: Catalogue, publisher: Identity) -> bytes:
    """The file to publish; raises RefusedCatalogueError for a catalogue that nobody would accept."""
    import tomli_w

    body = tomli_w.dumps(_without_defaults(catalogue), multiline_strings=True).encode()
    signature = base64.b64encode(publisher.sign(_SIGNING_PREFIX + body))
    encoded = _MARK + b"1 " + publisher.peer_id.encode() + b" " + signature + b"\n" + body
    open_catalogue(encoded)
    return encoded


def open_catalogue(encoded: bytes, now: float | None = None) -> SignedCatalogue:
    """The catalogue in a file, verified before it is parsed; raises RefusedCatalogueError.

    ``now`` is in seconds since 1970.
    """
    _refuse_large(encoded)
    first_line, _, body = encoded.partition(b"\n")
    found = _FIRST_LINE.match(first_line)
    if found is None:
        raise RefusedCatalogueError("unsigned")
    publisher, signature = found[1].decode(), base64.b64decode(found[2])
    if not verify(publisher, _SIGNING_PREFIX + body, signature):
        raise RefusedCatalogueError("wrong_signature")
    catalogue = _parsed(body)
    if catalogue.expires < moment(time.time() if now is None else now):
        raise RefusedCatalogueError("expired", f"{catalogue.expires:%Y-%m-%d}")
    _refuse_bad_addresses(catalogue)
    return SignedCatalogue(publisher, catalogue)


def read_unsigned(encoded: bytes) -> Catalogue:
    """The catalogue in a file of one's own, which may have been changed by hand; raises RefusedCatalogueError."""
    _refuse_large(encoded)
    first_line, _, body = encoded.partition(b"\n")
    return _parsed(body if first_line.startswith(_MARK) else encoded)


def moment(at: float) -> datetime:
    """A time in seconds since 1970 as it is written in a catalogue: of whole seconds, in UTC."""
    return datetime.fromtimestamp(int(at), UTC)


def _refuse_large(encoded: bytes) -> None:
    if len(encoded) > MAX_CATALOGUE_BYTES:
        raise RefusedCatalogueError("too_large")


def _parsed(body: bytes) -> Catalogue:
    try:
        tables = read_toml(body.decode())
    except (ValueError, RecursionError) as error:
        raise RefusedCatalogueError("unreadable", words_of(error)) from error
    version, runs = tables.get("format", FORMAT_VERSION), tables.get("run")
    if isinstance(version, int) and version > FORMAT_VERSION:
        raise RefusedCatalogueError("too_new", str(version))
    if isinstance(runs, list) and len(runs) > MAX_RUNS:
        raise RefusedCatalogueError("too_many_runs", str(len(runs)))
    try:
        return msgspec.convert(tables, Catalogue)
    except (msgspec.MsgspecError, RecursionError, OverflowError) as error:
        raise RefusedCatalogueError("unreadable", words_of(error)) from error


def _refuse_bad_addresses(catalogue: Catalogue) -> None:
    for entry in catalogue.run:
        try:
            JoinAddress.parse(entry.address)
        except UnreadableAddress as error:
            raise RefusedCatalogueError("unreadable", localized("%1: %2", entry.id, error.detail)) from error


def _without_defaults(catalogue: Catalogue) -> dict[str, object]:
    """The tables of the TOML text: an entry's fields, except for those that are empty or as by default."""
    runs = [
        {
            field.name: value
            for field in fields_of(type(entry))
            if (value := getattr(entry, field.name)) != field.default
        }
        for entry in catalogue.run
    ]
    return {
        "format": catalogue.format,
        "title": catalogue.title,
        "made": catalogue.made,
        "expires": catalogue.expires,
        "run": runs,
    }
