"""A worker that plays a part: a real process that speaks the real protocol, and trains nothing.

    python fake_worker.py JOURNAL PART [PART …]

A part is the name of a function below. The first life plays the first one, the second life the second, and so
on; the last one is played for ever.
JOURNAL is the file that counts the lives: one line for each, and one for each command that it got.
"""

from __future__ import annotations

import itertools
import json
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import msgspec

from core.errors import ErrorKind
from core.localizable import LocalizedText
from core.protocol.codec import MAX_LINE_BYTES, decode_command, encode
from core.protocol.commands import AnyCommand, Check, DryRun, Export, Join, Leave, Publish, SetPace, Start, TestNetwork
from core.protocol.events import (
    AnyEvent,
    Connected,
    ContributionStatus,
    EngineChecked,
    Exported,
    Failed,
    FitMeasured,
    Hello,
    Left,
    Network,
    Progress,
    Published,
    RoundFinished,
    RunFound,
    SearchFinished,
    StateLoading,
    TrainingStarted,
)
from core.protocol.types import PROTOCOL_VERSION
from core.run.manifest import RunInfo, RunManifest
from core.run.spec.collaboration import Collaboration
from core.run.spec.recipe import ArithmeticGPT

BIRTH = "born"
RUN_ID = "sums"
ORGANISER = "12D3KooWorganiser"
SAMPLES_A_LIFE = 100
_MICRO_BATCH = 10
_PACE_SECONDS = 0.01
_EPOCH_SECONDS = 2.0

_commands: queue.SimpleQueue[AnyCommand | None] = queue.SimpleQueue()


def manifest(run_id: str = RUN_ID) -> RunManifest:
    """The run that the fake swarm publishes."""
    return RunManifest(
        run=RunInfo(id=run_id, name="Sums"),
        recipe=ArithmeticGPT(),
        collaboration=Collaboration(target_batch_size=1000, batch_size_per_step=_MICRO_BATCH),
    )


def widened() -> RunManifest:
    """A later revision, in which the organiser has chosen a wider model."""
    wider = ArithmeticGPT(width=2 * ArithmeticGPT().width)
    return msgspec.structs.replace(manifest(), revision=2, recipe=wider)


def described_anew() -> RunManifest:
    """A later revision, in which only the words for people are others."""
    said = RunInfo(id=RUN_ID, name="More sums", description="As before.", notice="A rest on Sunday.")
    return msgspec.structs.replace(manifest(), revision=2, run=said)


def say(event: AnyEvent) -> None:
    """Emit it."""
    say_bytes(encode(event))


def say_bytes(text: bytes) -> None:
    """Emit what may be no event."""
    sys.stdout.buffer.write(text)
    sys.stdout.buffer.flush()


def listen(journal: Path) -> None:
    """Put every command into the journal, and into the queue those that ask for an answer; ``None``: nobody asks."""
    for line in sys.stdin.buffer:
        with journal.open("ab") as file:
            file.write(line)
        command = decode_command(line)
        if not isinstance(command, SetPace):
            _commands.put(command)
    _commands.put(None)


def greet() -> None:
    """Say what every good worker says first."""
    say(Hello(protocol=PROTOCOL_VERSION, version="fake"))


def good(organiser: str = ORGANISER, run: RunManifest | None = None) -> None:
    """A worker as it should be."""
    greet()
    match _commands.get():
        case Join() as join:
            find(join, organiser, run or manifest())
            if isinstance(_commands.get(), Start):
                say(StateLoading(received_bytes=500, total_bytes=1000))
                work()
        case Publish() as publish:
            say(Published(addresses=("/ip4/127.0.0.1/tcp/1",), link="workerbee://join?peer=x", revision=1))
            work() if publish.train else wait_for_leave()
        case DryRun():
            say(FitMeasured(device="cpu", micro_batch=4, samples_per_second=31.0, memory_bytes=10**9))
            return
        case Export():
            say(Exported(epoch=7, loss=0.5))
            return
        case Check():
            say(EngineChecked(torch="2.13.0", hivemind="1.1.12"))
            return
        case _:
            pass
    say(Left(contributed_samples=SAMPLES_A_LIFE))


def begin() -> None:
    """What comes before training, for parts that end badly."""
    greet()
    command = _commands.get()
    if isinstance(command, Join):
        find(command, ORGANISER, manifest())
        _commands.get()


def find(join: Join, organiser: str, run: RunManifest) -> None:
    """Say what the fake swarm publishes."""
    say(Connected(peer_id="12D3KooWme", peers=2))
    say(Network(mode="direct", reason=LocalizedText("asked for"), test="done"))
    is_wanted = join.run_id in (None, run.run.id)
    if is_wanted:
        say(RunFound(manifest=run, organiser=organiser, vouched=True))
    say(SearchFinished(found=int(is_wanted)))


