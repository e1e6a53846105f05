"""What a volunteer pastes: where the run's first peers are, read as forgivingly as is safe.

Multiaddrs with anything around them, whole terminal lines, or a link ``workerbee://join?peer=…&run=…``.
"""

from __future__ import annotations

import ipaddress
import re
from collections import deque
from dataclasses import dataclass
from typing import NoReturn
from urllib.parse import parse_qsl, quote

from core.errors import ErrorKind, UserError
from core.security.identity import decode_peer_id

MAX_CHARACTERS = 64 * 1024
MAX_PEERS = 64

_GOOD = "/ip4/203.0.113.5/tcp/31337/p2p/12D3KooW…"
_GOOD_LINK = "workerbee://join?peer=%2Fip4%2F203.0.113.5%2Ftcp%2F31337%2Fp2p%2F12D3KooW…"
_HOSTS = "ip4|ip6|dns4|dns6|dnsaddr|dns"
_APART = r"\s\x00-\x1f\x7f,;\"'`<>(){}\[\]|“”„‘’«»"
_NOISE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\u200b-\u200f\u2060\ufeff\u00ad]")
_MULTIADDR = re.compile(rf"(?<![A-Za-z0-9./~%-])/*(?:{_HOSTS})/[^{_APART}]*", re.IGNORECASE)
_LINK = re.compile(rf"\bworkerbee:(?=/|join\b)[^{_APART}]*", re.IGNORECASE)
_WEB_LINK = re.compile(rf"\bhttps?://[^{_APART}]*", re.IGNORECASE)
# where somebody's own peer listens, in a line that was copied whole: not where to find it
_OWN_OPTIONS = re.compile(
    rf"--(?:host_maddrs|announce_maddrs|listen|announce)(?:[ \t=,\"'\[\]]+/?(?:{_HOSTS})/[^{_APART}]*)+"
)
_RUN = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"  # as the manifest bounds it
_RUN_OPTION = re.compile(rf"--run(?:_id)?[ \t=]+[\"']?({_RUN})(?=[\s\"']|\Z)")
_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_NAME = re.compile(rf"(?=.{{1,253}}\Z)(?:{_LABEL}\.)*{_LABEL}\.?")
_HOST_AND_PORT = re.compile(r"(?<![\w./-])[\w.-]{1,253}:\d{1,5}\b")
_BARE_PEER_ID = re.compile(r"\b(?:12D3KooW|Qm|16Uiu2HA)[1-9A-HJ-NP-Za-km-z]{30,}\b")


class UnreadableAddress(UserError):  # noqa: N818
    """Says which piece of the text cannot be read, why, and what a good one looks like.

    ``reason`` is ``template`` with its ``values``, which a window puts into a sentence of another language.
    """

    def __init__(self, piece: str, template: str, *values: object, good: str = _GOOD) -> None:
        self.piece = _printable(_shortened(piece))
        self.template, self.good = template, good
        self.values = tuple(_printable(_shortened(str(value))) for value in values)
        self.reason = template.format(*self.values)
        named = f"“{self.piece}”: " if self.piece else ""
        super().__init__(ErrorKind.ADDRESS_UNREADABLE, f"{named}{self.reason}; a good one looks like {good}")


@dataclass(frozen=True)
class JoinAddress:
    """Multiaddrs of a run's peers, each ending in ``/p2p/<peer id>``; and the run, if the text names one."""

    peers: tuple[str, ...]
    run_id: str | None = None

    @classmethod
    def parse(cls, text: str) -> JoinAddress:
        """Read what was pasted; raises UnreadableAddress, and nothing else."""
        if len(text) > MAX_CHARACTERS:
            raise UnreadableAddress("", "this is {} characters long, and that is no address", len(text))
        text = _NOISE.sub(" ", text).replace("&amp;", "&")
        links = [_read_link(link) for link in _LINK.findall(text)]
        split_placeholders = _multiaddrs_in(_LINK.sub(" ", text))
        if not links and not split_placeholders:
            _refuse(text)
        peers = [peer for link_peers, _ in links for peer in link_peers]
        peers += [_read_multiaddr(piece) for piece in split_placeholders]
        runs = [run for _, run in links if run] + _RUN_OPTION.findall(_LINK.sub(" ", text))
        return cls(_bounded(peers), _only(runs))

    @property
    def peer_ids(self) -> tuple[str, ...]:
        """Who may answer there: the peer at the end of each address, each once."""
        return tuple(dict.fromkeys(peer.rpartition("/")[2] for peer in self.peers))

    @property
    def link(self) -> str:
        """The same as one link, which ``parse`` reads again."""
        fields = [("peer", peer) for peer in self.peers]
        if self.run_id is not None:
            fields.append(("run", self.run_id))
        return "workerbee://join?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in fields)


