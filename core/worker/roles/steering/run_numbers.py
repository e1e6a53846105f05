"""What the organiser of a run may change while it goes on, where it is used: schedule, tracker, data."""

from __future__ import annotations

from core.errors import ErrorKind, UserError
from core.localizable import localized
from core.run.manifest import RunManifest
from core.run.steering.control_value import ControlValue
from core.run.steering.edit import Edit, edit_error, edits_of, numbers_at
from core.worker.compute.learning_rate import SteeredSchedule, make_scheduler
from core.worker.compute.optimizers import SchedulerFactory
from core.worker.roles.steering.run_data import RunData
from core.worker.swarm import SwarmOptimizer


class RunNumbers:
    """The schedule's factory is ``scheduler``; ``plan`` takes changes, each from its epoch on, from any thread."""

    def __init__(self, manifest: RunManifest, data: RunData) -> None:
        self._manifest, self.data, self._planned = manifest, data, tuple[Edit, ...]()
        self._schedule: SteeredSchedule | None = None
        if manifest.steering.max_change > 1:
            self._schedule = SteeredSchedule(manifest.scheduler, manifest.optimizer.learning_rate)

    @property
    def scheduler(self) -> SchedulerFactory | None:
        """What builds the schedule of the learning rate; ``None`` where that never changes."""
        return make_scheduler(self._manifest.scheduler) if self._schedule is None else self._schedule.build

    def learning_rate(self, epoch: int) -> float | None:
        """That of the step which ends an epoch; ``None`` where nobody may change it while the run goes on."""
        return None if self._schedule is None else self._schedule.rate(epoch)

    def plan(self, control: ControlValue, optimizer: SwarmOptimizer) -> None:
        """Use its numbers and data, each from its epoch on.

        Raises UserError for more than was agreed to with the manifest.
        """
        self.data.plan(control.data_changes)
        manifest, planned = self._manifest, edits_of(self._manifest, control.edits)
        if planned == self._planned:
            return
        for edit in planned:
            if error := edit_error(manifest, edit.numbers):
                raise UserError(
                    ErrorKind.MANIFEST_REFUSED, localized("A change of the run is not what was agreed to: %1.", error)
                )
        self._planned = planned

        def pace_at(epoch: int) -> tuple[int, float | None]:
            numbers = numbers_at(manifest, planned, epoch)
            return numbers.target_batch_size, numbers.max_round_seconds

        optimizer.tracker.plan(pace_at)
        if self._schedule is not None:
            self._schedule.plan(lambda epoch: numbers_at(manifest, planned, epoch).learning_rate)
