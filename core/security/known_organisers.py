"""Trust on first use: the organiser's key and the newest revision of each joined run, as SSH's known_hosts."""

from __future__ import annotations

from pathlib import Path

from core.errors import ErrorKind, UserError
from core.files.atomic import storage_problem
from core.files.json_file import JsonFile
from core.localizable import localized
from core.schema import StrictStruct


class _Known(StrictStruct, frozen=True):
    organiser: str
    revision: int


class KnownOrganisers:
    """The known organisers in a small file, which is quarantined where it is damaged; UserError where it is refused."""

    def __init__(self, path: Path) -> None:
        self._file: JsonFile[dict[str, _Known]] = JsonFile(path, dict[str, _Known])

    def check(self, run_id: str, organiser: str, revision: int) -> None:
        """Raises UserError if the run was signed by somebody else before, or an older revision is shown."""
        known = self._read().get(run_id)
        if known is None:
            return
        if known.organiser != organiser:
            detail = localized("Run %1: It was %2, it is %3.", run_id, known.organiser, organiser)
            raise UserError(ErrorKind.ORGANISER_CHANGED, detail)
        if known.revision > revision:
            raise UserError(
                ErrorKind.MANIFEST_ROLLED_BACK,
                localized("Revision %1 is shown, revision %2 was seen.", revision, known.revision),
            )

    def remember(self, run_id: str, organiser: str, revision: int) -> None:
        """Record that the person agreed to this run, unless that is known; raises UserError."""
        before = self._read()
        known = before | {run_id: _Known(organiser, revision)}
        if known != before:
            self._write(known)

    def organisers(self) -> dict[str, str]:
        """The organiser of each run that is known, by run id; none where the file cannot be read."""
        return {run_id: known.organiser for run_id, known in (self._file.load() or {}).items()}

    def forget(self, run_id: str) -> bool:
        """Trust whoever signs this run next, as if it had never been seen; whether it was known. Raises UserError."""
        before = self._read()
        if run_id not in before:
            return False
        self._write({known_id: known for known_id, known in before.items() if known_id != run_id})
        return True

    def _read(self) -> dict[str, _Known]:
        try:
            return self._file.read() or {}
        except OSError as error:
            raise storage_problem(error, self._file.path) from error

    def _write(self, known: dict[str, _Known]) -> None:
        try:
            self._file.write(known)
        except OSError as error:
            raise storage_problem(error, self._file.path) from error
