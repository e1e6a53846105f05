"""The run file: the manifest as an organiser writes it (TOML), read with every mistake named by its field."""

from __future__ import annotations

import secrets
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from core.errors import ErrorKind, UserError
from core.localizable import Detail, joined, localized
from core.run.manifest import FORMAT_VERSION, MAX_MANIFEST_BYTES, RunManifest
from core.run.run_file_errors import find_errors, with_none
from core.security.bounded_toml import read_toml

_TEMPLATE_ID = "arithmetic-demo"
MAX_RUN_FILE_BYTES = 128 * 1024


def template() -> str:
    """The commented run file that an organiser starts from, and that the demo trains."""
    return files("resources").joinpath("run.toml").read_text(encoding="utf-8")


def load_run_file(path: Path) -> RunManifest:
    """The manifest in that file; raises UserError that names what is wrong and where."""
    return parse_run_file(_text_of(path))


def parse_run_file(text: str) -> RunManifest:
    """The manifest in that text; raises UserError with one line for each mistake."""
    _refuse_if_too_long(len(text.encode("utf-8", "surrogatepass")))
    tables = with_none(_tables_of(text), RunManifest)
    mistakes = find_errors(tables, RunManifest)
    if mistakes:
        raise _wrong(joined(mistakes, localized("%1\n%2")))
    try:
        manifest = msgspec.convert(tables, RunManifest)
    except msgspec.ValidationError as error:
        raise _wrong(localized("%1.", error)) from error
    if manifest.format > FORMAT_VERSION:
        raise UserError(ErrorKind.MANIFEST_TOO_NEW, localized("It is of format %1.", manifest.format))
    return _fits_into_a_record(manifest)


def write_template(path: Path) -> None:
    """Write the commented run file there, with a run id of its own; raises UserError rather than overwrite a file."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(template().replace(f'id = "{_TEMPLATE_ID}"', f'id = "arithmetic-{secrets.token_hex(4)}"'))
    except FileExistsError as error:
        raise UserError(ErrorKind.USAGE, localized("%1 exists already and was left as it is.", path)) from error
    except OSError as error:
        raise UserError(ErrorKind.USAGE, localized("%1 cannot be written: %2.", path, error.strerror)) from error


def _text_of(path: Path) -> str:
    """The file's text; no more of it is read than a run file may have."""
    try:
        with path.open("rb") as file:
            encoded = file.read(MAX_RUN_FILE_BYTES + 1)
    except OSError as error:
        raise _wrong(localized("%1 cannot be read: %2.", path, error.strerror)) from error
    if len(encoded) > MAX_RUN_FILE_BYTES:
        _refuse_if_too_long(max(path.stat().st_size, len(encoded)))
    try:
        return encoded.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = encoded.count(b"\n", 0, error.start) + 1
        raise _wrong(localized("%1 is not UTF-8 text (line %2).", path, line)) from error


def _tables_of(text: str) -> dict[str, Any]:
    """The TOML's tables, or its first syntax error with line and column."""
    try:
        return read_toml(text)
    except ValueError as error:
        raise _wrong(localized("It is not TOML: %1.", error)) from error


def _refuse_if_too_long(length_bytes: int) -> None:
    if length_bytes > MAX_RUN_FILE_BYTES:
        raise _wrong(localized("It has %1 bytes; at most %2 are allowed.", length_bytes, MAX_RUN_FILE_BYTES))


def _fits_into_a_record(manifest: RunManifest) -> RunManifest:
    """The same manifest, if the swarm's DHT may hold it; only long texts can be too much."""
    length_bytes = len(msgspec.json.encode(manifest))
    if length_bytes > MAX_MANIFEST_BYTES:
        raise _wrong(
            localized(
                "[run] description: too long; the manifest has %1 bytes, and at most %2 are allowed.",
                length_bytes,
                MAX_MANIFEST_BYTES,
            )
        )
    return manifest


def _wrong(detail: Detail) -> UserError:
    return UserError(ErrorKind.RUN_FILE_WRONG, detail)
