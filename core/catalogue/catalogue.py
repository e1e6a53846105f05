"""A catalogue of runs: what each run is, who organises it, and what it needs of a computer; plain, bounded data."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from core.hardware.fit import Needs, needs_of
from core.run.manifest import RunId, RunManifest
from core.run.requirements import estimate_requirements
from core.run.spec.collaboration import Mode
from core.schema import StrictStruct

FORMAT_VERSION = 1
MAX_RUNS = 1000
MAX_CATALOGUE_BYTES = 1024 * 1024
MAX_DESCRIPTION_CHARACTERS = 600

_Line = Annotated[str, Meta(max_length=200)]
_Bytes = Annotated[int, Meta(ge=0, le=2**53)]
_Moment = Annotated[datetime, Meta(tz=True)]
PublisherId = Annotated[str, Meta(pattern=r"^12D3KooW[1-9A-HJ-NP-Za-km-z]{44}\Z")]


class CatalogueEntry(StrictStruct, kw_only=True, frozen=True):
    """One run that looks for volunteers, with the link at which its peers are.

    ``organiser`` is the peer id that has signed its manifest. ``gpu_memory_bytes`` is needed on a GPU and
    ``memory_bytes`` beside it; ``cpu_memory_bytes`` is needed where a CPU trains.
    """

    id: RunId
    name: Annotated[str, Meta(min_length=1, max_length=120)]
    address: Annotated[str, Meta(min_length=1, max_length=8192)]
    organiser: PublisherId
    description: Annotated[str, Meta(max_length=MAX_DESCRIPTION_CHARACTERS)] = ""
    state: Literal["open", "paused", "finished"] = "open"
    mode: Mode = "gradients"
    homepage: _Line = ""
    license: _Line = ""
    contact: _Line = ""
    parameters: _Bytes = 0
    gpu_memory_bytes: _Bytes = 0
    memory_bytes: _Bytes = 0
    cpu_memory_bytes: _Bytes = 0
    disk_bytes: _Bytes = 0
    download_bytes: _Bytes = 0

    @classmethod
    def of_run(cls, manifest: RunManifest, organiser: str, link: str) -> CatalogueEntry:
        """The entry of a run whose manifest that organiser has signed, and whose peers are at that link."""
        info, needs = manifest.run, needs_of(manifest)
        description = info.description.strip()
        if len(description) > MAX_DESCRIPTION_CHARACTERS:
            description = f"{description[: MAX_DESCRIPTION_CHARACTERS - 1]}…"
        return cls(
            id=info.id,
            name=info.name,
            address=link,
            organiser=organiser,
            description=description,
            state=info.state,
            mode=manifest.collaboration.mode,
            homepage=info.homepage,
            license=info.license,
            contact=info.contact,
            parameters=estimate_requirements(manifest).parameters,
            gpu_memory_bytes=needs.gpu_bytes,
            memory_bytes=needs.memory_bytes,
            cpu_memory_bytes=needs.cpu_memory_bytes,
            disk_bytes=needs.disk_bytes,
            download_bytes=needs.download_bytes,
        )

    @property
    def needs(self) -> Needs:
        """What the run needs of a computer."""
        return Needs(
            gpu_bytes=self.gpu_memory_bytes,
            memory_bytes=self.memory_bytes,
            cpu_memory_bytes=self.cpu_memory_bytes,
            disk_bytes=self.disk_bytes,
            download_bytes=self.download_bytes,
        )


class Catalogue(StrictStruct, kw_only=True, frozen=True):
    """A list of runs under a title; it counts from ``made`` on, and until it ``expires``."""

    format: Annotated[int, Meta(ge=1, le=2**31)] = FORMAT_VERSION
    title: Annotated[str, Meta(min_length=1, max_length=120)]
    made: _Moment
    expires: _Moment
    run: Annotated[tuple[CatalogueEntry, ...], Meta(max_length=MAX_RUNS)] = ()

    def with_entry(self, entry: CatalogueEntry) -> Catalogue:
        """The catalogue with that entry in the place of an earlier one of the same run and organiser, or at its end.

        Raises ValueError for more than `MAX_RUNS`.
        """
        key = (entry.organiser, entry.id)
        if any((each.organiser, each.id) == key for each in self.run):
            runs = tuple(entry if (each.organiser, each.id) == key else each for each in self.run)
        else:
            runs = (*self.run, entry)
        if len(runs) > MAX_RUNS:
            raise ValueError(f"a catalogue has {MAX_RUNS} runs at the most")
        return msgspec.structs.replace(self, run=runs)