def _shortened(text: str) -> str:
    """Enough of a pasted text to know it by."""
    text = text.strip()
    return text if len(text) <= 80 else f"{text[:60]}…{text[-16:]}"


def _printable(text: str) -> str:
    """The text without anything that a terminal would obey."""
    return "".join(character if character.isprintable() else "�" for character in text)


def _multiaddrs_in(text: str) -> list[str]:
    """The pieces of a text that are meant as addresses of others."""
    text = _OWN_OPTIONS.sub(" ", _WEB_LINK.sub(" ", text))
    return [_without_punctuation(piece) for piece in _MULTIADDR.findall(text)]


def _without_punctuation(piece: str) -> str:
    """The piece up to its last letter or digit."""
    end = len(piece)
    while end and not piece[end - 1].isalnum():
        end -= 1
    return piece[:end]


def _bounded(peers: list[str]) -> tuple[str, ...]:
    distinct = tuple(dict.fromkeys(peers))
    if len(distinct) > MAX_PEERS:
        raise UnreadableAddress(
            "",
            "these are {} addresses, and {} are the most; the first few are enough",
            len(distinct),
            MAX_PEERS,
        )
    return distinct


def _only(runs: list[str]) -> str | None:
    """The one run that is named, if any is."""
    distinct = list(dict.fromkeys(runs))
    for run in distinct:
        if not re.fullmatch(_RUN, run):
            raise UnreadableAddress(run, "this is no run's name", good="my-run_1")
    if len(distinct) > 1:
        raise UnreadableAddress(", ".join(distinct), "these are several runs; join one of them", good=_GOOD_LINK)
    return distinct[0] if distinct else None


def _read_link(link: str) -> tuple[list[str], str | None]:
    """The peers and the run in ``workerbee://join?peer=…&run=…``; other fields are passed over."""
    head, _, query = link.rstrip(".:!?*…").partition("?")
    if not re.fullmatch(r"workerbee:/*join/*", head, re.IGNORECASE):
        raise UnreadableAddress(link, "this link is none to join a run", good=_GOOD_LINK)
    fields = parse_qsl(query.partition("#")[0])
    peers = [_read_multiaddr(value.strip()) for name, value in fields if name == "peer"]
    if not peers:
        raise UnreadableAddress(link, "this link names no peer", good=_GOOD_LINK)
    return peers, _only([value.strip() for name, value in fields if name == "run"])


def _read_multiaddr(piece: str) -> str:
    """The address in its one normal form: host, then transport, then peer."""
    parts = deque(part for part in piece.split("/") if part)
    host = parts.popleft().lower() if parts else ""
    if host not in _HOSTS.split("|"):
        raise UnreadableAddress(piece, "an address begins with where the peer is: /ip4/, /ip6/ or /dns/")
    where = _read_host(piece, host, parts.popleft() if parts else "")
    transport = "" if host == "dnsaddr" and _is_peer_next(parts) else _read_transport(piece, parts)
    return where + transport + _read_peers(piece, parts)


