"""What can happen to a peer while it helps, and what that costs: how long it, and the other, stand still."""

from __future__ import annotations

import contextlib
import math
import signal
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass

import psutil

from core.protocol.events import AnyEvent, Progress, RoundFinished
from tests.support.environment.network_namespaces import Host
from tests.support.real_peers import PATIENCE_SECONDS, LineProcess, averaged


def last(seconds: float) -> None:
    """A fault lasts so long; nothing is waited for."""
    threading.Event().wait(max(0.0, seconds))


def kill(family: Iterable[psutil.Process]) -> None:
    """All of them at once, without a goodbye."""
    for process in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


def stop(family: Iterable[psutil.Process]) -> None:
    """None of them does anything any more, and their connections stay; one may just have ended."""
    for process in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGSTOP)


def freeze(family: Iterable[psutil.Process], seconds: float) -> None:
    """As a laptop that sleeps: nothing of the family runs."""
    asleep = list(family)
    stop(asleep)
    last(seconds)
    for process in asleep:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGCONT)


def cut(host: Host, seconds: float) -> None:
    """Its line is dead for so long."""
    host.unplug()
    last(seconds)
    host.plug_in()


def gave(event: RoundFinished) -> bool:
    """Whether gradients, or the changes of local SGD, were averaged with somebody else."""
    return averaged(event) and event.kind != "state"


def helps(client: LineProcess[AnyEvent], other: LineProcess[AnyEvent], since: int, here: int, seconds: float) -> None:
    """Until it has averaged gradients with the other, and each of them says so."""
    deadline = time.monotonic() + seconds
    client.wait_for(RoundFinished, gave, since=since, seconds=seconds)
    other.wait_for(RoundFinished, averaged, since=here, seconds=max(1.0, deadline - time.monotonic()))


@dataclass(frozen=True)
class Cost:
    """In seconds; ``helped_again_seconds`` are since the fault's end, infinite where that did not happen."""

    helped_again_seconds: float
    stall_seconds: float

    def __str__(self) -> str:
        again = self.helped_again_seconds
        helped = "never helped again" if math.isinf(again) else f"helped again {again:.1f} s after its end"
        return f"{helped}; the other's longest stall {self.stall_seconds:.1f} s"


class Fault:
    """One fault of a client, watched from before it begins; ``other`` trains with it."""

    def __init__(self, client: LineProcess[AnyEvent], other: LineProcess[AnyEvent]) -> None:
        self._client, self._other = client, other
        self._before = len(other.said)
        self._ended: tuple[float, int, int] | None = None

    def over(self) -> None:
        """Now it has ended."""
        self._ended = (time.monotonic(), len(self._client.said), len(self._other.said))

    def cost(self) -> Cost:
        """Once the client helps again."""
        assert self._ended is not None, "the fault has ended"
        over, since, here = self._ended
        helps(self._client, self._other, since, here, PATIENCE_SECONDS)
        return Cost(time.monotonic() - over, self._stall())

    def cost_within(self, seconds: float) -> Cost:
        """After so many seconds, whether the client helps again or not."""
        assert self._ended is not None, "the fault has ended"
        over, since, here = self._ended
        again = math.inf
        with contextlib.suppress(AssertionError):  # what was waited for was not said
            helps(self._client, self._other, since, here, seconds)
            again = time.monotonic() - over
        last(seconds - (time.monotonic() - over))
        self._other.wait_for(Progress, since=len(self._other.said))  # where it stands still just now
        return Cost(again, self._stall())

    def _stall(self) -> float:
        return max(event.stalled_seconds or 0.0 for event in self._other.all(Progress, self._before))
