"""What a killed host takes with it: how long two trainers wait for it, and what its experts had learned since a copy.

Each of the two trains a trunk of its own, with the experts of three hosts. The steps that are lost are those between
the one that an expert had taken when its host was killed and the one from which it goes on at another host.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from tests.bench.experts.rows import (
    LIMIT_SECONDS,
    SEEDS,
    ExpertsMeasured,
    Lost,
    Script,
    Start,
    seconds_row,
    started,
    starter,
)
from tests.bench.setup import Ground, NotMeasured, told_as_not_measured
from tests.bench.table import NO_FIGURE, Row, own_row
from tests.support.real_peers import first_said, peer_group

SHARE = 2  # experts of each host
STEPS_BEFORE = 20  # until a trainer tells of each step
SECONDS_BEFORE_KILL = 60.0  # in which experts have been copied several times
STEPS_AFTER = 20  # others have gone on with its experts, in which the standstill is looked for, too
MAX_STANDSTILL_SECONDS = 5.0
MAX_LOST_SECONDS = 60.0


def killed_host_deeds(ground: Ground, measured: ExpertsMeasured) -> Mapping[str, Callable[[], object]]:
    """How it is measured, once for each seed of the samples."""
    return {"expert host, killed": partial(_killed, ground, measured)}


def killed_host_rows(measured: ExpertsMeasured) -> list[Row]:
    """The standstill of the trainers, and the worst loss of an expert."""
    return [
        seconds_row(
            "experts elsewhere: the longest step of two trainers after one of three hosts was killed",
            measured.standstill,
            MAX_STANDSTILL_SECONDS,
        ),
        _lost_row(measured.lost),
    ]


def _lost_row(every: Sequence[Lost]) -> Row:
    what = "experts elsewhere: the last training of an expert that is lost when its host is killed, at the most"
    must_reach = f"≤ {MAX_LOST_SECONDS:.0f} s"
    if not every:
        return own_row(what, NO_FIGURE, must_reach, None)
    worst = max(every, key=lambda each: each.seconds)
    ours = f"{worst.seconds:.0f} s ({worst.lost:,} of {worst.steps:,} steps)"
    return own_row(what, ours, must_reach, worst.seconds <= MAX_LOST_SECONDS)


def _killed(ground: Ground, measured: ExpertsMeasured) -> object:
    standstills, lost = list[float](), list[Lost]()
    with told_as_not_measured():
        for seed in SEEDS:
            with peer_group(ground.folder / f"experts-killed-{seed}") as group:
                hosts, trainers = started_watched(starter(group, STEPS_BEFORE), seed)
                time.sleep(SECONDS_BEFORE_KILL)
                victim = hosts.pop(1)
                since, steps = ([len(each.said) for each in scripts] for scripts in (hosts, trainers))
                victim.kill()
                lost += lost_with(victim, hosts, since)
                standstills += map(longest_step, trainers, steps)
            print(standstills[-len(trainers) :], lost[-SHARE:], flush=True)
    measured.standstill, measured.lost = max(standstills), tuple(lost)
    return measured.standstill, measured.lost


def started_watched(start: Start, seed: int) -> tuple[list[Script], tuple[Script, ...]]:
    """The hosts, who tell of their experts' steps, and two trainers that train; see `started`."""
    hosts, trainers = started(start, seed, "watched")
    for trainer in trainers:
        trainer.until(lambda said: "present" in said, seconds=LIMIT_SECONDS)
    return hosts, trainers


def longest_step(trainer: Script, since: int, steps: int = STEPS_AFTER) -> float:
    """The longest one from that place in what the trainer has said until so many more have been taken."""
    end = len(trainer.said) + steps
    trainer.until(lambda _said: len(trainer.said) > end, since, LIMIT_SECONDS)
    return max(float(said["seconds"]) for said in trainer.said[since:end])


def lost_with(victim: Script, others: Sequence[Script], since: Sequence[int]) -> Iterator[Lost]:
    """Of each expert of a host that was killed: by how much others, in what they say since then, go on with less."""
    told = [said for said in victim.said if "steps" in said]
    last = told[-1]
    for expert, steps in last["steps"].items():
        kept = _first_steps(expert, others, since)
        had = [said["at"] for said in told if said["steps"].get(expert, 0) <= kept]
        yield Lost(max(0, steps - kept), steps, last["at"] - max(had, default=told[0]["at"]))


def _first_steps(expert: str, hosts: Sequence[Script], since: Sequence[int]) -> int:
    """From which step one of these goes on with it; waits until one does."""
    said = first_said(hosts, lambda each: expert in each["steps"], since, LIMIT_SECONDS)
    if said is None:
        raise NotMeasured(f"nobody goes on with expert {expert}")
    return int(said["steps"][expert])
