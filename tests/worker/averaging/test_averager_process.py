"""An averager is one object in two processes: what its own process needs is there before the fork."""

from __future__ import annotations

import ast
import asyncio
import inspect
import multiprocessing
import textwrap
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from hivemind.averaging import DecentralizedAverager
from hivemind.p2p import P2P, PeerID
from hivemind.utils import ValueWithExpiration

from core.worker.swarm.averaging import averager_process, averagers, state_fetch
from core.worker.swarm.averaging.averager_process import AveragerProcess
from core.worker.swarm.averaging.power_sgd import PowerSGDGradientAverager
from core.worker.swarm.patches.shunned_peers import BarredPeers, ShunnedPeers
from core.worker.swarm.state_parts.arrivals import Arrivals
from core.worker.swarm.state_parts.slots import Slots

IN_THE_WORKERS_PROCESS = [
    averagers._ObservedAverager,
    averagers._DownloadingAverager,
    averagers.GradientAverager,
    averagers.TrainingStateAverager,
]


def methods(cls: type) -> Iterator[ast.AST]:
    """The parsed methods of a class, its constructor left out."""
    body = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    assert isinstance(body, ast.ClassDef)
    yield from (node for node in body.body if getattr(node, "name", "__init__") != "__init__")


def attributes(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    """The attributes of ``self`` that are read, or that are written."""
    return {
        each.attr
        for each in ast.walk(node)
        if isinstance(each, ast.Attribute)
        and isinstance(each.ctx, context)
        and isinstance(each.value, ast.Name)
        and each.value.id == "self"
    }


def written_before_the_fork(cls: type) -> set[str]:
    """What the constructor writes before it calls that of its base, which forks."""
    constructor = ast.parse(textwrap.dedent(inspect.getsource(vars(cls)["__init__"]))).body[0]
    assert isinstance(constructor, ast.FunctionDef)
    calls = [number for number, line in enumerate(constructor.body) if "super().__init__" in ast.unparse(line)]
    assert len(calls) == 1 and calls[0] == len(constructor.body) - 1, "nothing is written after the fork"
    return {name for line in constructor.body for name in attributes(line, ast.Store)}


@pytest.mark.parametrize("cls", [AveragerProcess, PowerSGDGradientAverager])
def test_whatever_the_averagers_process_reads_is_there_before_the_fork(cls: type) -> None:
    upstream = ast.parse(textwrap.dedent(inspect.getsource(DecentralizedAverager)))
    ours = [each for each in cls.__mro__[: cls.__mro__.index(DecentralizedAverager)] if "__init__" in vars(each)]
    known = attributes(upstream, ast.Store) | set(dir(cls)) | set().union(*map(written_before_the_fork, ours))
    read = {name for method in methods(cls) for name in attributes(method, ast.Load)}
    assert read and read - known == set()


@pytest.mark.parametrize("cls", IN_THE_WORKERS_PROCESS)
def test_the_workers_process_sets_nothing_that_the_other_would_never_see(cls: type) -> None:
    seen_here_only = {"bandwidth", "_outer_pipe", "local_times_accumulated"}  # told to the group; our end; our sums
    assert {name for method in methods(cls) for name in attributes(method, ast.Store)} - seen_here_only == set()
    if "__init__" in vars(cls):
        written_before_the_fork(cls)


class Alone(AveragerProcess):
    """An averager's process and the network around it: its only donor takes no connection."""

    _parent_pid, prefix, next_chunk_timeout = 0, "run", None
    peer_id, donor = (PeerID(b"\x12\x20" + bytes([number]) * 32) for number in (8, 9))
    _p2p = None

    def __init__(self) -> None:
        self.arrivals = Arrivals()

    async def _donors(self) -> dict[PeerID, tuple[float, float]]:
        return {self.donor: (1.0, 0.0)}

    def get_stub(self, *_args: Any, **_options: Any) -> Any:
        """The donor, which never answers."""
        return SimpleNamespace(rpc_download_state=self._never)

    async def _never(self, _request: Any) -> None:
        await asyncio.Event().wait()


def test_a_donor_that_does_not_answer_is_given_up_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_fetch, "DIAL_SECONDS", 0.05)
    future: Any = Future()
    asyncio.run(asyncio.wait_for(Alone()._fetch_state(future, (), 1000), 60.0))
    assert future.result(0) == (Alone.donor, None)


