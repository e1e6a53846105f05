"""Fetches a small file over TLS, within bounds, and follows no redirection to plain HTTP."""

from __future__ import annotations

import ipaddress
import urllib.request
from urllib.parse import urlsplit

from core.localizable import localized
from core.security.address_guard import AddressGuard
from core.security.http_opener import CheckedRedirections, http_opener

SILENCE_SECONDS = 15.0
_MOST_REDIRECTIONS = 5
_LOOPBACK = ("127.0.0.1", "localhost")
_OWN_COMPUTER = tuple(map(ipaddress.ip_network, ("127.0.0.0/8", "::1/128")))


def fetch(address: str, max_bytes: int, *, is_guarded: bool = False) -> bytes:
    """The file's first bytes, one more at the most than ``max_bytes``.

    Raises OSError, also for an answer that is cut, HTTPException, ValueError and, for an address within a private
    network where it ``is_guarded``, AddressRefusedError.

    ``https`` only; a server on this very computer, as tests have it, may be asked without.
    """
    is_here = urlsplit(address).scheme == "http" and urlsplit(address).hostname in _LOOPBACK
    if not is_here:
        _refuse_unsafe(address)
    guard = AddressGuard(_OWN_COMPUTER if is_here else ()) if is_guarded else None
    redirections = _FewRedirections(lambda _asked, address: _refuse_unsafe(address))
    opener = http_opener(guard, redirections=redirections, uses_proxies=not is_here)
    # Whoever is asked learns no more than it must: no version, no system.
    request = urllib.request.Request(address, headers={"User-Agent": "workerbee"})
    with opener.open(request, timeout=SILENCE_SECONDS) as answer:
        read: bytes = answer.read(max_bytes + 1)
        missing = answer.length or 0  # which http.client counts, but does not mind
    if missing and len(read) <= max_bytes:
        raise OSError(localized("cut after %1 of %2 bytes", len(read), len(read) + missing))
    return read


class _FewRedirections(CheckedRedirections):
    max_redirections = _MOST_REDIRECTIONS


def _refuse_unsafe(address: str) -> None:
    if urlsplit(address).scheme != "https":
        raise ValueError(localized("the address does not begin with https://"))
