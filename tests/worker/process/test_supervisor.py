"""No background thread of the worker ends unnoticed: it is started again, and in the end the worker fails in words."""

from __future__ import annotations

import ast
import contextlib
import itertools
import os
import signal
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest

from core.errors import ErrorKind, UserError
from core.protocol.commands import Push
from core.protocol.events import Failed, Left
from core.run.steering.authority import RunAuthority
from core.run.steering.control_value import ControlValue
from core.security.identity import Identity
from core.worker.__main__ import leave_on_sigterm
from core.worker.experts.block import ExpertId
from core.worker.hosting import run_experts
from core.worker.hosting.collector import ExpertCollector
from core.worker.mirror.writer import MirrorWriter
from core.worker.network.posted.posted_address import PostedAddressTester
from core.worker.network.reachability_tester import ReachabilityTester
from core.worker.process.channel import WorkerChannel
from core.worker.process.supervisor import MAX_RESTARTS, Supervisor
from core.worker.process.watchdog import watch_child_processes
from core.worker.roles.activity_counter import ActivityCounter
from core.worker.roles.dry_run import run_dry_run
from core.worker.roles.export import run_export
from core.worker.roles.participation import RunParticipation
from core.worker.roles.push import run_push
from core.worker.roles.receipt_exchange import ReceiptExchange
from core.worker.roles.steering.follower import SteeringFollower
from core.worker.roles.steering.manifest_updates import follow_manifest
from core.worker.roles.steering.succession import LeaderWatch, PublishedRun
from core.worker.swarm import BlockListPublisher, Publisher
from core.worker.training.checkpoint import Checkpoints
from tests.support.checkout import ROOT
from tests.support.real_peers import tiny
from tests.support.recorders import Supervised

LIMIT_SECONDS = 30.0
STARTING = {"start", "start_thread", "_start_thread"}
UNSUPERVISED = {
    "delegation/own_watch.py": "catches what it can meet; a limit that is not kept is told by the thread “pace”",
    "delegation/network.py": "a probe has a deadline, and no answer counts as a timeout",
    "fetch/fetcher.py": "its exception is raised again by who has asked, in another process",
    "fetch/background_task.py": "its exception is raised again in the thread that waits for it",
    "data/prefetch.py": "its exception is raised again in the thread that waits for it",
    "roles/steering/run_data.py": "its exception is raised again in the thread that needs the data",
    "process/process_tree.py": "runs in a forked child, whose only thread of ours it is",
    "process/channel.py": "the timer that kills a worker which does not end",
    "process/supervisor.py": "the supervisor itself",
    "swarm/experts/p2p_thread.py": "an event loop; what fails in it is raised in the future of who has asked",
    "swarm/averaging/optimizer.py": "cancels a round once; what is left of it ends by its own timeout",
}


