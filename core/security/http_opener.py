"""Opens http and https addresses and nothing else: no ftp, file or data, wherever a redirection leads."""

from __future__ import annotations

import http.client
import urllib.request
from collections.abc import Callable
from typing import IO, Any
from urllib.parse import urlsplit

from core.localizable import localized
from core.security.address_guard import AddressGuard, AddressRefusedError


def http_opener(
    guard: AddressGuard | None, *, redirections: CheckedRedirections | None = None, uses_proxies: bool = True
) -> urllib.request.OpenerDirector:
    """A urllib opener that raises AddressRefusedError before anything is asked where ``guard`` forbids it.

    It goes through a proxy that a variable such as ``https_proxy`` names. Only that one sees the connection then, so
    that the address is judged before; whatever goes past it, as ``no_proxy`` may say, is judged like the rest.
    ``redirections`` says which of them are followed: by default those to http(s) that do not lead out of TLS.
    """
    opener = urllib.request.OpenerDirector()
    opener.addheaders = []
    for handler in (
        *((_Proxies(guard),) if uses_proxies else ()),
        _PlainHandler(guard),
        _SecureHandler(guard),
        redirections or CheckedRedirections(lambda asked, address: refuse_other_protocols(asked.type, address)),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener


class _Plain(http.client.HTTPConnection):
    guard = AddressGuard()

    def connect(self) -> None:
        super().connect()
        try:
            self.guard.refuse(str(self.sock.getpeername()[0]))
        except AddressRefusedError:
            self.close()
            raise


class _Secure(http.client.HTTPSConnection, _Plain):
    """Its ``connect`` begins with that of the plain one: TLS is spoken to nobody who is refused."""


def _guarded(kind: type[_Plain], guard: AddressGuard) -> Callable[..., _Plain]:
    """What urllib takes for a class of connections."""

    def connection_to(host: str, **options: Any) -> _Plain:
        connection = kind(host, **options)
        connection.guard = guard
        return connection

    return connection_to


class _PlainHandler(urllib.request.HTTPHandler):
    def __init__(self, guard: AddressGuard | None) -> None:
        super().__init__()
        self._guard = guard

    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        if self._guard is None or request.has_proxy():
            return self.do_open(http.client.HTTPConnection, request)
        return self.do_open(_guarded(_Plain, self._guard), request)


class _SecureHandler(urllib.request.HTTPSHandler):
    def __init__(self, guard: AddressGuard | None) -> None:
        super().__init__()
        self._guard = guard

    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        if self._guard is None or getattr(request, "_tunnel_host", None):  # what a proxy passes on unread
            return self.do_open(http.client.HTTPSConnection, request)
        return self.do_open(_guarded(_Secure, self._guard), request)


class _Proxies(urllib.request.ProxyHandler):
    """The proxies of the environment, which are sent nowhere where we may not go ourselves."""

    def __init__(self, guard: AddressGuard | None) -> None:
        super().__init__()
        self._guard = guard

    def proxy_open(self, request: urllib.request.Request, proxy: str, scheme: str) -> Any:
        """Judge the address, then use the proxy; urllib calls it for each request that a variable is for."""
        if self._guard is not None:
            self._guard.refuse_for_proxy(urlsplit(f"//{request.host}").hostname or "")
        return super().proxy_open(request, proxy, scheme)


class CheckedRedirections(urllib.request.HTTPRedirectHandler):
    """Follows a redirection only where ``check`` does not raise for the address that asks for it and the new one."""

    def __init__(self, check: Callable[[urllib.request.Request, str], None]) -> None:
        self._check = check

    def http_error_302(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: http.client.HTTPMessage
    ) -> Any:
        """Follow a redirection; the answer that asks for it is closed where it is refused."""
        try:
            return super().http_error_302(req, fp, code, msg, headers)
        except (AddressRefusedError, ValueError):
            fp.close()
            raise

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        """Check a redirection, then follow it; urllib calls it for each."""
        self._check(req, newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def refuse_other_protocols(asked: str, address: str) -> None:
    """Raise AddressRefusedError for a redirection from the protocol ``asked`` to another one, or out of TLS."""
    scheme = urlsplit(address).scheme
    if scheme != "https" and (scheme, asked) != ("http", "http"):
        raise AddressRefusedError(localized("it redirects from %1 to %2", asked, scheme))
