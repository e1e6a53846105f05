"""What a run learns from, which its organiser may exchange while it goes on: opened ahead, and put in place in time.

The next data are opened in a thread of their own as soon as they are known, up to the validation set and so with their
first file. In the epoch from which they hold, a peer computes nothing until they are there: no sample of the old ones
is counted, and no loss on them compared, in an epoch of the new ones.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future

from core.errors import ErrorKind, UserError
from core.localizable import Detail, localized
from core.run.manifest import RunManifest
from core.run.spec.data import DataSpec
from core.run.steering.data_change import DataChanges, data_at, data_error, latest_data, signed_changes
from core.worker.fetch.background_task import ProgressListener
from core.worker.training.numeric_checks import NumericChecks

PutInPlace = Callable[[], None]
Open = Callable[[DataSpec, ProgressListener], PutInPlace]
"""Opens data, which may take long, and returns what has the recipe draw from them and evaluate on them."""

log = logging.getLogger(__name__)


def agreed_changes(manifest: RunManifest, changes: DataChanges) -> DataChanges:
    """Those of this manifest that have an epoch; raises UserError for others than were agreed to with it."""
    made = signed_changes(manifest, changes)
    for each in made:
        _require_agreed(manifest, each.data)
    return made


def _require_agreed(manifest: RunManifest, data: DataSpec) -> None:
    if error := data_error(manifest, data):
        raise UserError(
            ErrorKind.MANIFEST_REFUSED, localized("A change of the run is not what was agreed to: %1.", error)
        )


def data_to_begin_with(manifest: RunManifest, changes: DataChanges) -> DataSpec:
    """Those of the last change, which newcomers need nearly always; raises UserError as `agreed_changes`."""
    return latest_data(manifest, agreed_changes(manifest, changes))


class RunData:
    """The recipe begins with the last of the ``changes``; ``plan`` takes others, from any thread."""

    def __init__(
        self,
        manifest: RunManifest,
        changes: DataChanges,
        open_data: Open,
        checks: NumericChecks,
        listener: ProgressListener,
    ) -> None:
        self._manifest, self._planned = manifest, agreed_changes(manifest, changes)
        self._present = latest_data(manifest, self._planned)
        self._open, self._checks, self._listener = open_data, checks, _Quietly(listener)
        self._lock, self._openings = threading.Lock(), dict[DataSpec, Future[PutInPlace]]()
        checks.is_same_data = self._is_present_in

    def plan(self, changes: DataChanges) -> None:
        """Use the data of these changes, each from its epoch on; open the last ones now.

        Raises UserError for others than were agreed to with the manifest.
        """
        planned = agreed_changes(self._manifest, changes)
        if planned != self._planned:
            self._planned = planned
            if planned and planned[-1].data != self._present:
                self._opening_of(planned[-1].data)

    def prefetch(self, data: DataSpec) -> bool:
        """Open these in a thread, unless that has begun; whether they could be put in place at once. From one thread.

        Raises UserError where they cannot be had, or others were agreed to with the manifest.
        """
        _require_agreed(self._manifest, data)
        if data == self._present:
            return True
        opening = self._opening_of(data)
        if not opening.done():
            return False
        if opening.exception() is not None:
            with self._lock:
                del self._openings[data]  # whoever asks again tries again
        opening.result()
        return True

    def is_ready(self, epoch: int) -> bool:
        """Whether the recipe learns from the data of that epoch, which are put in place if they are there.

        In the trainer's thread. Raises UserError where they cannot be had.
        """
        wanted = data_at(self._manifest, self._planned, epoch)
        if wanted == self._present:
            return True
        opening = self._opening_of(wanted)
        if not opening.done():
            return False
        with self._lock:
            del self._openings[wanted]
        put_in_place = opening.result()
        put_in_place()
        self._present = wanted
        self._checks.begin_other_data()
        log.info("epoch %d begins with other data", epoch)
        return True

    def _is_present_in(self, epoch: int) -> bool:
        return data_at(self._manifest, self._planned, epoch) == self._present

    def _opening_of(self, data: DataSpec) -> Future[PutInPlace]:
        """What opens these in a thread, which is started if there is none."""
        with self._lock:
            if data not in self._openings:
                self._openings[data] = _in_background(lambda: self._open(data, self._listener))
            return self._openings[data]


def _in_background(work: Callable[[], PutInPlace]) -> Future[PutInPlace]:
    """What that returns or raises, from a thread that keeps no process alive."""
    future = Future[PutInPlace]()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="opening data", daemon=True).start()
    return future


class _Quietly:
    """A listener that hears of no progress: who trains is shown no download."""

    def __init__(self, listener: ProgressListener) -> None:
        self._listener = listener

    def progress(self, received_bytes: int, total_bytes: int) -> None:
        """Tell nobody of it: training goes on meanwhile."""

    def check(self) -> None:
        self._listener.check()

    def warn(self, problem: ErrorKind, detail: Detail) -> None:
        self._listener.warn(problem, detail)
