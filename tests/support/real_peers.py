"""Real peers on loopback: workers of this checkout, heard through their own pipes, and nothing left of them.

A worker is started as the client starts it, but by itself: nobody kills its group when it dies, so that a
test sees what it does alone. Whoever belongs to it, wherever it has gone, carries a mark in its environment.
"""

from __future__ import annotations

import contextlib
import copy
import fcntl
import itertools
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Generic, Self, TypeVar, cast

import msgspec
import psutil

from core.engine.worker_command import worker_environment
from core.protocol.codec import decode_event, encode
from core.protocol.commands import AnyCommand, Join, Leave, NetworkMode, Publish
from core.protocol.events import (
    AnyEvent,
    Connected,
    Progress,
    Published,
    RoundFinished,
    RunFound,
    SearchFinished,
    TrainingStarted,
)
from core.run.manifest import RunInfo, RunManifest
from core.run.multiaddr import Multiaddr
from core.run.spec.collaboration import Collaboration
from core.run.spec.data import SumsData
from core.run.spec.optimizer import AdamW
from core.run.spec.recipe import ArithmeticGPT
from tests.support.consents import consent_to
from tests.support.environment.network_namespaces import Host
from tests.support.forked.process import ForkedProcess, can_fork
from tests.support.forked.server import MARK, MARK_LENGTH
from tests.support.peers import slow_computer

LIMIT_SECONDS = 180.0  # for one event, on a computer that does much else
PATIENCE_SECONDS = 400.0  # for a start and some rounds, or for several slow epochs, on such a computer
EPOCHS_SECONDS = 300.0  # for some epochs, each of which may last five times as long as by itself
START_SECONDS = 300.0  # the same until somebody trains who has just been started, with all imports
LOOK_SECONDS = 0.1  # between two looks at what several processes have said
GONE_SECONDS = 30.0  # generous: a family is gone when five seconds have passed
GOODBYE_SECONDS = 30.0
LOOPBACK = "/ip4/127.0.0.1/tcp/0"
GHOST_SECONDS = 60.0  # how long the record of a peer lives that has not said goodbye
RUN_ID = "tiny-sums"
SMALLEST_PIPE_BYTES = 4096
_numbers = itertools.count(1)

_Said = TypeVar("_Said")
_Kind = TypeVar("_Kind")


def tiny(name: str = "Tiny sums", **collaboration: Any) -> RunManifest:
    """A run whose epochs last ten seconds for one peer; unclipped, so plain AdamW is its optimizer."""
    numbers: dict[str, Any] = {
        "target_batch_size": round(10 * slow_computer.SAMPLES_PER_SECOND),
        "batch_size_per_step": 60,
        "matchmaking_time": 3.0,
        "averaging_timeout": 20.0,
    }
    return RunManifest(
        run=RunInfo(id=RUN_ID, name=name),
        recipe=ArithmeticGPT(layers=1, width=32, heads=2),
        data=SumsData(digits=1),
        optimizer=AdamW(max_grad_norm=None),
        collaboration=Collaboration(**(numbers | collaboration)),
    )


def marked(mark: str) -> list[psutil.Process]:
    """Every living process that was started with that mark, or by one that was."""
    return [process for process in psutil.process_iter() if _carries(process, mark)]


def _carries(process: psutil.Process, mark: str) -> bool:
    try:
        return process.environ().get(MARK) == mark and _is_alive(process)
    except (psutil.Error, OSError):
        return False


