"""libp2p's AutoNAT, version 1: ask a peer to dial us over a new connection, and read its answer.

Every p2pd answers it. The protocol is https://github.com/libp2p/specs/tree/master/autonat: one protobuf message each
way on a stream, each after its length as a varint.

WORKAROUND H33: hivemind's own ``rpc_ping`` with ``validate=True`` says "available" behind any router, because libp2p
uses the connection again that we made.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import psutil
from hivemind.p2p import P2P, PeerID
from hivemind.p2p.p2p_daemon_bindings.utils import P2PDaemonError
from hivemind.utils.multiaddr import Multiaddr

from core.run.multiaddr import readable_multiaddrs

PROTOCOL = "/libp2p/autonat/1.0.0"
MAX_ANSWER_BYTES = 4096
_DIAL, _PEER, _DIAL_RESPONSE = 2, 1, 3  # numbers of the protocol's fields
log = logging.getLogger(__name__)
_OK, _DIAL_ERROR = 0, 100  # what a peer says that has tried; all else means that it has not


@dataclass(frozen=True)
class Answer:
    """What one peer answers; ``address`` is where it reached us, as a multiaddr."""

    verdict: Literal["reached", "failed", "unknown"]
    address: str = ""


UNKNOWN = Answer("unknown")


def own_hosts() -> frozenset[str]:
    """The IP addresses of this computer's interfaces."""
    return frozenset(each.address for interface in psutil.net_if_addrs().values() for each in interface)


def is_plausible(address: str, asked: Sequence[Multiaddr], own: Container[str]) -> bool:
    """Whether a peer that was asked to dial us there can have reached us at that ``address``.

    It has to be one of those that we asked about. Only a router's public host may be new to us, before the same port:
    so where we asked about none of that kind (IPv4, IPv6) that is among our ``own`` ones. The router may have another
    one by now than that which we announce.
    """
    told = readable_multiaddrs(str(each) for each in asked)
    for said in readable_multiaddrs([address]):
        same_kind = [each for each in told if each.host_protocol == said.host_protocol]
        is_behind_router = said.is_public and not any(each.is_public and each.host in own for each in same_kind)
        hosts = {said.host} if is_behind_router else {each.host for each in same_kind if not each.is_loopback}
        doors = {(each.transport, each.port) for each in same_kind if is_behind_router or each.host == said.host}
        return said.relay_id is None and said.host in hosts and (said.transport, said.port) in doors
    return False


async def ask(p2p: P2P, peer: PeerID, addresses: Sequence[Multiaddr]) -> Answer:
    """Have a peer that we are connected to dial us at those addresses.

    Their host is replaced by the one that the peer sees of us, as the specification wants it. An answer that names
    another address than can come of that is unknown.
    """
    try:
        _info, reader, writer = await p2p.call_binary_stream_handler(peer, PROTOCOL)
        with contextlib.closing(writer):
            request = dial_request(p2p.peer_id.to_bytes(), [address.to_bytes() for address in addresses])
            writer.write(_varint(len(request)) + request)
            await writer.drain()
            size = 0
            for shift in range(0, 21, 7):
                byte = (await reader.readexactly(1))[0]
                size |= (byte & 0x7F) << shift
                if byte < 0x80:
                    break
            if size > MAX_ANSWER_BYTES:
                return UNKNOWN
            message = await reader.readexactly(size)
    except (P2PDaemonError, EOFError, OSError) as error:
        log.info("%s says nothing: %r", peer, error)
        return UNKNOWN
    if (answer := read_answer(message)) == UNKNOWN:
        log.info("%s does not say whether it can reach us: %r", peer, message)
    if answer.verdict == "reached" and not is_plausible(answer.address, addresses, own_hosts()):
        log.warning("%s says that it has reached us at %s, where we are not", peer, answer.address)
        return UNKNOWN
    return answer


def dial_request(peer_id: bytes, addresses: Sequence[bytes]) -> bytes:
    """The message that asks to be dialled; addresses in libp2p's binary form."""
    peer = b"".join([_field(1, peer_id), *(_field(2, address) for address in addresses)])
    return b"\x08\x00" + _field(_DIAL, _field(_PEER, peer))


def read_answer(message: bytes) -> Answer:
    """The answer in a message, whatever a stranger may have sent."""
    try:
        response = dict(_fields(message)).get(_DIAL_RESPONSE)
        if not isinstance(response, bytes):
            return UNKNOWN
        fields = dict(_fields(response))
        status, address = fields.get(1, _OK), fields.get(3)
        if status == _OK and isinstance(address, bytes):
            return Answer("reached", str(Multiaddr(address)))
    except Exception:  # the multiaddr library raises all sorts of them
        return UNKNOWN
    return Answer("failed") if status == _DIAL_ERROR else UNKNOWN


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*encoded, number])


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a protobuf message with their numbers; raises ValueError or IndexError if it is none."""
    at = 0

    def varint() -> int:
        nonlocal at
        number = shift = 0
        while True:
            byte = message[at]
            at, number, shift = at + 1, number | (byte & 0x7F) << shift, shift + 7
            if byte < 0x80:
                return number

    while at < len(message):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        elif tag & 7 == 2:
            size = varint()
            if size > len(message) - at:
                raise ValueError("a field that does not end")
            yield tag >> 3, message[at : at + size]
            at += size
        else:
            raise ValueError("a kind of field that this protocol does not have")
