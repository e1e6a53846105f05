"""The order in which runs are helped, with the last changes between them: a small file."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from core.errors import UserError
from core.files.atomic import delete_file, storage_problem
from core.files.json_file import JsonFile
from core.protocol.client_events import RunSwitch
from core.protocol.codec import read_multiaddr
from core.protocol.events import RunFound
from core.records.unfinished_run import UnfinishedRun
from core.run.address import JoinAddress
from core.run.manifest import RunManifest
from core.run_order.engine import RunKey
from core.schema import StrictStruct
from core.security.sanitize import sanitize_line

_log = logging.getLogger(__name__)
MOST_RUNS, MOST_SWITCHES = 12, 50
MOST_RETURN_MINUTES = 30 * 24 * 60
_LONGEST_NAME = 120
_MAX_FILE_BYTES = 4 * 1024 * 1024


class OrderedRun(StrictStruct, kw_only=True, frozen=True):
    """A run of the order, by its organiser's name for it; how it is joined, and on which device it is trained."""

    name: Annotated[str, Meta(max_length=200)]
    run: UnfinishedRun

    @property
    def key(self) -> RunKey:
        """What tells it from every other run."""
        return self.run.run_id, self.run.organiser


class RunOrder(StrictStruct, kw_only=True, frozen=True):
    """Runs, the first of which is helped first, and the last changes between them, the newest first.

    ``return_after_minutes`` is how long an earlier run has to be open again before it takes the place of the present
    one; ``None`` waits for the end of that.
    """

    runs: Annotated[tuple[OrderedRun, ...], Meta(max_length=MOST_RUNS)] = ()
    return_after_minutes: Annotated[int, Meta(ge=0, le=MOST_RETURN_MINUTES)] | None = None
    switches: Annotated[tuple[RunSwitch, ...], Meta(max_length=MOST_SWITCHES)] = ()

    @property
    def keys(self) -> tuple[RunKey, ...]:
        """The runs by their keys, in their order."""
        return tuple(each.key for each in self.runs)

    @property
    def return_after_seconds(self) -> float | None:
        """The same as ``return_after_minutes``, in seconds."""
        return None if self.return_after_minutes is None else 60.0 * self.return_after_minutes

    def of(self, key: RunKey) -> OrderedRun | None:
        """The run with that key."""
        return next((each for each in self.runs if each.key == key), None)

    def with_run(self, run: OrderedRun, *, first: bool = False) -> RunOrder:
        """The order with that run at its end, or at its beginning; one that is in it keeps its place."""
        if self.of(run.key) is not None:
            runs = tuple(run if each.key == run.key else each for each in self.runs)
        elif first:
            runs = (run, *self.runs[: MOST_RUNS - 1])
        else:
            runs = (*self.runs[: MOST_RUNS - 1], run)
        return msgspec.structs.replace(self, runs=runs)

    def without(self, key: RunKey) -> RunOrder:
        """The order without that run."""
        return msgspec.structs.replace(self, runs=tuple(each for each in self.runs if each.key != key))

    def moved(self, key: RunKey, steps: int) -> RunOrder:
        """The order in which that run is so many places later, or earlier where ``steps`` is negative."""
        if (moved := self.of(key)) is None:
            return self
        others = [each for each in self.runs if each.key != key]
        others.insert(max(0, self.keys.index(key) + steps), moved)
        return msgspec.structs.replace(self, runs=tuple(others))

    def with_switch(self, switch: RunSwitch) -> RunOrder:
        """The order after that change."""
        return msgspec.structs.replace(self, switches=(switch, *self.switches)[:MOST_SWITCHES])


class RunOrderFile:
    """The order on the disk (mode 0600); a file that is damaged is quarantined and counts as none."""

    def __init__(self, path: Path) -> None:
        self._file: JsonFile[RunOrder] = JsonFile(path, RunOrder, max_bytes=_MAX_FILE_BYTES, dec_hook=read_multiaddr)
        self.order = self._file.load() or RunOrder()

    def keep(self, order: RunOrder) -> None:
        """Keep that order from now on; raises UserError for a disk that refuses."""
        self.order = order
        try:
            self._file.write(order)
        except OSError as error:
            raise storage_problem(error, self._file.path) from error

    def save(self, order: RunOrder) -> None:
        """Keep that order from now on; where the disk refuses, until the program ends."""
        try:
            self.keep(order)
        except UserError as error:
            _log.warning("the order of runs is not written: %s", error)

    def forget(self) -> None:
        """Keep no order any more."""
        self.order = RunOrder()
        delete_file(self._file.path)


def ordered_run(run: RunFound, address: JoinAddress, device: str, manifest: RunManifest | None = None) -> OrderedRun:
    """A run that was found at that address, to be trained on that device; ``manifest`` is a run file of one's own."""
    info = run.manifest.run
    unfinished = UnfinishedRun(
        addresses=address.peers,
        run_id=info.id,
        organiser=run.organiser,
        vouched=run.vouched,
        device=device,
        manifest=manifest,
    )
    return OrderedRun(name=sanitize_line(info.name, _LONGEST_NAME) or info.id, run=unfinished)
