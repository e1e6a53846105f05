"""A program of the same user that stands for window, session bus and SSH agent: ``python bystander.py FOLDER``.

It listens on two sockets in that folder, on an abstract one and on a TCP port, has a secret in its environment and
another in POSIX shared memory, and says ``ready`` and the port.
SIGUSR1 is counted, and nothing else is done; it ends with its stdin. With nothing but the standard library.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from pathlib import Path

SOCKETS = ("bus", "agent")
SECRET = "BYSTANDER_SECRET"


def shared_memory(pid: int) -> Path:
    """What that bystander has in POSIX shared memory."""
    return Path("/dev/shm", f"workerbee-bystander-{pid}")


def main() -> None:
    """Listen until nobody wants it any more."""
    folder = Path(sys.argv[1])
    signal.signal(signal.SIGUSR1, lambda *_: None)
    listeners = []
    for address in (*(str(folder / name) for name in SOCKETS), f"\0{folder}"):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(address)
        listener.listen(8)
        listeners.append(listener)
    server = socket.create_server(("127.0.0.1", 0), backlog=8)
    shared = shared_memory(os.getpid())
    shared.write_text(SECRET)
    print("ready", server.getsockname()[1], flush=True)
    sys.stdin.read()
    shared.unlink()


if __name__ == "__main__":
    main()
