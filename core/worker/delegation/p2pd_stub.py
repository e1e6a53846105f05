"""Stands for p2pd where hivemind starts it: ``python -I -S p2pd_stub.py SOCKET P2PD ARGUMENT…``.

It asks the process that holds the network to run p2pd, prints what that prints, and ends with it. SIGTERM ends p2pd
first; whatever else ends this program ends p2pd, too. With nothing but the standard library, so that it starts at once.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys


def main() -> None:
    """Have p2pd run, and wait for its end."""
    path, _program, *arguments = sys.argv[1:]
    environment = {name: value for name, value in os.environ.items() if name.startswith("GO")}
    request = {"type": "StartP2pd", "arguments": arguments, "environment": environment}
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(path)
        signal.signal(signal.SIGTERM, lambda *_: connection.shutdown(socket.SHUT_WR))
        socket.send_fds(connection, [json.dumps(request).encode() + b"\n"], [1])
        os.close(1)
        os.close(2)
        while connection.recv(4096):
            pass


if __name__ == "__main__":
    main()
