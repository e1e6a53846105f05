"""What p2pd's TCP connections send and receive, as the kernel counts it: data, data sent again, and headers.

UDP, and so QUIC, is not counted here, nor what a connection moves between the last look at it and its end.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any

from core.worker.delegation.child_sockets import TcpInfo, TcpSocket

_IPV4_BYTES, _IPV6_BYTES, _TCP_BYTES, _TIMESTAMPS_BYTES = 20, 40, 20, 12
_SEGMENTS = 1 << 32

Address = IPv4Address | IPv6Address
IsCounted = Callable[[Address, Address], bool]
"""Whether a connection between our own address and the peer's counts."""


class TcpTraffic:
    """Bytes sent and received since the worker began, in memory that processes share by forking; they only grow."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("fork")
        self._lock, self._totals = context.Lock(), context.RawArray("q", 2)

    @property
    def sent_bytes(self) -> int:
        """Up to the last look; 0 where nobody can look."""
        return int(self._totals[0])

    @property
    def received_bytes(self) -> int:
        """Up to the last look; 0 where nobody can look."""
        return int(self._totals[1])

    def add(self, sent_bytes: int, received_bytes: int) -> None:
        """So many more were sent and received."""
        with self._lock:
            self._totals[0] += sent_bytes
            self._totals[1] += received_bytes


_shared: list[TcpTraffic] = []


def share_tcp_traffic() -> None:
    """Begin with nothing, for this process and those that it forks from now on."""
    _shared[:] = [TcpTraffic()]


def tcp_traffic() -> TcpTraffic:
    """The totals of this worker; a process that shares none, such as a test, has some of its own."""
    if not _shared:
        share_tcp_traffic()
    return _shared[0]


def leaves_computer(own: Address, peer: Address) -> bool:
    """Whether the peer is on another computer: who is asked at its own address answers from the same one."""
    return not peer.is_loopback and peer != own


class TcpCounter:
    """Adds to the totals what a process's connections have moved since the last look at them."""

    def __init__(self, traffic: TcpTraffic, is_counted: IsCounted = leaves_computer) -> None:
        self._traffic, self._is_counted = traffic, is_counted
        self._known: dict[int, _Connection] = {}

    def count(self, sockets: Sequence[TcpSocket]) -> None:
        """Look at all connections that there are now; a new one counts from its beginning."""
        now, sent, received = dict[int, _Connection](), 0, 0
        for each in sockets:
            connection = self._known.get(each.inode) or self._met(each)
            if connection is not None:
                now[each.inode] = connection
                more_sent, more_received = connection.moved(each.info)
                sent, received = sent + more_sent, received + more_received
        self._known = now
        self._traffic.add(sent, received)

    def _met(self, met: TcpSocket) -> _Connection | None:
        """``None`` where there is no peer: the socket listens, is connecting, or was closed before it was looked at."""
        try:
            own, peer = _address(met.copy.getsockname()), _address(met.copy.getpeername())
        except OSError:
            return None
        if not self._is_counted(own, peer):
            return _Connection(None)
        ip_bytes = _IPV4_BYTES if peer.version == 4 else _IPV6_BYTES
        return _Connection(ip_bytes + _TCP_BYTES + _TIMESTAMPS_BYTES * met.info.has_timestamps)


@dataclass
class _Connection:
    """A connection since the last look: what each of its segments adds, ``None`` where it does not count."""

    header_bytes: int | None
    _last: TcpInfo = field(default=TcpInfo(0, False, 0, 0, 0, 0, 0))

    def moved(self, info: TcpInfo) -> tuple[int, int]:
        """The bytes sent and received since the last look."""
        last, self._last = self._last, info
        if self.header_bytes is None:
            return 0, 0
        sent_segments = (info.sent_segments - last.sent_segments) % _SEGMENTS
        received_segments = (info.received_segments - last.received_segments) % _SEGMENTS
        return (
            info.sent_bytes - last.sent_bytes + sent_segments * self.header_bytes,
            info.received_bytes - last.received_bytes + received_segments * self.header_bytes,
        )


def _address(name: Any) -> Address:
    """The IP address in a socket's name; an IPv4 one where IPv6 only wraps it."""
    address = ip_address(name[0])
    return getattr(address, "ipv4_mapped", None) or address
