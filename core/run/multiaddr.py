"""libp2p multiaddrs: where a peer listens or can be dialled, over which transport, and which peer that is.

https://github.com/libp2p/specs/blob/master/addressing/README.md; only hosts and transports that our peers use.
"""

from __future__ import annotations

import ipaddress
import re
from collections import deque
from collections.abc import Iterable
from typing import Literal, NamedTuple, get_args

from core.localizable import LocalizedText, localized
from core.security.ip_scope import is_public
from core.security.peer_id import decode_peer_id

HostProtocol = Literal["ip4", "ip6", "dns", "dns4", "dns6", "dnsaddr"]
Transport = Literal["", "tcp", "quic-v1"]
IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

USUAL_PORT = 31337  # TCP; another one where it is taken
HOST_PROTOCOLS: tuple[HostProtocol, ...] = get_args(HostProtocol)
_GOOD = "/ip4/203.0.113.5/tcp/31337/p2p/12D3KooW…"
_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_NAME = re.compile(rf"(?=.{{1,253}}\Z)(?:{_LABEL}\.)*{_LABEL}\.?")


class MultiaddrError(ValueError):
    """Why a text is not a multiaddr, and what a good one looks like."""

    def __init__(self, reason: LocalizedText, good: str = _GOOD) -> None:
        super().__init__(reason)
        self.reason, self.good = reason, good


class _Parts(NamedTuple):
    host_protocol: HostProtocol
    host: str
    transport: Transport
    port: int | None
    peer_id: str | None
    relay_id: str | None


class Multiaddr(str):
    """A multiaddr in its normal form, parsed once; still a str, for files, pipes and hivemind.

    ``Multiaddr(text)`` raises MultiaddrError. Names and protocols are written small, IP addresses short, and
    ``/ipfs/`` as ``/p2p/``. Port 0 means any free port.
    """

    __slots__ = ("_parts",)
    _parts: _Parts

    def __new__(cls, text: str) -> Multiaddr:
        """Parse the text; what has been parsed is not parsed again."""
        if isinstance(text, Multiaddr):
            return text
        parts = _read(text)
        address = super().__new__(cls, _written(parts))
        address._parts = parts
        return address

    @property
    def host_protocol(self) -> HostProtocol:
        """How the host is named: by an IP address or by a name of the DNS."""
        return self._parts.host_protocol

    @property
    def host(self) -> str:
        """The IP address or the host name."""
        return self._parts.host

    @property
    def transport(self) -> Transport:
        """The transport on the port; empty for a ``dnsaddr`` that leaves it to the DNS."""
        return self._parts.transport

    @property
    def port(self) -> int | None:
        """The TCP or UDP port; ``None`` for a ``dnsaddr`` that leaves it to the DNS."""
        return self._parts.port

    @property
    def peer_id(self) -> str | None:
        """The peer at the end of the address, behind the relay if there is one."""
        return self._parts.peer_id

    @property
    def relay_id(self) -> str | None:
        """The peer through which the other is reached (``/p2p-circuit``), if any."""
        return self._parts.relay_id

    @property
    def ip(self) -> IpAddress | None:
        """The IP address as a value; ``None`` for a host name."""
        return ipaddress.ip_address(self.host) if self.host_protocol in ("ip4", "ip6") else None

    @property
    def tcp_endpoint(self) -> tuple[str, int] | None:
        """The host and port of the peer, or of its relay, for a TCP connection; ``None`` for QUIC and the like."""
        is_tcp = self.transport == "tcp" and self.host_protocol != "dnsaddr"
        return (self.host, self.port) if is_tcp and self.port is not None else None

    @property
    def is_loopback(self) -> bool:
        """Whether it names this very computer by its IP address."""
        return self.ip is not None and self.ip.is_loopback

    @property
    def is_public(self) -> bool:
        """Whether all the world may dial it; a name counts as public until it is looked up."""
        return is_public(self.host)

    @property
    def place(self) -> Multiaddr:
        """The same without the peer at its end: where to dial or to listen."""
        return self if self.peer_id is None else _built(self._parts._replace(peer_id=None, relay_id=None))


def tcp_multiaddr(host: str, port: int) -> Multiaddr:
    """The multiaddr of a TCP port at an IP address."""
    return Multiaddr(f"/{'ip6' if ':' in host else 'ip4'}/{host}/tcp/{port}")


def readable_multiaddrs(texts: Iterable[str]) -> tuple[Multiaddr, ...]:
    """Those of the texts that can be read, in their order; others, such as of old transports, are left out."""
    found = []
    for text in texts:
        try:
            found.append(Multiaddr(text))
        except MultiaddrError:
            continue
    return tuple(found)


