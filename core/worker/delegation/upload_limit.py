"""The owner's upload limit: kept by whoever has started p2pd, be that the process for the network or this one."""

from __future__ import annotations

import threading
import time
from contextlib import suppress

import msgspec
import psutil

from core.worker.delegation.calls import ask, socket_of
from core.worker.delegation.tcp_pacing import IDLE_LOOK_SECONDS, SharedLimit, TcpPacer, UploadState

_P2PD = "p2pd"


class LimitUpload(msgspec.Struct, tag=True, frozen=True):
    """Let p2pd upload so many bytes a second, ``None`` for as much as goes; the answer is what was so until now."""

    bytes_a_second: int | None


def limit_upload(bytes_a_second: int | None) -> UploadState:
    """Limit p2pd's uploads from now on; how the last look at them went, which is a second old at the most.

    UserError (WORKER_CRASHED) where the process for the network has ended.
    """
    path, request = socket_of("network"), LimitUpload(bytes_a_second)
    if path is not None:
        return next(ask(path, request, UploadState))  # type: ignore[arg-type]
    return _own_pacing.limit_to(bytes_a_second)


class _OwnPacing:
    """Where this process is not confined, p2pd is a descendant of its own: a thread looks for it."""

    def __init__(self) -> None:
        self._shared = SharedLimit()
        self._thread: threading.Thread | None = None

    def limit_to(self, bytes_a_second: int | None) -> UploadState:
        self._shared.limit = bytes_a_second
        if bytes_a_second is not None and self._thread is None:
            self._thread = threading.Thread(target=self._run, name="upload limit", daemon=True)
            self._thread.start()
        return self._shared.state

    def _run(self) -> None:
        pacers: dict[int, TcpPacer] = {}
        while True:
            with suppress(psutil.Error, OSError):
                found = {each.pid for each in psutil.Process().children(recursive=True) if each.name() == _P2PD}
                pacers = {pid: pacers.get(pid) or TcpPacer(pid, self._shared) for pid in found}
            time.sleep(min((each.look() for each in pacers.values()), default=IDLE_LOOK_SECONDS))


_own_pacing = _OwnPacing()
