"""The worker's end of the pipe: it hears everything, says what matters, and never hangs on to life."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from textwrap import indent
from typing import BinaryIO

import pytest

from core.protocol.codec import MAX_LINE_BYTES, decode_event, encode
from core.protocol.commands import AnyCommand, Check, Leave
from core.protocol.events import AnyEvent, EngineChecked, Failed, Hello, Left, Progress, RoundFinished
from core.worker.process.channel import GOODBYE_LIMIT_SECONDS
from tests.support.checkout import ROOT

LIMIT_SECONDS = 60.0

_BEGIN = """
import os, signal, sys, time
from core.protocol.commands import *
from core.protocol.events import *
from core.worker.process.channel import WorkerChannel
from core.worker.process.supervisor import Supervisor
alive = int(sys.argv[1])  # open in every process of the family that lives
channel = WorkerChannel.take_over_stdio()
channel.start(Supervisor(channel).start)

def tell(word):
    os.write(2, f"{word}\\n".encode())

def checked(word):
    return EngineChecked(torch=str(word), hivemind="")
"""

_UNREAD = _BEGIN.replace("channel.start(Supervisor(channel).start)\n", "")
HANG = "tell('hanging')\nwhile True:\n    time.sleep(1)\n"


class Script:
    """A process that has claimed its streams."""

    def __init__(self, process: subprocess.Popen[bytes], gone: int) -> None:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        self.process, self._gone = process, gone
        self.commands: BinaryIO = process.stdin  # type: ignore[assignment]
        self.events: BinaryIO = process.stdout  # type: ignore[assignment]
        self.log: BinaryIO = process.stderr  # type: ignore[assignment]

    def send(self, *commands: AnyCommand) -> None:
        """As a client does."""
        self.commands.write(b"".join(map(encode, commands)))
        self.commands.flush()

    def hears(self, word: str) -> None:
        """Wait until it says that in its log."""
        for line in self.log:
            if word.encode() in line:
                return
        raise AssertionError(f"it never said {word}")

    def rest(self) -> list[AnyEvent]:
        """Every event until it closes the pipe."""
        return [decode_event(line) for line in self.events]

    def is_gone(self) -> bool:
        """Whether nobody of the family lives any more; waits for it."""
        readable, _, _ = select.select([self._gone], [], [], LIMIT_SECONDS)
        return bool(readable) and os.read(self._gone, 1) == b""


@contextlib.contextmanager
def running(script: str, own_group: bool = True, begin: str = _BEGIN) -> Iterator[Script]:
    """Run that script, which has a ``channel``."""
    gone, alive = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", begin + script, str(alive)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=(alive,),
        cwd=ROOT,
        start_new_session=own_group,
    )
    os.close(alive)
    with process:
        try:
            yield Script(process, gone)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL) if own_group else process.kill()
            os.close(gone)


def test_commands_come_in_order_and_nonsense_is_passed_over() -> None:
    script = """
while (command := channel.next_command()) is not None:
    channel.emit(checked(type(command).__name__))
channel.close()
"""
    with running(script) as worker:
        worker.commands.write(encode(Check()) + b'{"command": "dance"}\n\xff\n\n' + encode(Check()) + encode(Leave()))
        worker.commands.flush()
        assert worker.rest() == [EngineChecked(torch="Check", hivemind="")] * 2


def test_a_command_may_come_in_pieces() -> None:
    with running("channel.emit(checked(channel.next_command()))\nchannel.close()") as worker:
        line = encode(Check())
        for piece in (line[:5], line[5:]):
            worker.commands.write(piece)
            worker.commands.flush()
        assert len(worker.rest()) == 1


def test_what_matters_survives_a_client_that_stops_reading() -> None:
    """Saying it never waits, even when the pipe is full; only what a later event makes up for is left out."""
    script = """
progress = Progress(epoch=1, samples=1, target=1, samples_per_second=None, swarm_samples_per_second=None,
                    peers=1, clients=0, loss=None)
for epoch in range(200):
    for _ in range(100):
        channel.emit(progress)
    channel.emit(RoundFinished(epoch=epoch, kind="state", ok=True, peers=2, seconds=1.0))
channel.emit(Failed(problem="disk_full"))
tell("all said")
channel.next_command()
channel.close()
"""
    with running(script) as worker:
        worker.hears("all said")
        worker.send(Check())
        events = worker.rest()
        assert [event.epoch for event in events if isinstance(event, RoundFinished)] == list(range(200))
        assert events[-1] == Failed(problem="disk_full")
        assert 0 < sum(isinstance(event, Progress) for event in events) < 20_000


def test_a_client_that_has_closed_its_end_stops_nobody() -> None:
    script = """
for number in range(5000):
    channel.emit(checked(number))
