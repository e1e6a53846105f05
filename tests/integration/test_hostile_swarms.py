"""What a volunteer meets out there: nobody, nothing, lies, junk, wrong clocks; each is answered, and soon."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hivemind.dht.crypto import RSASignatureValidator
from hivemind.dht.routing import DHTID
from hivemind.dht.validation import DHTRecord
from hivemind.utils.crypto import RSAPrivateKey

from core.errors import ErrorKind
from core.files.folders import DataFolder
from core.protocol.commands import Join
from core.protocol.events import Failed, Hello, Progress, Published, RunFound, SearchFinished
from core.protocol.peers import PeersSeen
from core.run.manifest import RunManifest
from core.run.multiaddr import Multiaddr
from core.run.signed_manifest import SignedManifest
from core.security.identity import Identity
from core.security.known_organisers import KnownOrganisers
from tests.support.consents import consent_to
from tests.support.peers.hivemind_peer import Record
from tests.support.peers.hostile_records import (
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

SOON_SECONDS = 10.0
SEARCH_LIMIT_SECONDS = 150.0  # a start of p2pd, and three tries, on a computer that does much else
AT_ONCE = 4  # volunteers: they mostly wait
VOLUNTEERS = 3  # one after the other, where the first is not told everything
SOMEBODY = Identity.create()
SOMEWHERE = f"/ip4/127.0.0.1/tcp/1/p2p/{SOMEBODY.peer_id}"
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


def test_where_nobody_listens_nobody_answers_and_that_is_said_within_ten_seconds(tmp_path: Path) -> None:
    with volunteer(tmp_path, SOMEWHERE) as worker:
        worker.wait_for(Hello)
        began = time.monotonic()
        problem = ErrorKind.from_key(worker.failure().problem)
        assert time.monotonic() - began <= SOON_SECONDS
    assert problem is ErrorKind.NOBODY_ANSWERS and problem.exit_code == 4


@pytest.mark.parametrize("transport", ["tcp", "quic"])
def test_somebody_who_never_speaks_is_nobody(tmp_path: Path, transport: str) -> None:
    with black_hole() as port:
        where = f"tcp/{port}" if transport == "tcp" else f"udp/{port}/quic-v1"
        with volunteer(tmp_path, f"/ip4/127.0.0.1/{where}/p2p/{SOMEBODY.peer_id}") as worker:
            worker.wait_for(Hello)
            began = time.monotonic()
            problem = ErrorKind.from_key(worker.failure().problem)
            assert time.monotonic() - began <= SEARCH_LIMIT_SECONDS
    assert problem is ErrorKind.NOBODY_ANSWERS


# Nothing, or too much


def test_a_swarm_without_a_run_publishes_no_such_run(tmp_path: Path, plain_peer: PlainPeer) -> None:
    assert ErrorKind.from_key(failure(tmp_path, plain_peer.address).problem) is ErrorKind.NO_SUCH_RUN


def test_a_run_of_another_name_is_no_such_run(tmp_path: Path, plain_peer: PlainPeer) -> None:
    plain_peer.hold(published(SignedManifest.sign(manifest(), SOMEBODY)))
    failed = failure(tmp_path, plain_peer.address, run_id="another")
    assert ErrorKind.from_key(failed.problem) is ErrorKind.NO_SUCH_RUN
    assert str(failed.detail) == "another"


def test_two_runs_are_both_told_and_an_absent_gpu_is_no_device(tmp_path: Path, plain_peer: PlainPeer) -> None:
    plain_peer.hold(
        published(SignedManifest.sign(manifest("one"), SOMEBODY), "one"),
        published(SignedManifest.sign(manifest("two"), Identity.create()), "two"),
    )
    with volunteer(tmp_path, plain_peer.address) as worker:
        one, two = sorted((worker.wait_for(RunFound) for _ in range(2)), key=lambda run: run.manifest.run.id)
        assert worker.wait_for(SearchFinished).found == 2
        assert (one.manifest.run.id, two.manifest.run.id) == ("one", "two")
        worker.send(consent_to(one, device="cuda:7"))
        assert ErrorKind.from_key(worker.failure().problem) is ErrorKind.NO_SUCH_DEVICE


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


@dataclass(frozen=True)
class Lie:
    """A manifest that must be refused for one reason; ``words`` are in the detail."""

    sign: Callable[[RunManifest], SignedManifest]
    problem: ErrorKind
    words: str = ""
    name: str | None = SOMEBODY.peer_id  # under which it is stored; None is the signer's

    def record(self, run_id: str) -> Record:
        """It, as a record about that run."""
        return published(self.sign(manifest(run_id)), run_id, self.name)


def changed(**sections: Any) -> Callable[[RunManifest], SignedManifest]:
    """Truly signed, with fields that no organiser of ours could write."""

    def sign(run: RunManifest) -> SignedManifest:
        plain = msgspec.to_builtins(run)
        for name, value in sections.items():
            plain[name] = plain[name] | value if isinstance(value, dict) else value
        return sign_bytes(msgspec.json.encode(plain), SOMEBODY)

    return sign


def retouched(run: RunManifest) -> SignedManifest:
    """A letter was changed after it had been signed."""
    signed = SignedManifest.sign(run, SOMEBODY)
    return msgspec.structs.replace(signed, manifest=signed.manifest.replace(b"Sums", b"Suns"))


def by_another(run: RunManifest) -> SignedManifest:
    """Truly signed, by somebody else."""
    return SignedManifest.sign(run, Identity.create())


REFUSED = ErrorKind.MANIFEST_REFUSED
LIES = {
    "wrong-signature": Lie(retouched, REFUSED, "signature is wrong"),
    "unknown-field": Lie(changed(run={"script": "rm"}), REFUSED, "unknown field script"),
    "newer-format": Lie(changed(format=2, wonder="yes"), ErrorKind.MANIFEST_TOO_NEW),
    "absurd-number": Lie(changed(recipe={"layers": 100_000}), REFUSED, "recipe.layers must be at most 24"),
    "much-text": Lie(changed(run={"description": "x" * 200_000}), REFUSED, "bytes"),
    "anothers-name": Lie(by_another, REFUSED, "under another run's name"),
    "older-revision": Lie(changed(revision=6), ErrorKind.MANIFEST_ROLLED_BACK, "revision 7 was seen"),
    "another-organiser": Lie(by_another, ErrorKind.ORGANISER_CHANGED, SOMEBODY.peer_id, name=None),
}


def refused(folder: Path, plain_peer: PlainPeer, kind: str) -> Failed:
    """What a volunteer says who has seen revision 7 of SOMEBODY's run of that name."""
    folder.mkdir()
    KnownOrganisers(DataFolder(folder).known_organisers_file).remember(kind, SOMEBODY.peer_id, 7)
    return failure(folder, plain_peer.address, run_id=kind)


