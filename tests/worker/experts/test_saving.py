"""What a host of experts does while it writes them to its disk, and with what an earlier process has left there."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from core.run.spec.experts import ExpertsSpec
from core.worker.experts.block import ExpertId
from core.worker.experts.calls import ExpertInput
from core.worker.experts.expert_file import ExpertFiles
from core.worker.experts.hosted_expert import HostedExpert
from core.worker.swarm.experts import host as host_module
from core.worker.swarm.experts.host import ExpertHost
from tests.support.learning.entered_host import RUN_ID, entered_host

HIDDEN = 16
SPEC = ExpertsSpec(experts=2)
EXPERTS = [ExpertId(1, number) for number in range(SPEC.experts)]
LIMIT_SECONDS = 60.0


@contextlib.contextmanager
def only_host(folder: Path) -> Iterator[ExpertHost]:
    """The only one of its swarm, which has not begun to take experts."""
    swarm, entered = entered_host(folder, "/ip4/127.0.0.1/tcp/0", (), EXPERTS, HIDDEN, SPEC)
    with contextlib.ExitStack() as ended:
        ended.callback(swarm.leave)
        ended.callback(entered.close)
        yield entered


@pytest.fixture
def host(tmp_path: Path) -> Iterator[ExpertHost]:
    """One whose folder is empty."""
    with only_host(tmp_path) as entered:
        yield entered


@pytest.mark.real
def test_a_host_that_comes_back_goes_on_from_its_own_files_and_its_copies(tmp_path: Path) -> None:
    own, other = (HostedExpert(each, HIDDEN, ExpertsSpec(experts=2, batch_tokens=1)) for each in EXPERTS)
    files = ExpertFiles(tmp_path / "experts", RUN_ID)
    for expert, steps in ((own, 2), (other, 3)):
        for _ in range(steps):
            expert.backward("a", torch.ones(1, HIDDEN), torch.ones(1, HIDDEN), None)
    files.write(own)
    files.write_copy(other, files.data_of(other))
    with only_host(tmp_path) as host:
        assert host.copies == {}, "it does not know yet whether others answer for them"
        assert host._look() and host.copies == {own.id: 2, other.id: 3}
        threading.Thread(target=host.run, daemon=True).start()
        until = time.monotonic() + LIMIT_SECONDS
        while len(host.experts) < len(EXPERTS) and time.monotonic() < until:
            time.sleep(0.1)
        assert {each.id: each.steps for each in host.experts.values()} == {own.id: 2, other.id: 3}
        assert host.copies == {}


@pytest.mark.real
def test_a_call_is_answered_between_the_writing_of_two_experts(
    host: ExpertHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    order, write, forward, has_saved_both = list[str](), ExpertFiles.write, HostedExpert.forward, threading.Event()

    def ask() -> None:
        host.answer(ExpertInput(EXPERTS[0], torch.ones(1, HIDDEN), seed=None))

    def noted_forward(expert: HostedExpert, tokens: torch.Tensor, seed: int | None) -> torch.Tensor:
        order.append("answered")
        return forward(expert, tokens, seed)

    def slow_write(files: ExpertFiles, expert: HostedExpert) -> None:
        is_periodic = len(host.experts) == len(EXPERTS) and threading.current_thread().name.startswith("experts_")
        if is_periodic and not has_saved_both.is_set():
            order.append("saved")
            if "asked" not in order:
                order.append("asked")
                threading.Thread(target=ask, daemon=True).start()
                while host._executor._work_queue.empty():  # until the call waits for the disk
                    time.sleep(0.01)
            if order.count("saved") == len(EXPERTS):
                has_saved_both.set()
        write(files, expert)

    monkeypatch.setattr(host_module, "SAVE_SECONDS", 1.0)
    monkeypatch.setattr(ExpertFiles, "write", slow_write)
    monkeypatch.setattr(HostedExpert, "forward", noted_forward)
    threading.Thread(target=host.run, daemon=True).start()
    assert has_saved_both.wait(LIMIT_SECONDS)
    assert order == ["saved", "asked", "answered", "saved"]
