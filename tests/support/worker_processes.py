"""The processes of a worker, by what they are."""

from __future__ import annotations

from typing import Any

import psutil

from tests.support.real_peers import LineProcess, worker_of


def members_of(client: LineProcess[Any]) -> dict[str, psutil.Process]:
    """Those of the worker that a client looks after; StopIteration while it has not forked them all."""
    worker = worker_of(client)
    children = worker.children()
    dht = next(child for child in children if any(each.name() == "p2pd" for each in child.children()))
    p2pd = next(each for each in dht.children() if each.name() == "p2pd")
    return {"p2pd": p2pd, "dht": dht, "averager": next(each for each in children if each != dht)}