def test_a_manifest_that_lies_is_refused_for_what_it_is(tmp_path: Path, plain_peer: PlainPeer) -> None:
    plain_peer.hold(*(lie.record(name) for name, lie in LIES.items()))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        failed = dict(zip(LIES, pool.map(lambda kind: refused(tmp_path / kind, plain_peer, kind), LIES), strict=True))
    for kind, lie in LIES.items():
        assert (kind, ErrorKind.from_key(failed[kind].problem)) == (kind, lie.problem)
        assert lie.words in str(failed[kind].detail)


# Junk


FORGED = tuple(Record(RUNS_KEY, stored(bytes([n]) * 300), f"12D3KooWforger{n}/large") for n in range(200))
JUNK = (
    Record(RUNS_KEY, b"\xc1 does not decode", f"{SOMEBODY.peer_id}/large"),
    Record(RUNS_KEY, b"\xc1 does not decode", b"\xff is no text"),
    Record(RUNS_KEY, stored(5), "5"),
    Record(RUNS_KEY, stored({"organiser": SOMEBODY.peer_id}), "a table"),
    Record(RUNS_KEY, stored(b"no key"), b"[owner:ssh-rsa AAAA]"),
)


def owned(key: str, value: object) -> Record:
    """A record that a stranger has signed with a key of its own, as hivemind's peers do."""
    validator = RSASignatureValidator(RSAPrivateKey())
    name, expiration = stored(validator.local_public_key), time.time() + 600
    record = DHTRecord(DHTID.generate(source=key).to_bytes(), name, stored(value), expiration)
    return Record(key, validator.sign_value(record), validator.local_public_key, expiration)


def reports(key: str) -> tuple[Record, ...]:
    """The same poison where the peers of a run report; some of it well signed."""
    junk = tuple(record._replace(key=key) for record in JUNK)
    values: list[object] = [5, {b"no": "text"}, {"epoch": "x"}, report(peer_id=b"x" * 5_000)]
    return (*junk, *(owned(key, value) for value in values))


