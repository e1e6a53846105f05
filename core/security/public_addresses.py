"""Addresses that strangers have named lead to the public internet, never into the volunteer's own network.

Looked at after each connection, because a public name or a redirection may lead anywhere.
"""

from __future__ import annotations

import http.client
import ipaddress
import urllib.request
from collections.abc import Iterable


class PrivateAddressError(Exception):
    """It leads to this computer or into its own network; no OSError, which urllib would put into its own."""


def is_public(host: str) -> bool:
    """Of an IP address, whether all the world may have it; a name counts as public until it is looked up."""
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return host != "localhost"
    return (getattr(ip, "ipv4_mapped", None) or ip).is_global


def any_is_public(multiaddrs: Iterable[str]) -> bool:
    """Whether one of these peers, such as ``/ip4/203.0.113.7/tcp/31337/p2p/…``, is out on the internet."""
    return any(is_public(each.split("/")[2]) for each in multiaddrs)


def no_private_network_opener() -> urllib.request.OpenerDirector:
    """Like urllib's own, but its connections raise PrivateAddressError before anything is asked.

    Where the volunteer has set a proxy, that one decides: only it sees the address.
    """
    if urllib.request.getproxies():
        return urllib.request.build_opener()
    return urllib.request.build_opener(_PlainHandler, _SecureHandler)


class _Plain(http.client.HTTPConnection):
    def connect(self) -> None:
        super().connect()
        _refuse_private(self)


class _Secure(http.client.HTTPSConnection, _Plain):
    """Its ``connect`` begins with that of the plain one: TLS is spoken to nobody who is refused."""


class _PlainHandler(urllib.request.HTTPHandler):
    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_Plain, request)


class _SecureHandler(urllib.request.HTTPSHandler):
    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_Secure, request)


def _refuse_private(connection: http.client.HTTPConnection) -> None:
    ip = str(connection.sock.getpeername()[0])
    if not is_public(ip):
        connection.close()
        raise PrivateAddressError(
            f"it leads to {ip}, into your own network, where a run on the internet has no business"
        )
