"""The organiser collects the states of all experts from their hosts, so that the run can be exported as one model."""

from __future__ import annotations

import concurrent.futures
import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.files.atomic import storage_problem
from core.files.locks import PeerFiles
from core.protocol.events import Warned
from core.records.published.checkpoint_history import CheckpointHistory
from core.run.manifest import RunManifest
from core.run.spec.recipe import MoeLM
from core.worker.experts.block import ExpertId, ExpertShape
from core.worker.experts.collected import CollectedExperts
from core.worker.process.channel import WorkerChannel
from core.worker.process.supervisor import StartThread
from core.worker.recipes.mixture_model import experts_in
from core.worker.swarm import ExpertStanding, NoStateError

ATTEMPTS = 3  # at a host that is busy or does not answer
PAUSE_SECONDS = 5.0  # between them
OFF_SCHEDULE_SECONDS = 60.0  # at least, between two collections without a checkpoint
SETTLING_SECONDS = 25.0  # in which all trainers have heard that the run holds, and hosts have announced what that left

log = logging.getLogger(__name__)


class ExpertSource(Protocol):
    """The part of an `ExpertCaller` that knows hosts and fetches states."""

    def standing(self, expert: ExpertId) -> ExpertStanding: ...

    def signed_state_of(self, expert: ExpertId, shape: ExpertShape) -> bytes: ...


class ExpertCollector:
    """Fetches the states of the ``experts`` whose hosts can be asked, with every checkpoint, in the background.

    One that has taken no step since the last time is not fetched again. Whose host is away, or sends what was not
    signed, keeps the state of an earlier epoch.
    """

    def __init__(
        self,
        source: ExpertSource,
        experts: Sequence[ExpertId],
        shape: ExpertShape,
        kept: CollectedExperts,
        checkpoints: CheckpointHistory,
        channel: WorkerChannel,
        start_thread: StartThread,
    ) -> None:
        self._source, self._experts, self._shape, self._kept = source, tuple(experts), shape, kept
        self._checkpoints, self._channel, self._start_thread = checkpoints, channel, start_thread
        self._known: dict[ExpertId, tuple[str, int, int]] = {}  # host and steps of what is kept, and since which epoch
        self._ever = set(kept.epochs())
        self._collecting: threading.Thread | None = None
        self._began = -OFF_SCHEDULE_SECONDS

    def collect(self, epoch: int, is_due: bool) -> None:
        """Begin to collect, if that ``is_due``, or an expert has its first host; unless it still goes on."""
        if self._collecting is not None and self._collecting.is_alive():
            return
        if is_due or (time.monotonic() - self._began >= OFF_SCHEDULE_SECONDS and self._has_first_host()):
            self._began = time.monotonic()
            self._collecting = self._start_thread("collected experts", lambda: self.run(epoch))

    def collect_last(self, epoch: int) -> None:
        """Collect what has been learned by the end of that epoch, at which the run holds.

        Trainers hear of that within some seconds, so that it is looked for twice, after what is being collected now.
        """
        before = self._collecting
        self._collecting = self._start_thread("last experts", lambda: self._run_last(before, epoch))

    def _run_last(self, before: threading.Thread | None, epoch: int) -> None:
        if before is not None:
            before.join()
        self.run(epoch)
        if not self._channel.leaving.wait(SETTLING_SECONDS):
            self.run(epoch)

    def run(self, epoch: int) -> None:
        """Collect those of that epoch; a disk that takes nothing is told, and tried again the next time."""
        left = list(self._experts)
        try:
            for attempt in range(ATTEMPTS):
                if attempt and (not left or self._channel.leaving.wait(PAUSE_SECONDS)):
                    break
                left = self._fetch_all(left, epoch)
            self._kept.forget_all_but([each.epoch for each in self._checkpoints.all()])
        except OSError as error:
            problem = storage_problem(error, self._kept.folder)
            self._channel.emit(Warned(problem=problem.problem.key, detail=problem.detail))
        except concurrent.futures.CancelledError:
            log.info("left while experts were being collected")
        else:
            log.info("of %d experts %d were collected at epoch %d", len(self._experts), len(self._ever), epoch)

    def _has_first_host(self) -> bool:
        return any(self._source.standing(each).host for each in self._experts if each not in self._ever)

    def _fetch_all(self, experts: Sequence[ExpertId], epoch: int) -> list[ExpertId]:
        """Fetch these; those of which nothing came. A host that fails is not asked for another one meanwhile."""
        failed, left = {""}, list[ExpertId]()
        for expert in experts:
            host = self._source.standing(expert).host
            if host in failed or self._channel.leaving.is_set():
                left.append(expert)
                continue
            try:
                self._fetch(expert, epoch)
            except (NoStateError, ValueError) as error:
                log.info("expert %s was not collected from %s: %s", expert, host, error)
                failed.add(host)
                left.append(expert)
        return left

    def _fetch(self, expert: ExpertId, epoch: int) -> None:
        standing = self._source.standing(expert)
        host, steps, since = self._known.get(expert, ("", 0, 0))
        if since == epoch and standing.steps < steps and host:
            return  # another host goes on from a copy, which is older than what is kept of this epoch
        is_same = (standing.host, standing.steps) == (host, steps)
        if not is_same or not self._kept.keep_on(expert, since, epoch):
            steps = self._kept.put(expert, epoch, self._source.signed_state_of(expert, self._shape))
        self._known[expert] = standing.host, steps, epoch
        self._ever.add(expert)


@dataclass(frozen=True)
class ExpertCollection:
    """What the organiser's peer is to call: nothing happens in a run without experts.

    ``on_epoch`` with every epoch, and whether a checkpoint of it is saved; ``on_hold`` with that at which it holds.
    """

    on_epoch: Callable[[int, bool], None] = lambda _epoch, _is_due: None
    on_hold: Callable[[int], None] = lambda _epoch: None


def expert_collection(
    manifest: RunManifest,
    source: ExpertSource | None,
    files: PeerFiles,
    channel: WorkerChannel,
    start_thread: StartThread,
) -> ExpertCollection:
    """That of this run, whose ``source`` is asked for the states of its experts."""
    recipe = manifest.recipe
    if source is None or not isinstance(recipe, MoeLM):
        return ExpertCollection()
    collector = ExpertCollector(
        source,
        list(experts_in(recipe)),
        ExpertShape.of(recipe.experts, recipe.config.hidden_size),
        CollectedExperts.of(recipe, files.collected_experts_folder, manifest.run.id),
        CheckpointHistory(files.checkpoint_file),
        channel,
        start_thread,
    )
    return ExpertCollection(collector.collect, collector.collect_last)
