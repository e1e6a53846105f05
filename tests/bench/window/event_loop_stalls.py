"""How long the thread of the window does not look at what a person does."""

from __future__ import annotations

import time
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, QTimer

TICK_SECONDS = 0.005


@dataclass(frozen=True)
class Block:
    """``cpu_seconds`` is how long the thread computed meanwhile; otherwise it waited, also for a core."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0


class Blocks:
    """Told of every tick of a clock, it knows the longest time by which one was late."""

    def __init__(self, at: float, cpu_seconds: float) -> None:
        self._at, self._cpu_seconds = at, cpu_seconds
        self.longest = Block()

    def tick(self, at: float, cpu_seconds: float) -> None:
        """It is so late, and the thread has computed for so long in all."""
        late = at - self._at - TICK_SECONDS
        if late > self.longest.seconds:
            self.longest = Block(late, cpu_seconds - self._cpu_seconds)
        self._at, self._cpu_seconds = at, cpu_seconds


class BlockWatch(QObject):
    """A clock on the thread that made it; nothing of the program under watch is touched."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._blocks = Blocks(time.monotonic(), time.thread_time())
        clock = QTimer(self, interval=round(TICK_SECONDS * 1000), timerType=Qt.TimerType.PreciseTimer)
        clock.timeout.connect(self._tick)
        clock.start()

    def take(self) -> Block:
        """The longest one until now; the next one is counted from now on."""
        self._tick()
        longest, self._blocks.longest = self._blocks.longest, Block()
        return longest

    def _tick(self) -> None:
        self._blocks.tick(time.monotonic(), time.thread_time())
