"""Put the sockets between hivemind and p2pd into the temporary folder of this process."""

from __future__ import annotations

import tempfile

from hivemind.p2p import P2P


def use_temp_folder_for_sockets() -> None:
    """Have p2pd's sockets lie in ``TMPDIR``, which the next worker sweeps.

    WORKAROUND H5: they lie in /tmp whatever ``TMPDIR`` says, and stay there after a SIGKILL.
    """
    P2P._UNIX_SOCKET_PREFIX = f"/unix{tempfile.gettempdir()}/"