def test_who_is_barred_is_asked_for_no_state() -> None:
    barred, stranger, admitted = (PeerID(b"\x12\x20" + bytes([number]) * 32) for number in range(3))

    async def offers(_key: str, **_options: Any) -> ValueWithExpiration[Any]:
        everybody = {each.to_bytes(): ValueWithExpiration(9.0, 1.0) for each in (barred, stranger, admitted)}
        return ValueWithExpiration(everybody, 1.0)

    process: Any = Unborn()
    process.dht, process._slots = SimpleNamespace(get=offers), Slots()
    process._matchmaking = SimpleNamespace(group_key_manager=SimpleNamespace(prefix="run"), shunned=ShunnedPeers())
    assert asyncio.run(process._donors()).keys() == {barred, stranger, admitted}
    asyncio.run(process._know_barred(BarredPeers(frozenset({barred}))))
    assert asyncio.run(process._donors()).keys() == {stranger, admitted}
    asyncio.run(process._know_barred(BarredPeers(frozenset({barred}), {barred: b"key", admitted: b"key"})))
    assert asyncio.run(process._donors()).keys() == {admitted}


def test_a_groupmate_is_of_the_subnet_from_which_it_is_connected(monkeypatch: pytest.MonkeyPatch) -> None:
    async def seen() -> tuple[str, dict[PeerID, str], dict[PeerID, str]]:
        first = await P2P.create(host_maddrs=["/ip4/127.0.0.1/tcp/0"])
        second = await P2P.create(
            host_maddrs=["/ip4/127.0.0.1/tcp/0"], initial_peers=[str(each) for each in await first.get_visible_maddrs()]
        )
        try:
            await second.wait_for_at_least_n_peers(1, attempts=20)
            process: Any = SimpleNamespace(_p2p=second)
            at_home = await AveragerProcess._subnets(process)
            monkeypatch.setattr(averager_process, "subnet_of", lambda address: address)
            return str(first.peer_id), at_home, await AveragerProcess._subnets(process)
        finally:
            await asyncio.gather(first.shutdown(), second.shutdown())

    other, at_home, everywhere = asyncio.run(seen())
    assert at_home == {}
    ((peer, address),) = everywhere.items()
    assert str(peer) == other and address.startswith("/ip4/127.0.0.1/tcp/")


def test_whoever_leaves_in_the_middle_of_an_exchange_ends_it() -> None:
    """H66. ``Runner`` stands for an all-reduce that is under way; others have not begun, or have failed."""
    ended = list[dict[str, bool]]()

    async def leave() -> None:
        begun, failed = asyncio.Future[Any](), asyncio.Future[Any]()
        begun.set_result(SimpleNamespace(finalize=lambda **how: ended.append(how)))
        failed.set_exception(ValueError())
        groups = {b"begun": begun, b"failed": failed, b"not yet": asyncio.Future[Any]()}
        await AveragerProcess._shutdown(SimpleNamespace(client_mode=True, _running_groups=groups), 5.0)  # type: ignore[arg-type]

    asyncio.run(leave())
    assert ended == [{"cancel": True}]


class Unborn(AveragerProcess):
    """An averager as it is before its process is forked."""

    _parent_pid, dht = 0, None

    def __init__(self) -> None:
        pass


def test_an_averagers_process_computes_with_one_thread_whatever_the_trainer_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As hivemind's, it computes in another thread than the one that was forked."""
    fork = multiprocessing.get_context("fork")
    here, there = fork.Pipe()

    def run(_self: DecentralizedAverager) -> None:
        thread = threading.Thread(target=lambda: there.send(torch.get_num_threads()))
        thread.start()
        thread.join()

    monkeypatch.setattr(DecentralizedAverager, "run", run)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        process = fork.Process(target=Unborn().run)
        process.start()
        assert here.poll(60) and here.recv() == 1
        process.join()
    finally:
        torch.set_num_threads(before)