def report(**changes: Any) -> dict[str, Any]:
    """What hivemind's peers report, and a stranger may well sign."""
    good = {"peer_id": b"x", "epoch": 0, "samples_accumulated": 0, "samples_per_second": 0.0}
    return good | {"time": time.time(), "client_mode": False} | changes


@pytest.fixture(scope="module")
def organised(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real organiser's run, whose manifest is large."""
    with organiser(tmp_path_factory.mktemp("organiser"), LARGE) as worker:
        address = worker.wait_for(Published).addresses[0]
        worker.wait_for(PeersSeen, lambda event: bool(event.peers))
        yield address


@pytest.fixture(scope="module")
def neighbour(organised: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlainPeer]:
    """A plain peer in that organiser's swarm."""
    with PlainPeer(tmp_path_factory.mktemp("neighbour") / "log", (organised,)) as peer:
        yield peer


def is_found(home: Path, address: str, pasted: bool) -> None:
    """The true run, with the peer that reports in it; vouched for if the organiser's address was pasted.

    On a busy computer the organiser may be too slow to tell who takes part: then others ask.
    """
    found = (found_once(home / str(number), address, pasted) for number in range(VOLUNTEERS))
    assert any(run.peers == 1 for run in found)


def found_once(home: Path, address: str, pasted: bool) -> RunFound:
    """The true run, and no other, as one volunteer finds it."""
    with volunteer(home, address) as worker:
        found = worker.wait_for(RunFound)
        assert found.manifest == LARGE
        assert found.vouched == pasted
        assert worker.wait_for(SearchFinished).found == 1
    return found


def test_a_manifest_of_many_kilobytes_is_published_and_found(tmp_path: Path, organised: str) -> None:
    assert len(msgspec.json.encode(LARGE)) > 25_000
    is_found(tmp_path, organised, pasted=True)


@pytest.mark.parametrize("poison", ["junk in the dictionary", "a plain value over the dictionary"])
def test_the_true_run_is_found_among(tmp_path: Path, organised: str, neighbour: PlainPeer, poison: str) -> None:
    keys = "large_progress", "large_metrics", "large_workerbee_peers"
    if poison == "junk in the dictionary":
        neighbour.hold(*FORGED, *JUNK, *(record for key in keys for record in reports(key)))
    else:
        later = time.time() + 6000
        neighbour.hold(*(Record(key, stored("nothing"), expiration=later) for key in (RUNS_KEY, *keys)))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        by_organiser = pool.submit(is_found, tmp_path / "1", organised, pasted=True)
        by_stranger = pool.submit(is_found, tmp_path / "2", neighbour.address, pasted=False)
    by_organiser.result()
    by_stranger.result()


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(b"\xc1 does not decode", id="undecodable"),
        pytest.param(stored({"epoch": "x"}), id="no report"),
        pytest.param(stored("plain"), id="plain value"),
    ],
)
def test_what_a_stranger_brings_while_we_decide_does_not_keep_us_from_training(
    tmp_path: Path, organised: str, neighbour: PlainPeer, value: bytes
) -> None:
    """It lies in our own part of the DHT, where hivemind looks first and believes everything."""
    neighbour.forget()
    with volunteer(tmp_path, organised) as worker:
        found = worker.wait_for(RunFound)
        worker.wait_for(SearchFinished)
        subkey = None if value == stored("plain") else b"junk"
        neighbour.hold(Record("large_progress", value, subkey, time.time() + 6000))
        worker.send(consent_to(found))
        worker.wait_for(Progress, lambda progress: progress.peers == 2)


# This computer


def test_a_clock_that_is_ten_seconds_wrong_is_said_in_words(tmp_path: Path) -> None:
    """The other peer's clock is ten seconds ahead: to hivemind that is the same as ours being late."""
    with PlainPeer(tmp_path / "log", clock=10.0) as peer:
        assert ErrorKind.from_key(failure(tmp_path, peer.address).problem) is ErrorKind.CLOCK_WRONG


def test_a_data_folder_that_nobody_can_write_is_named(tmp_path: Path) -> None:
    """/sys is one even for root."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = SOMEWHERE.replace("/tcp/1/", f"/tcp/{listener.getsockname()[1]}/")
        with Worker(tmp_path, Join(addresses=(Multiaddr(address),), home="/sys/workerbee")) as worker:
            failed = worker.failure()
    assert ErrorKind.from_key(failed.problem) is ErrorKind.FOLDER_NOT_WRITABLE
    assert "/sys/workerbee" in str(failed.detail)
