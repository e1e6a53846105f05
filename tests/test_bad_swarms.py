"""What a volunteer meets out there: nobody, nothing, lies, junk and wrong clocks; each has its answer, in bounded time."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from core.identity import Identity
from core.known_runs import KnownRuns
from core.manifest import RunManifest
from core.messages import Failed, Progress, Published, RunFound, SearchFinished, Start, TrainingStarted, Warned
from core.problems import Problem
from core.signed_manifest import SignedManifest
from tests.plain_peer import Record
from tests.strangers import (
    RUNS_KEY,
    PlainPeer,
    Worker,
    manifest,
    organiser,
    published,
    sign_bytes,
    stored,
    volunteer,
)

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

SEARCH_LIMIT_SECONDS = 30.0
AT_ONCE = 2  # volunteers: they mostly wait
SOMEBODY = Identity.create()
LARGE = manifest("large", description="🐝" * 6500)  # 26 kB, more than a pipe of hivemind takes at once


@pytest.fixture(scope="module")
def shared_peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlainPeer]:
    with PlainPeer(tmp_path_factory.mktemp("plain") / "log") as peer:
        yield peer


@pytest.fixture
def plain_peer(shared_peer: PlainPeer) -> PlainPeer:
    """Somebody's hivemind peer, which holds nothing yet."""
    shared_peer.forget()
    return shared_peer


def failure(home: Path, *addresses: str, run_id: str | None = None) -> Failed:
    """How a volunteer ends who has pasted those addresses."""
    with volunteer(home, *addresses, run_id=run_id) as worker:
        return worker.failure()


# Nobody


@contextmanager
def black_hole() -> Iterator[int]:
    """The port of somebody who takes every connection and never says a word."""
    taken: list[socket.socket] = []

    def take() -> None:
        while True:
            try:
                taken.append(listener.accept()[0])
            except OSError:
                return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=take, daemon=True).start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            for connection in taken:
                connection.close()


def test_where_nobody_listens_nobody_answers_and_that_is_said_soon(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    began = time.monotonic()
    failed = failure(tmp_path, f"/ip4/127.0.0.1/tcp/{port}/p2p/{SOMEBODY.peer_id}")
    assert Problem.from_key(failed.problem) is Problem.NOBODY_ANSWERS
    assert Problem.from_key(failed.problem).exit_code == 4
    assert time.monotonic() - began <= SEARCH_LIMIT_SECONDS


@pytest.mark.parametrize("transport", ["tcp", "quic"])
def test_somebody_who_never_speaks_is_nobody(tmp_path: Path, transport: str) -> None:
    began = time.monotonic()
    with black_hole() as port:
        where = f"tcp/{port}" if transport == "tcp" else f"udp/{port}/quic-v1"
        failed = failure(tmp_path, f"/ip4/127.0.0.1/{where}/p2p/{SOMEBODY.peer_id}")
    assert Problem.from_key(failed.problem) is Problem.NOBODY_ANSWERS
    assert time.monotonic() - began <= 3 * SEARCH_LIMIT_SECONDS


# Nothing, or too much


def test_a_swarm_without_a_run_publishes_no_such_run(tmp_path: Path, plain_peer: PlainPeer) -> None:
    assert Problem.from_key(failure(tmp_path, plain_peer.address).problem) is Problem.NO_SUCH_RUN


def test_a_run_of_another_name_is_no_such_run(tmp_path: Path, plain_peer: PlainPeer) -> None:
    plain_peer.hold(published(SignedManifest.sign(manifest(), SOMEBODY)))
    failed = failure(tmp_path, plain_peer.address, run_id="another")
    assert Problem.from_key(failed.problem) is Problem.NO_SUCH_RUN
    assert failed.detail == "another"


def test_two_runs_are_both_told_and_an_absent_gpu_is_no_device(tmp_path: Path, plain_peer: PlainPeer) -> None:
    plain_peer.hold(
        published(SignedManifest.sign(manifest("one"), SOMEBODY), "one"),
        published(SignedManifest.sign(manifest("two"), Identity.create()), "two"),
    )
    with volunteer(tmp_path, plain_peer.address) as worker:
        found = [worker.wait_for(RunFound).manifest.run.id for _ in range(2)]
        assert sorted(found) == ["one", "two"]
        assert worker.wait_for(SearchFinished).found == 2
        worker.send(Start(run_id="one", organiser=SOMEBODY.peer_id, device="cuda:7"))
        assert Problem.from_key(worker.failure().problem) is Problem.NO_SUCH_DEVICE


# Lies


def altered(**sections: Any) -> bytes:
    """The manifest's JSON with some fields changed to what no organiser of ours could write."""
    plain = msgspec.to_builtins(manifest())
    for name, value in sections.items():
        plain[name] = plain[name] | value if isinstance(value, dict) else value
    return msgspec.json.encode(plain)


def with_wrong_signature() -> SignedManifest:
    """Somebody has changed a letter of what was signed."""
    signed = SignedManifest.sign(manifest(), SOMEBODY)
    return msgspec.structs.replace(signed, manifest=signed.manifest.replace(b"Sums", b"Suns"))


REFUSALS: dict[str, tuple[Callable[[], SignedManifest], Problem, str]] = {
    "a wrong signature": (with_wrong_signature, Problem.MANIFEST_REFUSED, "signature is wrong"),
    "an unknown field": (
        lambda: sign_bytes(altered(run={"script": "rm -rf"}), SOMEBODY),
        Problem.MANIFEST_REFUSED,
        "unknown field `script`",
    ),
    "a newer format": (
        lambda: sign_bytes(altered(format=2, wonder="yes"), SOMEBODY),
        Problem.MANIFEST_TOO_NEW,
        "",
    ),
    "an absurd number": (
        lambda: sign_bytes(altered(recipe={"layers": 100_000}), SOMEBODY),
        Problem.MANIFEST_REFUSED,
        "$.recipe.layers",
    ),
    "too much text": (
        lambda: sign_bytes(altered(run={"description": "x" * 200_000}), SOMEBODY),
        Problem.MANIFEST_REFUSED,
        "bytes",
    ),
    "another's name": (
        lambda: SignedManifest.sign(manifest(), Identity.create()),
        Problem.MANIFEST_REFUSED,
        "under another run's name",
    ),
    "an older revision": (
        lambda: SignedManifest.sign(msgspec.structs.replace(manifest(), revision=6), SOMEBODY),
        Problem.MANIFEST_ROLLED_BACK,
        "Revision 6 is shown, revision 7 was seen",
    ),
    "another organiser": (
        lambda: SignedManifest.sign(manifest(), Identity.create()),
        Problem.ORGANISER_CHANGED,
        SOMEBODY.peer_id,
    ),
}


def test_a_manifest_that_lies_is_refused_for_what_it_is(tmp_path: Path, plain_peer: PlainPeer) -> None:
    """Each kind in a swarm where the plain peer holds nothing else; the volunteer knows SOMEBODY's revision 7."""


@pytest.mark.parametrize("kind", REFUSALS)
def test_x(tmp_path: Path, plain_peer: PlainPeer, kind: str) -> None:
    make, problem, words = REFUSALS[kind]
    KnownRuns(tmp_path / "known_runs.json").remember("sums", SOMEBODY.peer_id, 7)
    name = None if kind == "another organiser" else SOMEBODY.peer_id
    plain_peer.hold(published(make(), organiser=name))
    failed = failure(tmp_path, plain_peer.address)
    assert Problem.from_key(failed.problem) is problem
    assert words in failed.detail
