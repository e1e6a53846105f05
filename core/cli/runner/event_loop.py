"""The main thread's loop: other threads and signals post deeds, which are done here one after the other."""

from __future__ import annotations

import queue
from collections.abc import Callable

TICK_SECONDS = 0.25


class MainLoop:
    """A queue of deeds; the thread that runs it sleeps while there are none."""

    def __init__(self) -> None:
        # a SimpleQueue, because its put may be called by a signal handler that interrupts its get
        self._deeds: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()

    def post(self, deed: Callable[[], None]) -> None:
        """Have this done on the main thread, soon."""
        self._deeds.put(deed)

    def run_until(self, is_done: Callable[[], bool], on_tick: Callable[[], None]) -> None:
        """Do what is posted until that is so; ``on_tick`` follows every deed, and every tick without one."""
        while not is_done():
            try:
                deed = self._deeds.get(timeout=TICK_SECONDS)
            except queue.Empty:
                pass
            else:
                deed()
            on_tick()
