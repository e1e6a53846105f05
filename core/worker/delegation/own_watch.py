"""The watch over p2pd where this process is not confined: p2pd is a descendant, and a thread looks for it."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import suppress
from functools import cache

import psutil

from core.worker.delegation.calls import socket_of
from core.worker.delegation.tcp_counting import tcp_traffic
from core.worker.delegation.tcp_pacing import SharedLimit, UploadState
from core.worker.delegation.tcp_watch import LOOK_SECONDS, TcpWatch

SEARCH_SECONDS = 10.0  # between two searches while there is one: a search reads of every process of the computer
_P2PD = "p2pd"


class OwnWatch:
    """Counts what each p2pd among our descendants moves, and limits what it sends."""

    def __init__(self) -> None:
        self._shared = SharedLimit()
        self._watches: dict[int, TcpWatch] = {}
        self._searched_at = 0.0
        self._thread: threading.Thread | None = None

    def limit_to(self, bytes_a_second: int | None) -> UploadState:
        """Limit the uploads from now on; how the last look at them went."""
        self._shared.limit = bytes_a_second
        if bytes_a_second is not None:
            self.begin()
        return self._shared.state

    def begin(self) -> None:
        """Look from now on, and until this process ends; more calls change nothing."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="p2pd watch", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            if not self._watches or time.monotonic() - self._searched_at >= SEARCH_SECONDS:
                self._search()
            time.sleep(min((each.look() for each in self._watches.values()), default=LOOK_SECONDS))

    def _search(self) -> None:
        with suppress(psutil.Error, OSError):
            found = {each.pid for each in psutil.Process().children(recursive=True) if each.name() == _P2PD}
            known, traffic, self._searched_at = self._watches, tcp_traffic(), time.monotonic()
            self._watches = {pid: known.get(pid) or TcpWatch(pid, self._shared, traffic) for pid in found}


@cache
def own_watch() -> OwnWatch:
    """The only one of this process."""
    return OwnWatch()


def count_own_traffic() -> None:
    """Begin to count what p2pd moves where nobody does: in Linux, in a process that is not confined."""
    if sys.platform == "linux" and socket_of("network") is None:
        own_watch().begin()
