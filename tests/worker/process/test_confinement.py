"""A worker that somebody has broken into reaches nothing of the person's, and one that nobody has trains as before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from core.protocol.codec import decode_event, encode
from core.protocol.commands import AnyCommand, Join, Leave
from core.protocol.events import AnyEvent, Confined, Progress, RoundFinished, RunFound, TrainingStarted
from core.run.multiaddr import Multiaddr
from core.security.confinement.confine import SWITCH
from tests.support.confinement.home import Person, attacked_home, encoded, environment, folder_of, ordinary_person
from tests.support.confinement.probes import POSSIBLE, PROBES, Targets
from tests.support.consents import consent_to
from tests.support.real_peers import LIMIT_SECONDS, PATIENCE_SECONDS, LineProcess, PeerGroup, averaged, peer_group, tiny

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux confines processes"),
]

ROUNDS_BEFORE, ROUNDS_AFTER = 2, 3
ROOT_MAY = {"start more tasks than allowed"}  # the kernel bounds everybody but root
# What an unconfined program of any user can do, whatever the machine: else a refusal would prove nothing.
ALWAYS_POSSIBLE = {
    "read an SSH key",
    "list the home folder",
    "write .bashrc",
    "make a file that starts at login",
    "read the settings",
    "read an organiser's key",
    "read another peer's key",
    "change another engine",
    "limit a program",
    "attach a program's memory",
    "read a program's shared memory",
    "read a program's environment",
    "signal a program",
    "open the session bus",
    "open the SSH agent",
    "open an abstract socket",
    "connect to a computer",
    "send a datagram",
    "listen on a port",
    "run a program that it has written",
    "gain privileges by a setuid program",
    "see secrets in the environment",
}


class ProbedWorker(LineProcess[AnyEvent]):
    """A worker of that person, in whose midst the probes are run when they are wanted."""

    def __init__(self, person: Person, targets: Targets) -> None:
        self._fetched, self._targets = Path(targets.data, "fetched"), targets
        command = person.command("tests.support.confinement.probed_worker", str(self._fetched))
        super().__init__(command, Path(targets.home, "..", "worker.log"), decode_event, False, **environment())

    def send(self, command: AnyCommand) -> None:
        """Give it a command."""
        self.stdin.write(encode(command))
        self.stdin.flush()

    def train(self, address: str) -> None:
        """Join the only run at that address, and train."""
        self.send(Join(addresses=(Multiaddr(address),), home=self._targets.data, network="direct"))
        found = self.wait_for(RunFound)
        self.send(consent_to(found))
        self.wait_for(TrainingStarted)

    def probe(self, name: str) -> dict[str, str]:
        """What comes of the probes of that name, run by a child of the worker."""
        result, half = self._fetched / f"{name}.json", self._fetched / f"{name}.other-half"
        half.write_bytes(encoded(self._targets))
        half.chmod(0o644)
        half.rename(self._fetched / f"{name}.wanted")
        deadline = time.monotonic() + LIMIT_SECONDS
        while not result.exists():
            assert time.monotonic() < deadline and self.process.poll() is None
            time.sleep(0.1)
        answer: dict[str, str] = json.loads(result.read_bytes())
        return answer

    def averages(self, rounds: int) -> None:
        """Wait until so many of its rounds from now on, one after the other, have averaged with others.

        On a computer that does much else, the organiser may be late for one of them.
        """
        since = len(self.said)

        def are_averaged(_said: AnyEvent) -> bool:
            last = self.all(RoundFinished, since)[-rounds:]
            return len(last) == rounds and all(map(averaged, last))

        self.until(are_averaged, since, PATIENCE_SECONDS)


@contextmanager
def probed_worker(group: PeerGroup, person: Person, targets: Targets) -> Iterator[ProbedWorker]:
    """A worker of that person, which trains together with an organiser."""
    worker = ProbedWorker(person, targets)
    try:
        worker.train(group.organiser(manifest=tiny()).posted)
        yield worker
    finally:
        worker.end()


def people() -> list[Person]:
    """An ordinary user and, where the tests are run as root, root."""
    found = [each for each in (ordinary_person(),) if each is not None]
    return [*found, Person((), sys.executable, 0)] if os.geteuid() == 0 else found


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a person's session has in its environment."""
    for name in ("HF_TOKEN", "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "secret")


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("person", people(), ids=lambda person: f"user {person.user}")
def test_a_broken_into_worker_reaches_nothing_and_trains_on(tmp_path: Path, person: Person) -> None:
    with (
        folder_of(person) as folder,
        attacked_home(folder, person) as targets,
        peer_group(tmp_path) as group,
        probed_worker(group, person, targets) as worker,
    ):
        assert worker.wait_for(Confined).gaps == ()
        worker.averages(ROUNDS_BEFORE)
        tried = worker.probe("all")
        assert tried.keys() == PROBES.keys()
        assert {name for name, result in tried.items() if result == POSSIBLE} == set()
        worker.averages(ROUNDS_AFTER)
        assert is_confined(worker.family) == []
        bomb = worker.probe("fork-bomb")
        assert {name for name, result in bomb.items() if result == POSSIBLE} == (
            ROOT_MAY if person.user == 0 else set()
        )
        worker.send(Leave())
        assert worker.ended() == 0


def is_confined(family: list[psutil.Process]) -> list[str]:
    """Those of the worker's processes, p2pd and averagers included, that are not."""
    assert len(family) >= 5, family
    wanted = ("NoNewPrivs:\t1\n", "Seccomp:\t2\n")
    status = [(each.pid, each.name(), Path(f"/proc/{each.pid}/status").read_text()) for each in family]
    assert "p2pd" in {name for _pid, name, _text in status}
    return [f"{name} ({pid})" for pid, name, text in status if not all(line in text for line in wanted)]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("person", people(), ids=lambda person: f"user {person.user}")
def test_all_of_it_is_possible_to_a_process_that_is_not_confined(person: Person) -> None:
    with folder_of(person) as folder, attacked_home(folder, person) as targets:
        command = person.command("tests.support.confinement.probes")
        said = subprocess.run(
            command, input=encoded(targets), env=os.environ | environment(), capture_output=True, timeout=LIMIT_SECONDS
        )
        tried = json.loads(said.stdout)
        assert {name for name in ALWAYS_POSSIBLE if tried[name] != POSSIBLE} == set()


@pytest.mark.timeout(600)
def test_the_switch_lets_a_worker_run_unconfined_and_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SWITCH, "off")
    with peer_group(tmp_path) as group:
        organiser = group.organiser()
        assert organiser.wait_for(Confined).gaps == ("everything",)
        organiser.wait_for(Progress)
