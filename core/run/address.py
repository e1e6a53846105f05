"""The parser of pasted addresses: where a run's first peers are, read as forgivingly as is safe.

Multiaddrs with anything around them, whole terminal lines, or a link ``workerbee://join?peer=…&run=…``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NoReturn
from urllib.parse import parse_qsl, quote

from core.errors import ErrorKind, UserError
from core.localizable import LocalizedText, localized
from core.run.multiaddr import HOST_PROTOCOLS, Multiaddr, MultiaddrError, no_port_error

MAX_CHARACTERS = 64 * 1024
MAX_PEERS = 64

_GOOD = "/ip4/203.0.113.5/tcp/31337/p2p/12D3KooW…"
_GOOD_LINK = "workerbee://join?peer=%2Fip4%2F203.0.113.5%2Ftcp%2F31337%2Fp2p%2F12D3KooW…"
_HOSTS = "|".join(HOST_PROTOCOLS)
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
MAX_INVITATION_CHARACTERS = 4096
_INVITATION = re.compile(rf"[A-Za-z0-9_-]{{1,{MAX_INVITATION_CHARACTERS}}}")
_SECRET = re.compile(r"(invitation=)[^&\s]+")
_BARE_INVITATION = re.compile(r"(?<![?&\w])invitation=([A-Za-z0-9_-]+)")
_HOST_AND_PORT = re.compile(r"(?<![\w./-])[\w.-]{1,253}:\d{1,5}\b")
_BARE_PEER_ID = re.compile(r"\b(?:12D3KooW|Qm|16Uiu2HA)[1-9A-HJ-NP-Za-km-z]{30,}\b")


class UnreadableAddress(UserError):  # noqa: N818
    """A pasted text cannot be read: which piece of it, why, and what a good one looks like."""

    def __init__(self, piece: str, reason: LocalizedText, good: str = _GOOD) -> None:
        self.piece, self.reason, self.good = _shown(piece), _shown_reason(reason), good
        said = localized("“%1”: %2", self.piece, self.reason) if self.piece else self.reason
        super().__init__(ErrorKind.ADDRESS_UNREADABLE, localized("%1; a good one looks like %2", said, good))


@dataclass(frozen=True)
class JoinAddress:
    """Multiaddrs of a run's peers, each ending in ``/p2p/<peer id>``; and the run, if the text names one.

    ``invitation`` is what came with it, for a closed run: a ticket, or a secret that is shown and logged nowhere.
    """

    peers: tuple[Multiaddr, ...]
    run_id: str | None = None
    invitation: str = field(default="", repr=False)

    @classmethod
    def parse(cls, text: str) -> JoinAddress:
        """The address in a pasted text; raises UnreadableAddress, and nothing else."""
        if len(text) > MAX_CHARACTERS:
            raise UnreadableAddress("", localized("this is %1 characters long, and that is not an address", len(text)))
        text = _NOISE.sub(" ", text).replace("&amp;", "&")
        links = [_read_link(link) for link in _LINK.findall(text)]
        pieces = _multiaddrs_in(_LINK.sub(" ", text))
        if not links and not pieces:
            _refuse(text)
        peers = [peer for link_peers, _ in links for peer in link_peers]
        peers += [_read_multiaddr(piece) for piece in pieces]
        runs = [run for _, run in links if run] + _RUN_OPTION.findall(_LINK.sub(" ", text))
        return cls(_bounded(peers), _only(runs), _only_invitation(text))

    @property
    def peer_ids(self) -> tuple[str, ...]:
        """The peers at the end of the addresses, each once."""
        return peer_ids_of(self.peers)

    @property
    def link(self) -> str:
        """The address as one ``workerbee:`` link, which ``parse`` reads again; without the invitation."""
        return self._link_with([])

    @property
    def secret_link(self) -> str:
        """The same with the invitation, for whoever is invited."""
        return self._link_with([("invitation", self.invitation)] if self.invitation else [])

    def _link_with(self, more: list[tuple[str, str]]) -> str:
        fields: list[tuple[str, str]] = [("peer", peer) for peer in self.peers]
        if self.run_id is not None:
            fields.append(("run", self.run_id))
        fields += more
        return "workerbee://join?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in fields)


def peer_ids_of(addresses: Iterable[Multiaddr]) -> tuple[str, ...]:
    """The peers that may answer at these addresses, each once."""
    return tuple(dict.fromkeys(address.peer_id for address in addresses if address.peer_id is not None))


def _shortened(text: str) -> str:
    """Enough of a pasted text to know it by, without an invitation."""
    text = _SECRET.sub(r"\1…", text.strip())
    return text if len(text) <= 80 else f"{text[:60]}…{text[-16:]}"


def _shown(text: str) -> str:
    """The text, shortened and without anything that a terminal would obey."""
    return "".join(character if character.isprintable() else "�" for character in _shortened(text))


def _shown_reason(reason: LocalizedText) -> LocalizedText:
    """The sentence, with each of its blanks as it may be shown."""
    blanks = (_shown_reason(each) if isinstance(each, LocalizedText) else _shown(each) for each in reason.blanks)
    return LocalizedText(reason.sentence, tuple(blanks))


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


def _bounded(peers: list[Multiaddr]) -> tuple[Multiaddr, ...]:
    distinct = tuple(dict.fromkeys(peers))
    if len(distinct) > MAX_PEERS:
        raise UnreadableAddress(
            "",
            localized(
                "these are %1 addresses, and %2 are the most; the first few are enough", len(distinct), MAX_PEERS
            ),
        )
    return distinct


def _only(runs: list[str]) -> str | None:
    """The one run that is named, if any is."""
    distinct = list(dict.fromkeys(runs))
    for run in distinct:
        if not re.fullmatch(_RUN, run):
            raise UnreadableAddress(run, localized("this is not a run's name"), good="my-run_1")
    if len(distinct) > 1:
        raise UnreadableAddress(
            ", ".join(distinct), localized("these are several runs; join one of them"), good=_GOOD_LINK
        )
    return distinct[0] if distinct else None


def _only_invitation(text: str) -> str:
    """The invitation in the links of a text, or beside them; empty where there is none. Several are too many."""
    queries = [link.rstrip(".:!?*…").partition("?")[2].partition("#")[0] for link in _LINK.findall(text)]
    found = [value.strip() for query in queries for name, value in parse_qsl(query) if name == "invitation"]
    distinct = dict.fromkeys([*found, *_BARE_INVITATION.findall(_LINK.sub(" ", text))])
    if len(distinct) > 1:
        raise UnreadableAddress("", localized("these are %1 invitations; paste one of them", len(distinct)))
    invitation = next(iter(distinct), "")
    if invitation and not _INVITATION.fullmatch(invitation):
        raise UnreadableAddress("", localized("the invitation in it is damaged; copy the whole link again"))
    return invitation


def _read_link(link: str) -> tuple[list[Multiaddr], str | None]:
    """The peers and the run in ``workerbee://join?peer=…&run=…``; other fields are passed over."""
    head, _, query = link.rstrip(".:!?*…").partition("?")
    if not re.fullmatch(r"workerbee:/*join/*", head, re.IGNORECASE):
        raise UnreadableAddress(link, localized("this link is none to join a run"), good=_GOOD_LINK)
    fields = parse_qsl(query.partition("#")[0])
    peers = [_read_multiaddr(value.strip()) for name, value in fields if name == "peer"]
    if not peers:
        raise UnreadableAddress(link, localized("this link names no peer"), good=_GOOD_LINK)
    return peers, _only([value.strip() for name, value in fields if name == "run"])


