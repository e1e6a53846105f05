"""Put the sockets between hivemind and p2pd into the temporary folder of this process."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hivemind.p2p import P2P

from core.worker.delegation.p2pd_process import p2pd_sockets


def use_temp_folder_for_sockets() -> None:
    """Have p2pd's sockets lie in ``TMPDIR``, which the next worker sweeps; a caged p2pd has a folder there.

    WORKAROUND H5: they lie in /tmp whatever ``TMPDIR`` says, and stay there after a SIGKILL.
    """
    P2P._UNIX_SOCKET_PREFIX = f"/unix{p2pd_sockets(Path(tempfile.gettempdir()))}/"
