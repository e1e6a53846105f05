"""What a volunteer of local SGD needs of memory beyond the plain loop that trains the same model, in bytes a parameter.

Both are measured with a large model and with a tiny one, and what the tiny one needs is taken off: so the figures hold
what grows with the model, and neither torch nor the processes.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import psutil
import tomli_w

from core.protocol.events import AnyEvent, Progress, RoundFinished
from core.run.requirements import estimate_requirements
from core.run.run_file import load_run_file, template
from tests.bench.peers.peer_process import PeerProcess
from tests.bench.setup import Ground, told_as_not_measured
from tests.support.computer.memory_use import memory_use_of_all
from tests.support.real_peers import Peer, peer_group

MICRO_BATCH = 4
LOOKS = 40  # at a plain loop, which has all of its gradients at some of them only
LIMIT_SECONDS = 300.0


@dataclass(frozen=True)
class _Model:
    """A run's model, and how many samples a round has: some seconds of one volunteer."""

    name: str
    recipe: dict[str, Any]
    target: int


LARGE = _Model("large", {"layers": 6, "width": 768, "heads": 12}, 32)
TINY = _Model("tiny", {"layers": 1, "width": 32, "heads": 2}, 3200)


@dataclass(frozen=True)
class Looks:
    """Bytes that a family of processes has, its share of shared pages included (PSS): the most, and the median."""

    parameters: int
    most: float
    median: float


@dataclass(frozen=True)
class Memory:
    """Bytes a parameter beyond the tiny model's: of a volunteer and of a plain loop, the most and the median."""

    parameters: int
    volunteer_most: float
    volunteer_median: float
    plain_most: float
    plain_median: float

    @property
    def beyond_most(self) -> float:
        """The volunteer's most beyond the plain loop's."""
        return self.volunteer_most - self.plain_most

    @property
    def beyond_median(self) -> float:
        """The volunteer's median beyond the plain loop's."""
        return self.volunteer_median - self.plain_median


def memory_of(volunteers: tuple[Looks, Looks], plain: tuple[Looks, Looks]) -> Memory:
    """The figures of looks at the large model and at the tiny one."""

    def per_parameter(looks: tuple[Looks, Looks], kind: str) -> float:
        large, tiny = looks
        grown: float = getattr(large, kind) - getattr(tiny, kind)
        return grown / (large.parameters - tiny.parameters)

    figures = [per_parameter(looks, kind) for looks in (volunteers, plain) for kind in ("most", "median")]
    return Memory(volunteers[0].parameters, *figures)


def measure_memory(ground: Ground, rounds: int) -> Memory:
    """The volunteer in so many rounds with a keeper, in `int8` with overlap; then the plain loop."""
    with told_as_not_measured():
        large, tiny = (_volunteer(ground.folder / f"memory-{each.name}", each, rounds) for each in (LARGE, TINY))
    plain_large, plain_tiny = (_plain(ground.folder / f"memory-plain-{each.name}", each) for each in (LARGE, TINY))
    return memory_of((large, tiny), (plain_large, plain_tiny))


def _run_file(folder: Path, model: _Model, target: int) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    tables = tomllib.loads(template())
    tables["recipe"] |= model.recipe
    tables["collaboration"] |= {
        "mode": "local-sgd",
        "overlap": "delayed",
        "target_batch_size": target,
        "batch_size_per_step": MICRO_BATCH,
    }
    tables["optimizer"]["learning_rate"] = 3e-4  # with the template's, so large a model unlearns
    path = folder / "run.toml"
    path.write_text(tomli_w.dumps(tables), encoding="utf-8")
    return path


def _volunteer(folder: Path, model: _Model, rounds: int) -> Looks:
    manifest = load_run_file(_run_file(folder, model, model.target))
    with peer_group(folder) as group:
        organiser = group.cold.organiser(manifest=manifest, train=False)
        volunteer = group.cold.newcomer(organiser.posted, "volunteer", "client")
        volunteer.agree()
        volunteer.wait_for(RoundFinished, _is_whole, seconds=LIMIT_SECONDS)
        looks = _in_rounds(volunteer, rounds)
    return _looks(looks, estimate_requirements(manifest).trained_parameters)


def _in_rounds(volunteer: Peer, rounds: int) -> list[int]:
    first, looks = len(volunteer.said), list[int]()
    while sum(map(_is_whole, volunteer.all(RoundFinished, first))) < rounds:
        looks.append(memory_use_of_all(volunteer.family).pss_bytes)
        volunteer.wait_for(Progress, since=len(volunteer.said), seconds=LIMIT_SECONDS)
    return looks


def _plain(folder: Path, model: _Model) -> Looks:
    path, looks = _run_file(folder, model, 2 * MICRO_BATCH), list[int]()  # it steps after half of the target
    module = "tests.bench.peers.plain_loop"
    with PeerProcess("plain", module, [str(path), "1"], frozenset(range(psutil.cpu_count() or 1)), folder) as loop:
        for _ in range(LOOKS):
            loop.wait_for(_is_progress, LIMIT_SECONDS, since=len(loop.seen()))
            looks.append(memory_use_of_all(loop.family()).pss_bytes)
    return _looks(looks[1:], estimate_requirements(load_run_file(path)).trained_parameters)


def _looks(looks: Sequence[int], parameters: int) -> Looks:
    return Looks(parameters, max(looks), median(looks))


def _is_whole(event: RoundFinished) -> bool:
    return event.kind == "changes" and event.ok and event.peers == 2


def _is_progress(event: AnyEvent) -> bool:
    return isinstance(event, Progress)
