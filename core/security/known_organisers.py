"""Which organiser signed each run that this computer has seen, and how far; like a browser's known hosts."""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from core.errors import ErrorKind, UserError
from core.files.atomic import quarantine, storage_problem, write_atomically
from core.schema import StrictStruct

log = logging.getLogger(__name__)


class _Known(StrictStruct, frozen=True):
    organiser: str
    revision: int


class KnownOrganisers:
    """A small file; a damaged one is kept aside and begun anew. What is refused raises ClientError."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def check(self, run_id: str, organiser: str, revision: int) -> None:
        """Raises ClientError if the run was signed by somebody else before, or has gone back in time."""
        known = self._read().get(run_id)
        if known is None:
            return
        if known.organiser != organiser:
            raise UserError(ErrorKind.ORGANISER_CHANGED, f"It was {known.organiser}, it is {organiser}.")
        if known.revision > revision:
            raise UserError(
                ErrorKind.MANIFEST_ROLLED_BACK,
                f"Revision {revision} is shown, revision {known.revision} was seen.",
            )

    def remember(self, run_id: str, organiser: str, revision: int) -> None:
        """The person agreed to this run. What is known already needs no room on a disk."""
        before = self._read()
        known = before | {run_id: _Known(organiser, revision)}
        if known == before:
            return
        try:
            write_atomically(self._path, msgspec.json.format(msgspec.json.encode(known)))
        except OSError as error:
            raise storage_problem(error, self._path) from error

    def _read(self) -> dict[str, _Known]:
        try:
            return self._decoded()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise storage_problem(error, self._path) from error

    def _decoded(self) -> dict[str, _Known]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, _Known])
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            log.exception("%s is damaged, and is now %s", self._path, quarantine(self._path).name)
            return {}
