"""Requests an update notice once and prints it if it is signed: ``python -m core.updates ADDRESS PUBLISHER``.

A process of its own, because TLS and signatures would stay in the window's memory for ever.
"""

from __future__ import annotations

import http.client
import signal
import sys

import msgspec

from core.security.https_fetch import fetch
from core.updates.notice import MAX_NOTICE_BYTES, RefusedNoticeError, notice_in

LIMIT_SECONDS = 60  # in all, for a server that sends a byte now and then


def main() -> int:
    """Print the notice and return 0, or return 1 and log why there is none."""
    if hasattr(signal, "alarm"):
        signal.alarm(LIMIT_SECONDS)
    address, publisher = sys.argv[1:]
    try:
        notice = notice_in(fetch(address, MAX_NOTICE_BYTES), publisher)
    except (OSError, http.client.HTTPException, ValueError, RefusedNoticeError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    sys.stdout.buffer.write(msgspec.json.encode(notice))
    return 0


if __name__ == "__main__":
    sys.exit(main())
