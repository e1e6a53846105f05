"""The processes of a worker, by what they are."""

from __future__ import annotations

from typing import Any

import psutil

from core.worker.delegation import p2pd_stub
from core.worker.delegation.calls import DELEGATES
from tests.support.real_peers import LineProcess, worker_of


def members_of(client: LineProcess[Any]) -> dict[str, psutil.Process]:
    """Those of the worker that a client looks after; StopIteration while it has not forked them all."""
    worker = worker_of(client)
    p2pd = next(each for each in worker.children(recursive=True) if each.name() == "p2pd")
    return {"p2pd": p2pd, "dht": dht_of(worker), "averager": next(iter(averagers_of(worker)))}


def dht_of(worker: psutil.Process) -> psutil.Process:
    """The process of the DHT: the one that starts p2pd, or what stands for it; StopIteration where there is none."""
    return next(child for child in worker.children() if any(map(is_p2pd, child.children())))


def averagers_of(worker: psutil.Process) -> list[psutil.Process]:
    """The worker's children that are neither the DHT nor delegates; none before they are forked."""
    others = {dht_of(worker).pid, *(child.pid for child in worker.children() if child.name() in DELEGATES.values())}
    return [child for child in worker.children() if child.pid not in others]


def is_p2pd(process: psutil.Process) -> bool:
    """Whether it is p2pd, or what stands for it."""
    return process.name() == "p2pd" or p2pd_stub.__file__ in process.cmdline()