def work(until_crash: bool = False) -> None:
    """Train until somebody says leave, or until SAMPLES_A_LIFE samples are computed and all ends badly."""
    say(TrainingStarted(device="cpu", epoch=7, parameters=1000))
    say(ContributionStatus(state="helping", reason=LocalizedText("averaged with 2 peers")))
    say(RoundFinished(epoch=7, kind="gradients", ok=True, peers=2, seconds=0.5))
    samples = 0
    while not is_told_to_leave():
        samples = min(samples + _MICRO_BATCH, SAMPLES_A_LIFE)
        say(progress(samples))
        if until_crash and samples == SAMPLES_A_LIFE:
            os._exit(1)


def is_told_to_leave(seconds: float = _PACE_SECONDS) -> bool:
    """Within a micro-batch's time, or so many seconds."""
    try:
        command = _commands.get(timeout=seconds)
    except queue.Empty:
        return False
    if isinstance(command, TestNetwork):
        say(Network(mode="client", reason=LocalizedText("asked again"), test="done"))
    return command is None or isinstance(command, Leave)


def wait_for_leave() -> None:
    """What a keeper does."""
    while not is_told_to_leave():
        pass


def progress(samples: int, epoch: int = 8) -> Progress:
    """Some way into that epoch."""
    return Progress(
        epoch=epoch,
        samples=samples,
        target=1000,
        samples_per_second=100.0,
        swarm_samples_per_second=200.0,
        peers=2,
        clients=0,
        loss=1.5,
        contributed_samples=samples,
    )


def follow_world() -> None:
    """Stands for two swarms, whose runs are as the file ``world`` beside the journal says: a state, run by run.

    A state is that of a manifest, ``changed``, or ``unreachable``. Addresses that name no run find the first.
    """
    greet()
    join = _commands.get()
    if not isinstance(join, Join):
        return
    run_id = join.run_id or next(each for each in world() if each in str(join.addresses))
    if world()[run_id] == "unreachable":
        say(Failed(problem=ErrorKind.NOBODY_ANSWERS.key))
        os._exit(1)
    find(join, ORGANISER, as_in_world(run_id))
    if isinstance(_commands.get(), Start):
        say(TrainingStarted(device="cpu", epoch=7, parameters=1000))
        samples = 0
        while not is_told_to_leave() and (state := world()[run_id]) in ("open", "changed"):
            samples += _MICRO_BATCH
            say(progress(samples))
        if state == "unreachable":
            say(Failed(problem=ErrorKind.SWARM_LOST.key))
            os._exit(1)
        if state in ("paused", "finished"):
            say(RunFound(manifest=as_in_world(run_id), organiser=ORGANISER, vouched=True))
            say(Failed(problem=ErrorKind.RUN_NOT_OPEN.key))
    say(Left(contributed_samples=SAMPLES_A_LIFE))


def world() -> dict[str, str]:
    """The states of the runs that the test has written down."""
    states: dict[str, str] = json.loads((Path(sys.argv[1]).parent / "world").read_text())
    return states


def as_in_world(run_id: str) -> RunManifest:
    """The run as it is published at this moment."""
    state = world()[run_id]
    published = manifest(run_id)
    if state == "changed":
        return msgspec.structs.replace(published, revision=2, recipe=widened().recipe)
    info = msgspec.structs.replace(published.run, name=run_id.title(), state="open" if state == "open" else state)
    return msgspec.structs.replace(published, run=info)


def crash_in_training() -> None:
    """Stands for a bug, or a driver, that ends the process in the middle of its work."""
    begin()
    work(until_crash=True)


def fail_in_training() -> None:
    """Stands for a device that runs out of memory after a while."""
    begin()
    say(TrainingStarted(device="cpu", epoch=7, parameters=1000))
    say(progress(_MICRO_BATCH))
    say(Failed(problem=ErrorKind.OUT_OF_MEMORY.key))
    os._exit(1)


def measure_for_ever() -> None:
    """Stands for a dry run that takes its time; it ends at once when it is told to."""
    greet()
    while not isinstance(_commands.get(), Leave | None):
        pass


def search_for_ever() -> None:
    """Stands for a swarm that takes its time to answer; the search ends when it is called off."""
    measure_for_ever()
    say(Left(contributed_samples=0))


def go_through_epochs() -> None:
    """A worker whose epochs are short, but longer than a client on a busy computer needs to react to one."""
    begin()
    say(TrainingStarted(device="cpu", epoch=7, parameters=1000))
    for epoch in itertools.count(7):
        say(progress(50, epoch))
        if is_told_to_leave(_EPOCH_SECONDS):
            break


def crash_when_told_to_leave() -> None:
    """Stands for a goodbye that goes wrong."""
    begin()
    work()
    os._exit(3)


def crash_after_search() -> None:
    """Stands for a worker that dies while a person reads what the run is."""
    greet()
    command = _commands.get()
    if isinstance(command, Join):
        find(command, ORGANISER, manifest())
    os._exit(3)


def crash_at_once() -> None:
    """Stands for libraries that load, and die of what they find."""
    greet()
    _commands.get()
    os._exit(3)


def die_before_hello() -> None:
    """Stands for an engine that is not installed."""
    print("No module named core.worker", file=sys.stderr, flush=True)
    os._exit(1)


