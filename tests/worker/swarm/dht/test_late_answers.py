"""Entering a swarm whose initial peer is busy: it is there, and answers late (H76)."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from hivemind.dht import DHT
from hivemind.dht.protocol import DHTProtocol
from hivemind.p2p import P2PContext
from hivemind.proto import dht_pb2

from core.errors import ErrorKind
from core.security.identity import Identity
from core.worker.swarm.dht.node import ANSWER_SECONDS
from tests.support.checkout import ROOT
from tests.support.computer.loopback import free_port

pytestmark = [pytest.mark.real, pytest.mark.timeout(300)]

LATE_SECONDS = ANSWER_SECONDS + 1.5
LIMIT_SECONDS = 240.0


def test_an_initial_peer_that_answers_late_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = DHTProtocol.rpc_ping

    async def answer_late(self: DHTProtocol, request: dht_pb2.PingRequest, context: P2PContext) -> dht_pb2.PingResponse:
        await asyncio.sleep(LATE_SECONDS)
        return await answer(self, request, context)

    with monkeypatch.context() as during_its_start:
        during_its_start.setattr(DHTProtocol, "rpc_ping", answer_late)
        busy = DHT(host_maddrs=["/ip4/127.0.0.1/tcp/0"], start=True)  # its process is a copy of this one
    try:
        entered = enter(tmp_path, str(busy.get_visible_maddrs()[0]))
    finally:
        busy.shutdown()
    assert entered.stdout.split() == ["1", str(ANSWER_SECONDS)], "later on, nobody is waited for longer"
    assert "no initial peer has answered within 3 s" in entered.stderr


def test_who_is_not_there_is_not_asked_again(tmp_path: Path) -> None:
    entered = enter(tmp_path, f"/ip4/127.0.0.1/tcp/{free_port()}/p2p/{Identity.create().peer_id}")
    assert entered.stdout.split() == [ErrorKind.NOBODY_ANSWERS.key]
    assert "no initial peer has answered within" not in entered.stderr


def enter(folder: Path, address: str) -> subprocess.CompletedProcess[str]:
    """What a volunteer that enters there says, and its log."""
    command = [sys.executable, "-m", "tests.worker.swarm.dht.entering_peer", str(folder), address]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=True)