def split_peer(text: str) -> tuple[str, str]:
    """The place and the peer id of a multiaddr, also of a transport that is unknown here; no peer is ""."""
    place, _, peer_id = text.rpartition("/p2p/")
    return (place, peer_id) if place else (text, "")


def is_loopback(text: str) -> bool:
    """Whether a text is a multiaddr that names this very computer; of a text that is none, false."""
    return any(address.is_loopback for address in readable_multiaddrs([text]))


def _built(parts: _Parts) -> Multiaddr:
    return Multiaddr(_written(parts))


def _written(parts: _Parts) -> str:
    text = f"/{parts.host_protocol}/{parts.host}"
    if parts.transport == "tcp":
        text += f"/tcp/{parts.port}"
    elif parts.transport == "quic-v1":
        text += f"/udp/{parts.port}/quic-v1"
    text += f"/p2p/{parts.relay_id}/p2p-circuit" if parts.relay_id else ""
    return text + (f"/p2p/{parts.peer_id}" if parts.peer_id else "")


def _read(text: str) -> _Parts:
    """Host, then transport, then peer, or a relay and the peer behind it."""
    parts = deque(part for part in text.split("/") if part)
    protocol = parts.popleft().lower() if parts else ""
    if protocol not in HOST_PROTOCOLS:
        raise MultiaddrError(localized("an address begins with where the peer is: /ip4/, /ip6/ or /dns/"))
    host = _read_host(protocol, parts.popleft() if parts else "")
    transport, port = _read_transport(protocol, parts)
    peer_id = _read_peer(parts) if parts else None
    relay_id = None
    if parts and parts[0].lower() == "p2p-circuit":
        parts.popleft()
        relay_id, peer_id = peer_id, _read_peer(parts)
    if parts:
        raise MultiaddrError(localized("“%1” follows where the address should end", parts[0]))
    return _Parts(protocol, host, transport, port, peer_id, relay_id)


def _read_host(protocol: str, value: str) -> str:
    if protocol.startswith("dns"):
        if not _NAME.fullmatch(value):
            raise MultiaddrError(localized("“%1” is not a host name", value), good="/dns4/example.org/tcp/…")
        return value.lower()
    version = ipaddress.IPv4Address if protocol == "ip4" else ipaddress.IPv6Address
    try:
        return str(version(value.replace("%", "no zone")))
    except ValueError:
        good = "/ip4/203.0.113.5/tcp/…" if protocol == "ip4" else "/ip6/2001:db8::5/tcp/…"
        reason = localized("“%1” is not an IPv%2 address (a name goes with /dns4/ or /dns6/)", value, protocol[-1])
        raise MultiaddrError(reason, good=good) from None


def _read_transport(protocol: str, parts: deque[str]) -> tuple[Transport, int | None]:
    if protocol == "dnsaddr" and _is_peer_next(parts):
        return "", None
    kind = parts.popleft().lower() if parts else ""
    if kind not in ("tcp", "udp"):
        good = "…/tcp/31337/p2p/12D3KooW…"
        if not kind:
            raise MultiaddrError(localized("it ends where the port should be"), good=good)
        raise MultiaddrError(localized("“%1” stands where the port should be", kind), good=good)
    port = parts.popleft() if parts else ""
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and int(port) <= 65535):
        raise no_port_error(port, f"…/{kind}/31337/…")
    if kind == "udp":
        _read_quic(parts)
    return "tcp" if kind == "tcp" else "quic-v1", int(port)


def no_port_error(port: object, good: str = "…/tcp/31337/…") -> MultiaddrError:
    """The error for a port that is none, or that nobody can dial."""
    return MultiaddrError(localized("“%1” is not a port, which is a number from 1 to 65535", port), good=good)


def _read_quic(parts: deque[str]) -> None:
    version = parts.popleft().lower() if parts else ""
    good = "…/udp/31337/quic-v1/p2p/12D3KooW…"
    if version == "quic":
        raise MultiaddrError(localized("the old /quic is dead, and no peer speaks it any more"), good=good)
    if version != "quic-v1":
        raise MultiaddrError(localized("a udp port must be followed by /quic-v1"), good=good)


def _is_peer_next(parts: deque[str]) -> bool:
    return not parts or parts[0].lower() in ("p2p", "ipfs")


def _read_peer(parts: deque[str]) -> str:
    if not _is_peer_next(parts):
        raise MultiaddrError(localized("“%1” stands where /p2p/ and the peer id should be", parts[0]))
    if len(parts) < 2:
        raise MultiaddrError(localized("it ends without /p2p/ and the peer id, so it does not say who is there"))
    parts.popleft()
    peer_id = parts.popleft()
    try:
        decode_peer_id(peer_id)
    except ValueError as error:
        raise MultiaddrError(localized("the peer id %1", error)) from None
    return peer_id
