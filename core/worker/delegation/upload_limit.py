"""The owner's upload limit: kept by whoever has started p2pd, be that the process for the network or this one."""

from __future__ import annotations

import msgspec

from core.worker.delegation.calls import ask, socket_of
from core.worker.delegation.own_watch import own_watch
from core.worker.delegation.tcp_pacing import UploadState


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
    return own_watch().limit_to(bytes_a_second)