def fail_unforeseen() -> None:
    """Stands for an exception that nobody thought of."""
    fail(ErrorKind.INTERNAL, "KeyError: see the log.")


def fail_to_load_state() -> None:
    """Stands for peers that vanish while we download from them."""
    fail(ErrorKind.STATE_NOT_LOADED, "3 peers were tried.")


def fail_for_good() -> None:
    """Stands for an address where nobody listens."""
    fail(ErrorKind.NOBODY_ANSWERS, "2 addresses were tried.")


def find_no_run() -> None:
    """Stands for an organiser that is coming back: it answers, and has not signed its run yet."""
    fail(ErrorKind.NO_SUCH_RUN, "sums")


def fail_with_a_full_disk() -> None:
    """Stands for a disk that has no room for what a worker writes when it begins."""
    fail(ErrorKind.DISK_FULL, "/data: No space left on device.")


def fail_with_a_damaged_key() -> None:
    """Stands for what ends a session until a person tries again."""
    fail(ErrorKind.IDENTITY_DAMAGED, "/data/identity.key")


def fail_and_stay() -> None:
    """Stands for a worker that hangs after it has given up."""
    greet()
    say(Failed(problem=ErrorKind.NOBODY_ANSWERS.key))
    ignore_leave()


def fail(problem: ErrorKind, detail: str) -> None:
    """Give up, as a worker does."""
    greet()
    _commands.get()
    say(Failed(problem=problem.key, detail=detail))
    os._exit(1)


def be_of_another_organiser() -> None:
    """Stands for a run of the same name that somebody else has signed."""
    good(organiser="12D3KooWsomebodyelse")


def be_of_another_run() -> None:
    """Stands for a swarm that has forgotten the run."""
    good(run=manifest("another"))


def be_widened() -> None:
    """Stands for an organiser who has published another model under the same name."""
    good(run=widened())


def be_widened_and_crash_after_search() -> None:
    """Stands for a worker that dies while a person reads what has become of the run."""
    greet()
    command = _commands.get()
    if isinstance(command, Join):
        find(command, ORGANISER, widened())
    os._exit(3)


def be_described_anew() -> None:
    """Stands for an organiser who has published other words about the same run."""
    good(run=described_anew())


def refuse_the_digest() -> None:
    """Stands for a worker that has found another revision than the person was shown."""
    begin()
    say(Failed(problem=ErrorKind.RUN_CHANGED.key))
    os._exit(1)


def train_and_ignore_leave() -> None:
    """Stands for a worker whose goodbye hangs."""
    begin()
    say(TrainingStarted(device="cpu", epoch=7, parameters=1000))
    ignore_leave()


def ignore_leave() -> NoReturn:
    """Never end by itself, whatever is said."""
    while True:
        time.sleep(1)


def have_children() -> None:
    """Stands for hivemind, which forks a DHT and averagers, which start p2pd; none of them ends by itself."""
    born, birth = os.pipe()
    if os.fork() == 0:
        if os.fork() == 0:
            os.write(birth, b"!")
        ignore_leave()
    os.read(born, 1)
    train_and_ignore_leave()


def die_before_children() -> None:
    """Stands for the kernel's out-of-memory killer: the children live on and hold our pipe."""
    if os.fork() == 0:
        ignore_leave()
    greet()
    os.kill(os.getpid(), signal.SIGKILL)


def talk_nonsense() -> None:
    """Stands for a library that prints into the protocol."""
    greet()
    say_bytes(b"Downloading: 100%|####|\n")
    ignore_leave()


def talk_before_hello() -> None:
    """Stands for a program that is not a worker at all."""
    say(Connected(peer_id="12D3KooWme", peers=2))
    ignore_leave()


def talk_without_end() -> None:
    """Stands for a broken worker that would fill the client's memory."""
    greet()
    while True:
        say_bytes(b"x" * MAX_LINE_BYTES)


def speak_a_newer_protocol() -> None:
    """Stands for an update of half of Workerbee; a newer hello has fields that are unknown today."""
    hello = {"event": "hello", "protocol": PROTOCOL_VERSION + 1, "version": "9", "mood": "sunny"}
    say_bytes(json.dumps(hello).encode() + b"\n")
    ignore_leave()


def die_in_a_line() -> None:
    """Stands for a crash while an event is written."""
    greet()
    say_bytes(b'{"event": "prog')
    os._exit(1)


def be_silent() -> None:
    """Stands for a Python that hangs before it has begun; it reads nothing either."""
    ignore_leave()


def main() -> None:
    """Live one life."""
    journal, parts = Path(sys.argv[1]), sys.argv[2:]
    lives = journal.read_text().splitlines().count(BIRTH) if journal.exists() else 0
    with journal.open("a") as file:
        file.write(BIRTH + "\n")
    part: Callable[[], None] = globals()[parts[min(lives, len(parts) - 1)]]
    if part is not be_silent:
        threading.Thread(target=listen, args=(journal,), daemon=True).start()
    part()
    os._exit(0)  # as the real one does: nobody waits for the thread that reads


if __name__ == "__main__":
    main()
