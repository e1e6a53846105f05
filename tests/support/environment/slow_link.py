"""A slow line of a home, in user space, because not every kernel can make one (netem).

``python -m tests.support.environment.slow_link NEAR FAR DELAY LOSS BITS`` makes two TAP devices in its own
network namespace and
carries what comes in at one of them to the other: so many seconds later, not all of it, and only so much in a
second, in each direction. It says when the devices are there, and ends with its input.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import random
import select
import struct
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from tests.support.checkout import ROOT

SET_DEVICE, TAP_WITHOUT_HEADER = 0x400454CA, 0x1002  # of linux/if_tun.h: TUNSETIFF, IFF_TAP | IFF_NO_PI
MOST_FRAME_BYTES = 65536
QUEUE_SECONDS = 0.1  # what waits longer for its turn is dropped, as by a home router


@dataclass(frozen=True)
class Line:
    """A line of a home: one way, each way."""

    delay_seconds: float
    lost_share: float
    bits_per_second: float


class _Direction:
    """Frames on their way from one device to the other."""

    def __init__(self, source: int, sink: int, line: Line, seed: int) -> None:
        self.source, self._sink, self._line = source, sink, line
        self._chance = random.Random(seed)
        self._frames: deque[tuple[float, bytes]] = deque()
        self._free_at = 0.0

    def take(self) -> None:
        """All that has come in."""
        with contextlib.suppress(BlockingIOError):
            while True:
                self._send_off(os.read(self.source, MOST_FRAME_BYTES))

    def _send_off(self, frame: bytes) -> None:
        now = time.monotonic()
        begins = max(now, self._free_at)
        if begins - now > QUEUE_SECONDS or self._chance.random() < self._line.lost_share:
            return
        self._free_at = begins + len(frame) * 8 / self._line.bits_per_second
        self._frames.append((self._free_at + self._line.delay_seconds, frame))

    def hand_over(self) -> float:
        """What has arrived; the seconds until the next frame will."""
        while self._frames and self._frames[0][0] <= time.monotonic():
            with contextlib.suppress(OSError):  # the device is down: a pulled cable
                os.write(self._sink, self._frames.popleft()[1])
        return max(0.0, self._frames[0][0] - time.monotonic()) if self._frames else 1.0


def _device(name: str) -> int:
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, SET_DEVICE, struct.pack("16sH22x", name.encode(), TAP_WITHOUT_HEADER))
    return device


def _carry(near: str, far: str, line: Line) -> None:
    one, other = _device(near), _device(far)
    ways = [_Direction(one, other, line, seed=1), _Direction(other, one, line, seed=2)]
    print("ready", flush=True)
    wait = 1.0
    while sys.stdin not in (ready := select.select([one, other, sys.stdin], [], [], wait)[0]):
        for way in ways:
            if way.source in ready:
                way.take()
        wait = min(way.hand_over() for way in ways)


@contextlib.contextmanager
def slow_line(namespace: str, near: str, far: str, line: Line) -> Iterator[None]:
    """Two devices in that network namespace, one at each end of the line; either may be moved elsewhere."""
    numbers = map(str, (line.delay_seconds, line.lost_share, line.bits_per_second))
    command = [
        "ip",
        "netns",
        "exec",
        namespace,
        sys.executable,
        "-m",
        "tests.support.environment.slow_link",
        near,
        far,
        *numbers,
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as carrier:
        assert carrier.stdout is not None and carrier.stdout.readline() == b"ready\n"
        try:
            yield
        finally:
            carrier.communicate(b"\n", timeout=60)


if __name__ == "__main__":
    _carry(sys.argv[1], sys.argv[2], Line(*map(float, sys.argv[3:])))
