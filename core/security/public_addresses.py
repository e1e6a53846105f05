"""Protection against server-side request forgery: addresses of strangers never lead into the volunteer's own network.

Looked at after each connection, because a public name or a redirection may lead anywhere.
"""

from __future__ import annotations

import http.client
import urllib.request

from core.security.ip_scope import is_public


class PrivateAddressError(Exception):
    """An address leads to this computer or into its own network; no OSError, which urllib would wrap."""


def no_private_network_opener() -> urllib.request.OpenerDirector:
    """A urllib opener whose connections raise PrivateAddressError before anything is requested.

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