@cache
def calls() -> list[tuple[str, ast.Call]]:
    """Every call in the worker's sources, with the file in which it stands."""
    folder = ROOT / "core" / "worker"
    return [
        (path.relative_to(folder).as_posix(), node)
        for path in sorted(folder.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
    ]


def name_of(called: ast.expr) -> str:
    """The last word of what is called."""
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def thread_names() -> list[str]:
    """The names of all threads that the worker's sources start under supervision."""
    return sorted(
        node.args[0].value
        for _, node in calls()
        if name_of(node.func) in STARTING
        and len(node.args) == 2
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    )


class Throws:
    """A part of the worker that fails whatever is asked of it."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"a test throws at {name}")

    def __call__(self, *arguments: Any) -> Any:
        raise RuntimeError("a test throws")


class NoWaiting(threading.Event):
    """An event that is never set and for which nobody waits."""

    def wait(self, timeout: float | None = None) -> bool:
        """Return at once."""
        return False


class Republishing:
    """A DHT that fails from the second store on, and has the publisher store at once each time."""

    def __init__(self) -> None:
        self.publisher: Publisher | None = None
        self._stores = itertools.count()

    def run_coroutine(self, *_: Any, **__: Any) -> None:
        """The first half of a store."""
        if next(self._stores):
            assert self.publisher is not None
            self.publisher.publish_instead(b"")
            raise RuntimeError("a test throws")

    def store(self, *_: Any, **__: Any) -> Any:
        """The second half of a store."""
        return SimpleNamespace(result=lambda seconds: True)


THROWS: Any = Throws()
PATIENT: Any = SimpleNamespace(leaving=NoWaiting())
LEAVING: Any = SimpleNamespace(leaving=THROWS, emit=THROWS)


def start_channel(supervisor: Any) -> None:
    no_descriptor: Any = "not a descriptor"
    channel = WorkerChannel(no_descriptor, no_descriptor)
    for _ in range(MAX_RESTARTS + 1):
        channel.emit(Left())
    channel.start(supervisor.start)


def start_sigterm(supervisor: Any) -> None:
    before = signal.getsignal(signal.SIGTERM)
    try:
        leave_on_sigterm(SimpleNamespace(leave=THROWS), supervisor)  # type: ignore[arg-type]
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)


def start_reachability_test(supervisor: Any) -> None:
    tester = ReachabilityTester(
        THROWS, THROWS, THROWS, THROWS, wish="auto", here=THROWS, listen=(), alive=(), dead_ipv6=()
    )
    supervisor.start("reachability test", tester.run)


def start_posted_address(supervisor: Any) -> None:
    supervisor.start("posted address", PostedAddressTester(THROWS, (), THROWS, THROWS, THROWS).run)


def start_publisher(supervisor: Any) -> None:
    dht: Any = Republishing()
    dht.publisher = Publisher(dht, "key", "subkey", b"")
    dht.publisher.publish_instead(b"")
    dht.publisher.start(supervisor.start)


def start_training(supervisor: Any) -> None:
    optimizer: Any = SimpleNamespace(tracker=THROWS, say_goodbye=THROWS)
    trainer: Any = Throws()
    numbers: Any = SimpleNamespace(learning_rate=THROWS, data=SimpleNamespace(prefetch=THROWS))
    participation = RunParticipation(
        "cpu", trainer, THROWS, optimizer, THROWS, THROWS, THROWS, THROWS, THROWS, LEAVING, supervisor, numbers, THROWS
    )
    with contextlib.suppress(RuntimeError):
        participation.run_training()


def start_dry_run(supervisor: Any) -> None:
    with contextlib.suppress(RuntimeError):
        run_dry_run(THROWS, LEAVING, supervisor)


def start_export(supervisor: Any) -> None:
    with contextlib.suppress(RuntimeError):
        run_export(THROWS, LEAVING, supervisor)


def start_push(supervisor: Any) -> None:
    with contextlib.suppress(UserError):
        run_push(Push(folder="f", repository="a/b", message="m", token_file="nowhere"), THROWS, LEAVING, supervisor)


def start_mirror(supervisor: Any) -> None:
    optimizer: Any = SimpleNamespace(outer=SimpleNamespace(version=lambda: (2, b"")))
    MirrorWriter(THROWS, "sums", optimizer, 1, THROWS, supervisor.start).refresh(1)


def start_checkpoint(supervisor: Any) -> None:
    Checkpoints(Path("nowhere"), "sums", THROWS, THROWS, supervisor.start).save(1)


def start_block_list(supervisor: Any) -> None:
    dht: Any = Republishing()
    swarm: Any = SimpleNamespace(dht=dht, identity=Identity.create(), peer_id="organiser")
    BlockListPublisher(swarm, "sums", Path("nowhere")).start(supervisor.start, THROWS)


def start_steering(supervisor: Any) -> None:
    first = iter([ControlValue(run_id="sums")])
    peer: Any = SimpleNamespace(local_epoch=0, hold=lambda is_held: None)
    follower = SteeringFollower(lambda: next(first), peer, THROWS, PATIENT, is_organiser=True)
    follower.start(supervisor.start)


def start_leader(supervisor: Any) -> None:
    """As a successor's, who looks for a newer manifest in a DHT that fails from the second time on."""
    signed: Any = SimpleNamespace(organiser="organiser", to_bytes=bytes)
    heartbeat: Any = SimpleNamespace(start=lambda _start: None)
    swarm: Any = SimpleNamespace(dht=Republishing(), peer_id="successor", folder=None)
    run = PublishedRun(signed, tiny(), RunAuthority(("organiser", "successor")), heartbeat)
    LeaderWatch(run, swarm, THROWS, PATIENT).start(supervisor.start)


def start_experts(supervisor: Any) -> None:
    """As a host's, whose two sides of experts fail."""
    side: Any = SimpleNamespace(run=THROWS, close=lambda: None, experts={})
    spec = SimpleNamespace(
        config=SimpleNamespace(hidden_size=8), expert_layers=(0,), experts=SimpleNamespace(experts=1, when_away="wait")
    )
    recipe: Any = SimpleNamespace(spec=spec, connect=lambda _caller: None)
    with contextlib.ExitStack() as replaced:
        replaced.enter_context(patch.object(run_experts, "MixtureLanguageModel", SimpleNamespace))
        replaced.enter_context(patch.object(run_experts, "_may_host", lambda *_: True))
        for side_of_experts in ("_opened_host", "ExpertCaller"):
            replaced.enter_context(patch.object(run_experts, side_of_experts, lambda *_: side))
        gate: Any = SimpleNamespace(is_barred=THROWS)
        replaced.enter_context(run_experts.open_experts(THROWS, tiny(), recipe, THROWS, gate, LEAVING, supervisor))


def collector_of(supervisor: Any) -> ExpertCollector:
    kept: Any = SimpleNamespace(epochs=dict)
    return ExpertCollector(THROWS, [ExpertId(1, 0)], THROWS, kept, THROWS, LEAVING, supervisor.start)


def start_collector(supervisor: Any) -> None:
    collector_of(supervisor).collect(1, True)


def start_last_collection(supervisor: Any) -> None:
    collector_of(supervisor).collect_last(1)


def start_contributors(supervisor: Any) -> None:
    """As an organiser's, whose own look at what others report fails, too."""
    watch: Any = SimpleNamespace(run=THROWS)
    gate: Any = SimpleNamespace(authority=SimpleNamespace(signers=("organiser",)))
    swarm: Any = SimpleNamespace(
        dht=Republishing(), identity=Identity.create(), peer_id="organiser", folder=Path("nowhere")
    )
    with contextlib.suppress(RuntimeError):
        optimizer: Any = SimpleNamespace(tracker=THROWS)
        ReceiptExchange(swarm, tiny(), optimizer, gate, watch, THROWS).run(NoWaiting(), supervisor.start)


def start_power(supervisor: Any) -> None:
    """As on a computer whose driver fails."""
    counter = ActivityCounter()
    with patch.object(counter, "_power_meter", THROWS):
        counter.measure_power(threading.Event(), supervisor.start)


STARTED: dict[str, Callable[[Any], None]] = {
    "LAN peers": start_training,
    "SIGTERM": start_sigterm,
    "block list": start_block_list,
    "checkpoint": start_checkpoint,
    "child processes": lambda supervisor: watch_child_processes(THROWS, supervisor),
    "collected experts": start_collector,
    "command reader": start_channel,
    "connection monitor": start_training,
    "contributors": start_contributors,
    "dry run leave": start_dry_run,
    "dry run time limit": start_dry_run,
    "experts": start_experts,
    "experts that are hosted": start_experts,
    "experts' hosts": start_experts,
    "export leave": start_export,
    "event writer": start_channel,
    "gate": start_training,
    "last experts": start_last_collection,
    "leader": start_leader,
    "leave": start_training,
    "manifest updates": lambda supervisor: follow_manifest(PATIENT, THROWS, supervisor),
    "mirror": start_mirror,
    "pace": start_training,
    "peer monitor": start_training,
    "posted address": start_posted_address,
    "power": start_power,
    "publisher": start_publisher,
    "push leave": start_push,
    "reachability test": start_reachability_test,
    "receipts": start_training,
    "steering": start_steering,
    "traffic": start_training,
    "upload": start_training,
}
"""How each thread of the worker is started with parts that throw."""


class OnlyOne:
    """A supervisor that starts one thread of all that it is asked to."""

    def __init__(self, supervisor: Supervisor, name: str) -> None:
        self._supervisor, self._name = supervisor, name

    def start(self, name: str, run: Callable[[], None]) -> object:
        """Start it, if it is the one."""
        return self._supervisor.start(name, run) if name == self._name else None


@pytest.fixture
def supervised() -> Supervised:
    return Supervised()


@pytest.mark.parametrize("name", thread_names())
def test_a_thread_that_fails_again_and_again_ends_the_worker_in_words(name: str, supervised: Supervised) -> None:
    STARTED[name](OnlyOne(supervised.supervisor, name))
    assert supervised.has_exited.wait(LIMIT_SECONDS)
    [failed] = supervised.sink.failed
    assert (ErrorKind.from_key(failed.problem), supervised.exit_code) == (ErrorKind.INTERNAL, 1)
    assert f"“{name}” failed {MAX_RESTARTS + 1} times" in str(failed.detail)


def test_every_thread_that_is_tested_exists() -> None:
    assert STARTED.keys() == set(thread_names())


def test_no_other_thread_is_started() -> None:
    starting = {path for path, node in calls() if name_of(node.func) in ("Thread", "Timer")}
    assert starting == UNSUPERVISED.keys()


def test_a_thread_that_fails_now_and_then_is_started_again(
    supervised: Supervised, caplog: pytest.LogCaptureFixture
) -> None:
    works, failures = threading.Event(), itertools.count()

    def run() -> None:
        if next(failures) < MAX_RESTARTS:
            raise RuntimeError("now and then")
        works.set()

    supervised.supervisor.start("sometimes", run).join(LIMIT_SECONDS)
    assert works.is_set() and supervised.exit_code is None
    assert caplog.text.count("the thread “sometimes” failed") == MAX_RESTARTS


def test_an_error_in_words_ends_the_worker_at_once(supervised: Supervised) -> None:
    def run() -> None:
        raise UserError(ErrorKind.SWARM_LOST, "They answer again.")

    supervised.supervisor.start("connection", run).join(LIMIT_SECONDS)
    assert supervised.sink.events == [Failed(problem=ErrorKind.SWARM_LOST.key, detail="They answer again.")]
    assert supervised.exit_code == 1


def test_the_swarm_is_told_goodbye_and_the_worker_ends_even_if_that_fails(supervised: Supervised) -> None:
    supervised.supervisor.say_goodbye = THROWS
    supervised.supervisor.exit(0, Left(contributed_samples=3))
    assert (supervised.sink.events, supervised.exit_code) == ([Left(contributed_samples=3)], 0)


@pytest.mark.parametrize("fails", [False, True])
def test_what_is_lost_otherwise_is_saved_after_the_goodbye_unless_the_worker_has_failed(
    supervised: Supervised, fails: bool
) -> None:
    done: list[str] = []

    def save() -> None:
        done.append("saved")
        if fails:
            raise OSError

    supervised.supervisor.say_goodbye = lambda: done.append("goodbye")
    supervised.supervisor.save = save
    supervised.supervisor.exit(0, Left(contributed_samples=3))
    assert (done, supervised.exit_code) == (["goodbye", "saved"], 0)
    supervised.supervisor.fail(UserError(ErrorKind.SWARM_LOST))
    assert done == ["goodbye", "saved", "goodbye"]
