"""Strangers who fill the DHT: hundreds of records, true and forged, hide no run and stop nobody who helps."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from hivemind.dht.crypto import RSASignatureValidator
from hivemind.dht.routing import DHTID
from hivemind.dht.validation import DHTRecord
from hivemind.utils.crypto import RSAPrivateKey
from msgspec.msgpack import Ext

from core.protocol.events import Progress, Published, RunFound, SearchFinished
from core.protocol.peers import PeersSeen
from core.run.signed_manifest import SignedManifest
from core.security.identity import Identity
from core.worker.roles.volunteer import MOST_RUNS
from tests.support.consents import consent_to
from tests.support.peers.hivemind_peer import Record
from tests.support.peers.hostile_records import (
    RUNS_KEY,
    PlainPeer,
    Worker,
    manifest,
    organiser,
    published,
    stored,
    volunteer,
)

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

RUN = "sums"
MIB = 1024 * 1024


@pytest.fixture
def first(tmp_path: Path) -> Iterator[Worker]:
    """The true organiser."""
    with organiser(tmp_path / "organiser", manifest(RUN)) as worker:
        yield worker


@pytest.fixture
def address(first: Worker) -> str:
    return first.wait_for(Published).addresses[0]


@pytest.fixture
def flooder(address: str, tmp_path: Path) -> Iterator[PlainPeer]:
    """A plain peer in that swarm, which offers what it is told to everybody."""
    with PlainPeer(tmp_path / "flooder", (address,)) as peer:
        yield peer


def tower(layers: int) -> bytes:
    """A tuple in a tuple in a tuple: hivemind's own decoder dies of 200."""
    packed = stored(b"")
    for _ in range(layers):
        packed = stored([Ext(0x40, packed)])
    return packed


def anybodys(number: int, description: str) -> SignedManifest:
    """A run of the same name, truly signed by somebody who was made up for it."""
    return SignedManifest.sign(manifest(RUN, description=f"{number} {description}"), Identity.create())


def owned(key: str, value: object) -> Record:
    """A record that a stranger has signed, as hivemind's peers do."""
    validator = RSASignatureValidator(RSAPrivateKey())
    name, until = stored(validator.local_public_key), time.time() + 600
    record = DHTRecord(DHTID.generate(source=key).to_bytes(), name, stored(value), until)
    return Record(key, validator.sign_value(record), validator.local_public_key, until)


def memory_bytes(peer: Worker) -> int:
    """What its family holds."""
    process = psutil.Process(peer.pid)
    return sum(each.memory_info().rss for each in (process, *process.children(recursive=True)))


def test_hundreds_of_runs_of_strangers_do_not_hide_the_true_one(
    tmp_path: Path, first: Worker, address: str, flooder: PlainPeer
) -> None:
    before = memory_bytes(first)
    much = "🐝" * 7000  # 28 kB: 300 of them are more than any answer can hold
    large = [published(anybodys(number, much), RUN) for number in range(300)]
    small = [published(anybodys(number, ""), RUN) for number in range(300)]
    forged = [Record(RUNS_KEY, stored(bytes([n]) * 300), f"12D3KooWforger{n}/{RUN}") for n in range(200)]
    shadow = [each._replace(cached=True, expiration=time.time() + 5000) for each in (*small[:1], *forged[:1])]
    flooder.hold(*large, *small, *forged, *shadow)
    with volunteer(tmp_path / "volunteer", address, run_id=RUN) as worker:
        found = worker.wait_for(RunFound)
        assert (found.manifest, found.vouched) == (manifest(RUN), True), "the true one comes first"
        assert worker.wait_for(SearchFinished).found <= MOST_RUNS
        worker.send(consent_to(found))
        worker.wait_for(Progress, lambda progress: progress.peers == 2)
    print(f"the organiser's family grew by {(memory_bytes(first) - before) / MIB:.0f} MiB")


def test_records_that_kill_or_stun_hivemind_do_neither_to_us(tmp_path: Path, address: str, flooder: PlainPeer) -> None:
    keys = RUNS_KEY, f"{RUN}_progress", f"{RUN}_metrics", f"{RUN}_workerbee_peers", "anything"
    for key in keys:
        flooder.hold(
            Record(key, tower(300), "tower"),
            Record(key, stored("x"), b"[owner:" * 100_000),
            Record(key, b"[signature:" * 100_000, "beginnings"),
            Record(key, stored(bytes(1_000_000)), "much"),
            Record(key, stored("x"), "for ever", float("nan")),
        )
    for pasted in (address, flooder.address):
        with volunteer(tmp_path / pasted[-8:], pasted, run_id=RUN) as worker:
            found = worker.wait_for(RunFound)
            assert found.manifest == manifest(RUN)
            worker.wait_for(SearchFinished)


def report(**changes: Any) -> dict[str, Any]:
    """What hivemind's peers report, and a stranger may well sign."""
    good = {"peer_id": b"x", "epoch": 0, "samples_accumulated": 0, "samples_per_second": 0.0}
    return good | {"time": time.time(), "client_mode": True} | changes


def test_numbers_without_end_do_not_stop_a_volunteer(tmp_path: Path, address: str, flooder: PlainPeer) -> None:
    wild = [
        *(report(samples_accumulated=2**64 - 1, epoch=epoch) for epoch in (0, 1, 2**64 - 1)),
        *(report(samples_per_second=rate) for rate in (float("inf"), 1e308, 1e308)),
        *(report(time=time) for time in (float("inf"), -1e300)),
        report(client_mode=False, epoch=2**64 - 1),
    ]
    metrics = {
        "step": 1,
        "samples_per_second": 1e308,
        "samples_accumulated": 2**63,
        "loss": 1e308,
        "mini_steps": 2**63,
    }
    flooder.hold(
        *(owned(f"{RUN}_progress", each) for each in wild),
        *(owned(f"{RUN}_metrics", metrics | {"loss": loss}) for loss in (1e308, 1e308, float("nan"))),
    )
    with volunteer(tmp_path / "volunteer", address) as worker:
        found = worker.wait_for(RunFound)
        worker.send(consent_to(found))
        worker.wait_for(Progress, lambda progress: progress.peers == 2)
        seen = worker.wait_for(PeersSeen, lambda seen: len(seen.peers) == 2)
        assert all(peer.epoch < 1000 and peer.samples < 10**9 for peer in seen.peers)
