"""What this person has agreed to, run by run, so that an unchanged run goes on unasked, and no other does."""

from __future__ import annotations

import logging
from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from core.errors import UserError
from core.files.json_file import JsonFile
from core.protocol.events import RunFound
from core.run.consent import ConsentDigest, consent_digest
from core.run.manifest import MAX_MANIFEST_BYTES, RunManifest, decode_manifest
from core.schema import StrictStruct

MOST_CONSENTS = 32
_MAX_FILE_BYTES = 2 * MOST_CONSENTS * MAX_MANIFEST_BYTES  # a manifest as a JSON string has many a backslash

_log = logging.getLogger(__name__)


class Consent(StrictStruct, kw_only=True, frozen=True):
    """The digest that was agreed to, and the manifest that was shown, as JSON; ``at`` is in seconds since 1970."""

    run_id: Annotated[str, Meta(min_length=1, max_length=64)]
    organiser: Annotated[str, Meta(max_length=200)]
    digest: ConsentDigest
    manifest: Annotated[str, Meta(max_length=MAX_MANIFEST_BYTES)]
    at: Annotated[float, Meta(ge=0, le=1e12)]

    @property
    def shown(self) -> RunManifest | None:
        """The manifest that was shown; ``None`` where this version of Workerbee cannot read it."""
        try:
            return decode_manifest(self.manifest.encode())
        except UserError as error:
            _log.warning("what was agreed to for %s cannot be read: %s", self.run_id, error)
            return None


class Consents:
    """The consents in a small file (mode 0600), newest first; one that is damaged is quarantined, and asks again.

    Nothing here raises: a consent that cannot be written is asked for again after the next start.
    """

    def __init__(self, path: Path) -> None:
        self._file: JsonFile[tuple[Consent, ...]] = JsonFile(path, tuple[Consent, ...], max_bytes=_MAX_FILE_BYTES)

    def of(self, run: RunFound) -> Consent | None:
        """What was last agreed to of the run with that id by that organiser."""
        return self.of_run(run.manifest.run.id, run.organiser)

    def of_run(self, run_id: str, organiser: str) -> Consent | None:
        """What was last agreed to of the run with that id by that organiser."""
        wanted = (run_id, organiser)
        return next((each for each in self._load() if (each.run_id, each.organiser) == wanted), None)

    def by(self, organisers: Collection[str]) -> tuple[Consent, ...]:
        """What was last agreed to of each run of these organisers, the newest first."""
        return tuple(each for each in self._load() if each.organiser in organisers)

    def cover(self, run: RunFound) -> bool:
        """Whether the person has agreed to that run exactly as it is now."""
        consent = self.of(run)
        return consent is not None and consent.digest == consent_digest(run.manifest)

    @property
    def are_empty(self) -> bool:
        """Whether nothing was ever agreed to, as far as is known."""
        return not self._load()

    def remember(self, run: RunFound, at: float) -> None:
        """Record that the person has agreed to that run as it is now, in place of what was agreed to before."""
        run_id, organiser = run.manifest.run.id, run.organiser
        manifest = msgspec.json.encode(run.manifest).decode()
        if len(manifest) > MAX_MANIFEST_BYTES:
            return  # a run file of one's own, longer than any that is published
        consent = Consent(
            run_id=run_id,
            organiser=organiser,
            digest=consent_digest(run.manifest),
            manifest=manifest,
            at=at,
        )
        others = (each for each in self._load() if (each.run_id, each.organiser) != (run_id, organiser))
        self._file.save((consent, *others)[:MOST_CONSENTS])

    def forget(self, run_id: str, organiser: str) -> None:
        """Ask again before that run is computed."""
        before = self._load()
        kept = tuple(each for each in before if (each.run_id, each.organiser) != (run_id, organiser))
        if kept != before:
            self._file.save(kept)

    def _load(self) -> tuple[Consent, ...]:
        return (self._file.load() or ())[:MOST_CONSENTS]
