"""A forked process keeps no second model: what it has released is not kept twice once the parent changes it."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection

import torch

from core.worker.compute.process_memory import release_memory
from tests.support.computer.memory_use import memory_use

NUMBERS = 16 * 2**20  # 64 MB of float32


def live(first: Callable[[], object], line: Connection) -> None:
    """Do that, say so, and wait for the end."""
    first()
    line.send(None)
    line.recv()


def bytes_of_a_child(weights: torch.nn.Parameter, first: Callable[[], object]) -> int:
    """What a forked child has for itself after its parent has changed every number of the weights."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    child = context.Process(target=live, args=(first, there))
    child.start()
    here.recv()
    weights.data.add_(1.0)
    assert child.pid is not None
    private = memory_use(child.pid).uss_bytes
    here.send(None)
    child.join()
    return private


def test_a_child_keeps_the_numbers_of_its_parent_unless_it_has_released_them() -> None:
    weights = torch.nn.Parameter(torch.ones(NUMBERS))
    kept = bytes_of_a_child(weights, lambda: None)
    released = bytes_of_a_child(weights, lambda: release_memory([weights]))
    assert kept > 4 * NUMBERS
    assert released < kept - 3 * NUMBERS
    assert float(weights.data[0]) == 3.0


def test_shared_memory_stays_what_it_is() -> None:
    shared = torch.ones(8).share_memory_()  # type: ignore[no-untyped-call]
    release_memory([shared])
    assert shared.sum() == 8.0