def _is_alive(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def survivors(ended: LineProcess[Any], family: Sequence[psutil.Process] = ()) -> list[str]:
    """Who still lives of its family, of that moment or of now, when all should be gone."""
    deadline = time.monotonic() + GONE_SECONDS
    while alive := {*filter(_is_alive, family), *ended.family}:
        if time.monotonic() > deadline:
            return sorted(f"{process.pid} {process.name()}" for process in alive)
        psutil.wait_procs(alive, timeout=0.2)
    return []


def _started(command: Sequence[str], log: IO[bytes], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """In the session of the tests: Linux divides the processor between sessions before it looks at niceness.

    Each peer stands for another computer. With a session each, on one processor, the part of a peer that exchanges has
    to wait for the parts of others that compute, as long as its own computes; see `cpu_priority`.
    """
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=log, env=environment, process_group=0)


def _forked(
    command: Sequence[str], log: IO[bytes], environment: Mapping[str, str]
) -> ForkedProcess | subprocess.Popen[bytes]:
    """Its imports done beforehand where that is possible."""
    return (ForkedProcess if can_fork(command) else _started)(command, log, environment)


def first_said(
    processes: Sequence[LineProcess[_Said]], is_so: Callable[[_Said], bool], since: Sequence[int], seconds: float
) -> _Said | None:
    """The first thing that is so and that one of these says, from these places on; ``None`` where it is too late."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for process, place in zip(processes, since, strict=True):
            for said in process.said[place:]:
                if is_so(said):
                    return said
        time.sleep(LOOK_SECONDS)
    return None


class LineProcess(Generic[_Said]):
    """A process that says things line by line, and all that comes of it; ``said`` is everything so far.

    It is not heard while ``is_heard`` is cleared, and its pipe is small, so that it is soon full then.
    """

    def __init__(
        self,
        command: Sequence[str],
        log: Path,
        parse: Callable[[bytes], _Said],
        is_warm: bool = False,
        **environment: str,
    ) -> None:
        self.mark = f"{os.getpid()}-{next(_numbers)}-".ljust(MARK_LENGTH, "-")
        self.said: list[_Said] = []
        self.raw: list[bytes] = []
        self.is_heard = threading.Event()
        self.is_heard.set()
        self._log, self._parse, self._news = log, parse, threading.Condition()
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as errors:
            everything = {**worker_environment(), **environment, MARK: self.mark}
            self.process = (_forked if is_warm else _started)(command, errors, everything)
        self.stdin = cast(IO[bytes], self.process.stdin)
        self.stdout = cast(IO[bytes], self.process.stdout)
        fcntl.fcntl(self.stdout.fileno(), fcntl.F_SETPIPE_SZ, SMALLEST_PIPE_BYTES)
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    @property
    def family(self) -> list[psutil.Process]:
        """The process and every other one that lives because of it."""
        return marked(self.mark)

    def until(self, is_so: Callable[[_Said], bool], since: int = 0, seconds: float = LIMIT_SECONDS) -> _Said:
        """The first thing said from that place in ``said`` on that is so; waits for it."""
        deadline = time.monotonic() + seconds
        with self._news:
            while True:
                is_over = not self._listener.is_alive() or time.monotonic() > deadline
                for said in self.said[since:]:
                    if is_so(said):
                        return said
                since = max(since, len(self.said))
                assert not is_over, f"that was not said; {self.account()}"
                self._news.wait(0.5)

    def wait_for(
        self,
        kind: type[_Kind],
        is_so: Callable[[_Kind], bool] = lambda _: True,
        *,
        since: int = 0,
        seconds: float = LIMIT_SECONDS,
    ) -> _Kind:
        """The first event of that kind that is so, from that place in ``said`` on; waits for it."""
        found = self.until(lambda said: isinstance(said, kind) and is_so(said), since, seconds)
        return cast(_Kind, found)

    def all(self, kind: type[_Kind], since: int = 0) -> list[_Kind]:
        """Every event of that kind so far."""
        return [said for said in self.said[since:] if isinstance(said, kind)]

    def ended(self, seconds: float = LIMIT_SECONDS) -> int:
        """Its exit code, once it has ended and everything that it said is heard."""
        code = self.process.wait(seconds)
        self._listener.join(GONE_SECONDS)
        return code

    def end(self) -> None:
        """It may say goodbye, so that others need not wait for it; then nothing of it is left."""
        self.is_heard.set()
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(GOODBYE_SECONDS)
        self.kill()

    def kill(self) -> None:
        """Nothing of it is left, and nobody hears a goodbye."""
        self.is_heard.set()
        for process in self.family:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        self.process.wait(GONE_SECONDS)
        left = survivors(self)
        self._listener.join(GONE_SECONDS)
        for pipe in (self.stdin, self.stdout):
            with contextlib.suppress(OSError):
                pipe.close()
        assert left == []

    def _listen(self) -> None:
        # a process that is killed may leave half a line
        while self.is_heard.wait() and (line := self.stdout.readline()).endswith(b"\n"):
            with self._news:
                self.raw.append(line)
                self.said.append(self._parse(line))
                self._news.notify_all()

    def account(self) -> str:
        """What it has said last, and the end of its log: for whoever reads why a test has failed."""
        said = "\n".join(str(said) for said in self.said[-15:])
        log = self._log.read_text(errors="replace")[-5000:]
        return f"exit code {self.process.poll()}; the last words:\n{said}\nthe log:\n{log}"


class Peer(LineProcess[AnyEvent]):
    """A real worker, without a client to look after it."""

    def __init__(
        self,
        home: Path,
        within: Sequence[str] = (),
        is_warm: bool = True,
        worker: Sequence[str] = tuple(slow_computer.WORKER),
    ) -> None:
        command = [*within, *worker]
        super().__init__(command, home / "logs" / "worker.log", decode_event, is_warm)
        self.home = home

    def send(self, command: AnyCommand) -> None:
        """Give it a command."""
        self.stdin.write(encode(command))
        self.stdin.flush()

    def agree(self, name: str = "", **wishes: Any) -> None:
        """Train in the first run that was found; returns once it does."""
        found = self.wait_for(RunFound)
        self.send(consent_to(found, public_name=name, **wishes))
        self.wait_for(TrainingStarted)
        self.wait_for(Progress)

    def leave(self) -> int:
        """Ask it to, and give its exit code."""
        self.send(Leave())
        return self.ended()

    @property
    def peer_id(self) -> str:
        """Its libp2p id."""
        return self.wait_for(Connected).peer_id

    @property
    def posted(self) -> str:
        """The address that an organiser posts."""
        return self.wait_for(Published).addresses[0]

    @property
    def address(self) -> str:
        """Where others find it, whoever it is: there its p2pd listens."""
        ports = [
            connection.laddr.port
            for process in self.family
            if process.name() == "p2pd"
            for connection in process.net_connections("tcp")
            if connection.status == psutil.CONN_LISTEN
        ]
        return f"/ip4/127.0.0.1/tcp/{ports[0]}/p2p/{self.peer_id}"

    @property
    def epoch(self) -> int:
        """Where it was at its last progress."""
        return self.all(Progress)[-1].epoch

    def reaches(self, epoch: int) -> Progress:
        """Wait until it trains in that epoch, or in a later one, some epochs from now."""
        return self.wait_for(Progress, lambda progress: progress.epoch >= epoch, seconds=EPOCHS_SECONDS)


class PeerGroup:
    """Starts the peers of a test, all below one folder; at the block's end the last goes first.

    Workers are forked from a process that has torch and hivemind loaded, where that is possible.
    ``listen`` is where peers listen that have to say so.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ends = contextlib.ExitStack()
        self._within: tuple[str, ...] = ()
        self._is_warm = True
        self.listen = LOOPBACK

    @property
    def cold(self) -> Self:
        """The same group, whose next workers are started as a client starts them, with all their imports."""
        there = copy.copy(self)
        there._is_warm = False
        return there

    def at(self, host: Host) -> Self:
        """The same group, whose next peers run on that host of a network; an organiser listens there."""
        there = self.under(*host.within)
        there.listen = f"{host.ip}/tcp/31337"
        return there

    def under(self, *words: str) -> Self:
        """The same group, whose next peers are started by a command that begins with these words."""
        there = copy.copy(self)
        there._within = words
        return there

    def organiser(self, home: str = "organiser", manifest: RunManifest | None = None, **wishes: Any) -> Peer:
        """The first peer of a run, published; it trains unless told not to."""
        peer = self.starting_organiser(home, manifest or tiny(), **wishes)
        peer.wait_for(Published)
        return peer

    def starting_organiser(self, home: str, manifest: RunManifest, **wishes: Any) -> Peer:
        """The first peer of a run, which has just been told to publish it."""
        peer = self._peer(home)
        options: dict[str, Any] = {
            "manifest": manifest,
            "home": str(peer.home / "data"),
            "listen": (self.listen,),
            "threads": 1,
            "checkpoint_every_epochs": 1,
        }
        peer.send(Publish(**(options | wishes)))
        return peer

    def newcomer(
        self, address: str, home: str, network: NetworkMode = "direct", manifest: RunManifest | None = None
    ) -> Peer:
        """A volunteer who has just pasted an address; a given manifest stands in for a published one."""
        peer = self._peer(home)
        addresses = tuple(map(Multiaddr, address.split()))
        peer.send(Join(addresses=addresses, home=str(peer.home / "data"), network=network, manifest=manifest))
        return peer

    def seeker(self, address: str, home: str, network: NetworkMode = "direct") -> Peer:
        """A volunteer who has found all the runs that there are, and has agreed to none."""
        peer = self.newcomer(address, home, network)
        peer.wait_for(SearchFinished)
        return peer

    def volunteer(self, address: str, home: str, network: NetworkMode = "direct", name: str = "") -> Peer:
        """A volunteer who trains."""
        peer = self.seeker(address, home, network)
        peer.agree(name)
        return peer

    def client(
        self,
        address: str,
        home: str,
        network: NetworkMode = "direct",
        recipe: Path | None = None,
        **environment: str,
    ) -> LineProcess[AnyEvent]:
        """A volunteer who trains as people do, whatever else this computer does: `workerbee join`, with its worker."""
        options = ["--yes", "--always", "--json", "--device", "cpu", "--threads", "1", "--network", network]
        options += ["--recipe", str(recipe)] if recipe else []
        folder = self.folder / home
        client = LineProcess(
            [*self._within, *slow_computer.CLIENT, "join", address, *options],
            folder / "client.log",
            decode_event,
            is_warm=False,
            WORKERBEE_HOME=str(folder),
            **environment,
        )
        self._ends.callback(client.end)
        client.wait_for(Progress, seconds=START_SECONDS)
        return client

    def script(self, home: str, module: str, *words: str, python: str = sys.executable) -> LineProcess[dict[str, Any]]:
        """Some program that says lines of JSON."""
        return self._script(home, [python, "-m", module, *words], json.loads, is_warm=self._is_warm)

    def script_folder(self, home: str, manifest: RunManifest | None = None) -> Path:
        """The folder of a script, which finds its run there as ``manifest.json``."""
        folder = self.folder / home
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_bytes(msgspec.json.encode(manifest or tiny()))
        return folder

    def other_peer(self, home: str, module: str, *words: str) -> LineProcess[AnyEvent]:
        """Some program that tells of itself as our workers do."""
        return self._script(home, [sys.executable, "-m", module, *words], decode_event, is_warm=False)

    def _script(
        self, home: str, command: Sequence[str], parse: Callable[[bytes], _Said], *, is_warm: bool
    ) -> LineProcess[_Said]:
        script = LineProcess([*self._within, *command], self.folder / home / "script.log", parse, is_warm)
        self._ends.callback(script.kill)  # a plain hivemind peer's goodbye waits for the round that is under way
        return script

    def _peer(self, home: str) -> Peer:
        peer = Peer(self.folder / home, self._within, self._is_warm)
        self._ends.callback(peer.end)
        return peer


@contextlib.contextmanager
def peer_group(folder: Path) -> Iterator[PeerGroup]:
    """A group of peers, and its end."""
    hired = PeerGroup(folder)
    with contextlib.closing(hired._ends):
        yield hired


def workerbee(home: Path, *words: str) -> list[dict[str, Any]]:
    """What that command of a person with that home folder prints, a JSON object a line."""
    command = [sys.executable, "-m", "core.cli", *words, "--json"]
    environment = {**worker_environment(), "WORKERBEE_HOME": str(home)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def averaged(event: RoundFinished) -> bool:
    """Whether somebody else was in the round, and it has moved something: one of local SGD without a quorum has not."""
    return event.ok and event.stepped and event.peers >= 2


def worker_of(client: LineProcess[Any]) -> psutil.Process:
    """The worker that a client looks after just now."""
    children = psutil.Process(client.process.pid).children()
    (worker,) = (child for child in children if slow_computer.is_worker(child.cmdline()))
    return worker