tell("all said")
channel.close()
tell("closed")
"""
    with running(script) as worker:
        worker.events.close()
        worker.hears("all said")
        worker.hears("closed")
        assert worker.process.wait(LIMIT_SECONDS) == 0


def test_the_end_of_the_client_is_a_wish_to_leave() -> None:
    script = "command = channel.next_command()\nchannel.emit(Left())\nchannel.close()\n"
    with running(script + "sys.exit(7 if command is None and channel.leaving.is_set() else 1)") as worker:
        worker.commands.close()
        assert worker.rest() == [Left()]
        assert worker.process.wait(LIMIT_SECONDS) == 7


def test_who_sends_without_end_is_no_client() -> None:
    with running("channel.leaving.wait()\nchannel.emit(Left())\nchannel.close()") as worker:
        endless = threading.Thread(target=_send_without_end, args=(worker.commands,))
        endless.start()
        assert worker.rest() == [Left()]
        worker.process.wait(LIMIT_SECONDS)
        endless.join()


def _send_without_end(commands: BinaryIO) -> None:
    with contextlib.suppress(OSError):
        for _ in range(4):
            commands.write(b"x" * MAX_LINE_BYTES)


@pytest.mark.slow
def test_a_worker_that_hangs_is_ended_by_the_clock_with_its_family() -> None:
    with running(f"if os.fork() == 0:\n{indent(HANG, '    ')}{HANG}") as worker:
        worker.hears("hanging")
        worker.hears("hanging")
        began = time.monotonic()
        worker.commands.close()
        assert worker.is_gone()
        assert worker.process.wait(LIMIT_SECONDS) == -signal.SIGKILL
        assert GOODBYE_LIMIT_SECONDS - 1 < time.monotonic() - began < 6 * GOODBYE_LIMIT_SECONDS


@pytest.mark.slow
def test_what_is_unfinished_is_finished_before_the_clock_ends_a_worker_that_hangs() -> None:
    """As a checkpoint of some gigabytes is, on a hard disk; and the goodbye has its seconds again."""
    saves = (
        f"with channel.unfinished:\n    tell('saving')\n    time.sleep({GOODBYE_LIMIT_SECONDS + 2})\ntell('saved')\n"
    )
    with running(saves + HANG) as worker:
        worker.hears("saving")
        worker.commands.close()
        worker.hears("saved")
        saved = time.monotonic()
        worker.hears("hanging")
        assert worker.is_gone()
        assert worker.process.wait(LIMIT_SECONDS) == -signal.SIGKILL
        assert time.monotonic() - saved < 6 * GOODBYE_LIMIT_SECONDS


@pytest.mark.parametrize("is_forced", [False, True], ids=["by the loop", "while the loop blocks"])
def test_what_an_organiser_has_learned_is_saved_however_long_the_goodbye_takes(is_forced: bool) -> None:
    """By the loop's own end, or in another thread while the loop waits for others."""
    leaves = "supervisor.exit(0, Left())" if is_forced else "supervisor.say_goodbye()"
    script = f"""
import threading
from types import SimpleNamespace
from core.worker.process import channel as limits
from core.worker.roles import organiser
limits.GOODBYE_LIMIT_SECONDS = 0.5
supervisor = Supervisor(channel)
supervisor.say_goodbye, supervisor.save = lambda: time.sleep(1.5), lambda: tell("saved")

def leave(*_on_epoch):
    channel.leaving.wait()
    {leaves}

def block(_on_epoch):
    threading.Thread(target=leave).start()
    tell("training")
    while True:
        time.sleep(1)

def train(on_epoch):
    tell("training")
    leave(on_epoch)

peer = SimpleNamespace(run_training={"block" if is_forced else "train"}, contributed_samples=0)
organiser._train_and_save(peer, None, supervisor, channel.unfinished)
channel.emit(Left())
channel.close()
"""
    with running(script) as worker:
        worker.hears("training")
        worker.send(Leave())
        worker.hears("saved")
        assert worker.rest() == [Left()]
        assert worker.process.wait(LIMIT_SECONDS) == 0


@pytest.mark.slow
def test_the_clock_ends_nobody_else_where_the_group_is_not_ours() -> None:
    """We are in that group: this test itself would be ended."""
    with running(HANG, own_group=False) as worker:
        worker.hears("hanging")
        worker.send(Leave())
        assert worker.process.wait(LIMIT_SECONDS) == 1


def test_prints_go_to_the_log_and_never_into_the_protocol() -> None:
    script = """
print("stray", flush=True)
os.system("echo stray too")
os.write(2, b"stdin ends\\n" if sys.stdin.read() == "" else b"")
channel.emit(Left())
channel.close()
"""
    with running(script) as worker:
        for word in ("stray", "stray too", "stdin ends"):
            worker.hears(word)
        assert worker.rest() == [Left()]


def test_children_hold_neither_end_of_the_pipe() -> None:
    script = f"if os.fork() == 0:\n{indent(HANG, '    ')}channel.emit(Left())\nchannel.close()\nos._exit(0)"
    with running(script) as worker:
        worker.hears("hanging")
        assert worker.rest() == [Left()], "the pipe ends with the worker, though its child lives"
        readable, _, _ = select.select([worker._gone], [], [], 0)
        assert not readable


def test_a_worker_has_one_thread_until_it_knows_its_first_command_and_loses_none_after_it() -> None:
    """``greet`` says hello and takes one command; whatever came with it is there for those who read on."""
    script = """
import threading
first = channel.greet(Hello(protocol=2, version="1"))
channel.emit(checked(threading.active_count()))
channel.start(Supervisor(channel).start)
channel.start(Supervisor(channel).start)
channel.emit(checked(type(channel.next_command()).__name__))
channel.emit(checked(channel.next_command()))
channel.close()
"""
    with running(script, begin=_UNREAD) as worker:
        assert decode_event(worker.events.readline()) == Hello(protocol=2, version="1")
        line = encode(Check())
        worker.commands.write(line[:4])
        worker.commands.flush()
        worker.commands.write(line[4:] + line + encode(Leave()))
        worker.commands.flush()
        said = [event.torch for event in worker.rest() if isinstance(event, EngineChecked)]
        assert said == ["1", "Check", "None"]


def test_a_client_that_is_gone_before_its_first_command_ends_the_greeting() -> None:
    script = "sys.exit(7 if channel.greet(Hello(protocol=2, version='1')) is None else 1)"
    with running(script, begin=_UNREAD) as worker:
        worker.commands.close()
        assert worker.process.wait(LIMIT_SECONDS) == 7
