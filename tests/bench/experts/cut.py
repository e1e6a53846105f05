"""A host whose line goes dead in the middle of requests: no packet comes or goes, and no connection ends.

Every process is on a computer of its own, in a network of this computer. Each of two trainers trains a trunk of its
own, with the experts of three hosts. Their steps are watched until the other two answer for all experts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial

from tests.bench.experts.kill import MAX_STANDSTILL_SECONDS, STEPS_BEFORE, longest_step, started_watched
from tests.bench.experts.rows import LIMIT_SECONDS, SEEDS, ExpertsMeasured, Script, seconds_row, starter
from tests.bench.setup import Ground, NotMeasured, told_as_not_measured
from tests.bench.table import Row
from tests.support.environment.network_namespaces import Host, Internet, internet, why_not
from tests.support.real_peers import PeerGroup, peer_group

MAX_FORGETTING_SECONDS = 5.0
STEPS_BEFORE_CUT = 20  # of each trainer, while all hosts answer


def cut_host_deeds(ground: Ground, measured: ExpertsMeasured) -> Mapping[str, Callable[[], object]]:
    """How it is measured, once for each seed of the samples."""
    return {"expert host, cut off": partial(_cut, ground, measured)}


def cut_host_rows(measured: ExpertsMeasured) -> list[Row]:
    """The standstill of the trainers, and how long they have sent tokens to a host that is silent."""
    return [
        seconds_row(
            "experts elsewhere: the longest step of two trainers after the line of one of three hosts went dead",
            measured.cut_standstill,
            MAX_STANDSTILL_SECONDS,
        ),
        seconds_row(
            "experts elsewhere: from when a host's line goes dead until neither trainer's router knows its experts",
            measured.forgetting,
            MAX_FORGETTING_SECONDS,
        ),
    ]


def _cut(ground: Ground, measured: ExpertsMeasured) -> object:
    standstills, forgettings = list[float](), list[float]()
    with told_as_not_measured():
        if reason := why_not():
            raise NotMeasured(reason)
        for seed in SEEDS:
            with peer_group(ground.folder / f"experts-cut-{seed}") as group, internet() as net:
                computers = dict[Script, Host]()
                hosts, trainers = started_watched(partial(_start, group, net, computers), seed)
                for trainer in trainers:
                    longest_step(trainer, len(trainer.said), STEPS_BEFORE_CUT)
                steps = [len(each.said) for each in trainers]
                computers[hosts[1]].silence()
                cut_at = time.monotonic()
                forgettings += [
                    _forgotten_at(each, since) - cut_at for each, since in zip(trainers, steps, strict=True)
                ]
                standstills += map(longest_step, trainers, steps)
            print(standstills[-len(trainers) :], forgettings[-len(trainers) :], flush=True)
    measured.cut_standstill, measured.forgetting = max(standstills), max(forgettings)
    return measured.cut_standstill, measured.forgetting


def _start(
    group: PeerGroup, net: Internet, computers: dict[Script, Host], seed: int, role: str, *addresses: str
) -> Script:
    """A process of that role on a computer of its own."""
    computer = net.host()
    script = starter(group.at(computer), STEPS_BEFORE, f"{computer.ip}/tcp/31337")(seed, role, *addresses)
    computers[script] = computer
    return script


def _forgotten_at(trainer: Script, since: int) -> float:
    """When, on the monotonic clock, the trainer has said first that fewer experts can be asked than before.

    It returns once others answer for those that are lacking.
    """
    before = trainer.said[since - 1]["present"]
    told = trainer.until(lambda said: said["present"] < before, since, LIMIT_SECONDS)
    trainer.until(lambda said: said["present"] >= before, trainer.said.index(told), LIMIT_SECONDS)
    return float(told["at"])