def _read_host(piece: str, host: str, value: str) -> str:
    if host.startswith("dns"):
        if not _NAME.fullmatch(value):
            raise UnreadableAddress(piece, "“{}” is no host name", value, good="/dns4/example.org/tcp/…")
        return f"/{host}/{value.lower()}"
    version = ipaddress.IPv4Address if host == "ip4" else ipaddress.IPv6Address
    try:
        ip = version(value.replace("%", "no zone"))
    except ValueError:
        good = "/ip4/203.0.113.5/tcp/…" if host == "ip4" else "/ip6/2001:db8::5/tcp/…"
        reason = "“{}” is no IPv{} address (a name goes with /dns4/ or /dns6/)"
        raise UnreadableAddress(piece, reason, value, host[-1], good=good) from None
    if ip.is_unspecified:
        reason = "nobody can dial {}, which means every address of the organiser's own computer"
        raise UnreadableAddress(piece, reason, ip)
    if ip.is_multicast or str(ip) == "255.255.255.255":
        raise UnreadableAddress(piece, "{} is not the address of one computer", ip)
    return f"/{host}/{ip}"


def _read_transport(piece: str, parts: deque[str]) -> str:
    kind = parts.popleft().lower() if parts else ""
    if kind not in ("tcp", "udp"):
        good = "…/tcp/31337/p2p/12D3KooW…"
        if not kind:
            raise UnreadableAddress(piece, "it ends where the port should be", good=good)
        raise UnreadableAddress(piece, "“{}” stands where the port should be", kind, good=good)
    port = parts.popleft() if parts else ""
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and 1 <= int(port) <= 65535):
        reason = "“{}” is no port, which is a number from 1 to 65535"
        raise UnreadableAddress(piece, reason, port, good=f"…/{kind}/31337/…")
    return f"/{kind}/{int(port)}" + (_read_quic(piece, parts) if kind == "udp" else "")


def _read_quic(piece: str, parts: deque[str]) -> str:
    version = parts.popleft().lower() if parts else ""
    good = "…/udp/31337/quic-v1/p2p/12D3KooW…"
    if version == "quic":
        raise UnreadableAddress(piece, "the old /quic is dead, and no peer speaks it any more", good=good)
    if version != "quic-v1":
        raise UnreadableAddress(piece, "a udp port must be followed by /quic-v1", good=good)
    return "/quic-v1"


def _is_peer_next(parts: deque[str]) -> bool:
    return not parts or parts[0].lower() in ("p2p", "ipfs")


def _read_peers(piece: str, parts: deque[str]) -> str:
    """The peer, or a relay and the peer behind it."""
    peers = _read_peer(piece, parts)
    if parts and parts[0].lower() == "p2p-circuit":
        parts.popleft()
        peers += "/p2p-circuit" + _read_peer(piece, parts)
    if parts:
        raise UnreadableAddress(piece, "“{}” follows where the address should end", parts[0])
    return peers


def _read_peer(piece: str, parts: deque[str]) -> str:
    if not _is_peer_next(parts):
        reason = "“{}” stands where /p2p/ and the peer id should be"
        raise UnreadableAddress(piece, reason, parts[0])
    if len(parts) < 2:
        raise UnreadableAddress(piece, "it ends without /p2p/ and the peer id, so it does not say who is there")
    parts.popleft()
    peer_id = parts.popleft()
    try:
        decode_peer_id(peer_id)
    except ValueError as error:
        raise UnreadableAddress(piece, "the peer id {}", error) from None
    return f"/p2p/{peer_id}"


def _refuse(text: str) -> NoReturn:
    """Say what a text without any address seems to be instead."""
    words = text.split(maxsplit=1)
    if not words:
        raise UnreadableAddress("", "nothing was pasted")
    if found := _WEB_LINK.search(text):
        raise UnreadableAddress(found[0], "this is a web link, not where a peer of the run is")
    if found := _BARE_PEER_ID.search(text):
        raise UnreadableAddress(found[0], "this is a peer id alone, and does not say where the peer is")
    if found := _HOST_AND_PORT.search(text):
        raise UnreadableAddress(found[0], "this does not say which peer is there: the peer id is missing")
    raise UnreadableAddress(words[0], "this is no address")