def _read_multiaddr(piece: str) -> Multiaddr:
    """The address of one peer that can be dialled."""
    try:
        address = Multiaddr(piece)
        _require_dialable(address)
    except MultiaddrError as error:
        raise UnreadableAddress(piece, error.reason, good=error.good) from None
    return address


def _require_dialable(address: Multiaddr) -> None:
    """Raises MultiaddrError for what may be listened on, and not dialled; and where nobody is named."""
    if address.ip is not None and address.ip.is_unspecified:
        why = localized("nobody can dial %1, which means every address of the organiser's own computer", address.ip)
        raise MultiaddrError(why)
    if address.ip is not None and (address.ip.is_multicast or address.host == "255.255.255.255"):
        raise MultiaddrError(localized("%1 is not the address of one computer", address.ip))
    if address.port == 0:
        raise no_port_error(0)
    if address.peer_id is None:
        raise MultiaddrError(localized("it ends without /p2p/ and the peer id, so it does not say who is there"))


def _refuse(text: str) -> NoReturn:
    """Say what a text without any address seems to be instead."""
    words = text.split(maxsplit=1)
    if not words:
        raise UnreadableAddress("", localized("nothing was pasted"))
    if found := _WEB_LINK.search(text):
        raise UnreadableAddress(found[0], localized("this is a web link, not where a peer of the run is"))
    if found := _BARE_PEER_ID.search(text):
        raise UnreadableAddress(found[0], localized("this is a peer id alone, and does not say where the peer is"))
    if found := _HOST_AND_PORT.search(text):
        raise UnreadableAddress(found[0], localized("this does not say which peer is there: the peer id is missing"))
    raise UnreadableAddress(words[0], localized("this is not an address"))
