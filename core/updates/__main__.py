"""Requests an update notice once and prints it if it is signed: ``python -m core.updates ADDRESS PUBLISHER``.

A process of its own, because TLS and signatures would stay in the window's memory for ever.
"""

from __future__ import annotations

import http.client
import sys

import msgspec

from core.engine.one_answer import answer_once
from core.security.https_fetch import fetch
from core.updates.notice import MAX_NOTICE_BYTES, RefusedNoticeError, notice_in


def notice(address: str, publisher: str) -> bytes:
    """Return the notice at that address as JSON; raises RefusedNoticeError, and what `fetch` raises."""
    return msgspec.json.encode(notice_in(fetch(address, MAX_NOTICE_BYTES), publisher))


if __name__ == "__main__":
    sys.exit(answer_once(notice, OSError, http.client.HTTPException, ValueError, RefusedNoticeError))
