"""Fetches a small file over TLS, within bounds, and follows no redirection to plain HTTP."""

from __future__ import annotations

import urllib.request
from urllib.parse import urlsplit

from core.security.http_opener import CheckedRedirections
from core.updates.notice import MAX_NOTICE_BYTES

SILENCE_SECONDS = 15.0
_MOST_REDIRECTIONS = 5
_LOOPBACK = ("127.0.0.1", "localhost")


def fetch(address: str) -> bytes:
    """The file's first bytes, one more at the most than a notice may have.

    Raises OSError, HTTPException and ValueError.

    ``https`` only; a server on this very computer, as tests have it, may be asked without.
    """
    is_here = urlsplit(address).scheme == "http" and urlsplit(address).hostname in _LOOPBACK
    if not is_here:
        _refuse_unsafe(address)
    handlers: list[urllib.request.BaseHandler] = [_FewRedirections(lambda _asked, address: _refuse_unsafe(address))]
    if is_here:
        handlers.append(urllib.request.ProxyHandler({}))
    # Whoever is asked learns no more than it must: no version, no system.
    request = urllib.request.Request(address, headers={"User-Agent": "workerbee"})
    with urllib.request.build_opener(*handlers).open(request, timeout=SILENCE_SECONDS) as answer:
        read: bytes = answer.read(MAX_NOTICE_BYTES + 1)
    return read


class _FewRedirections(CheckedRedirections):
    max_redirections = _MOST_REDIRECTIONS


def _refuse_unsafe(address: str) -> None:
    if urlsplit(address).scheme != "https":
        raise ValueError("the address does not begin with https://")
