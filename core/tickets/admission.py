"""An admission: who takes part in a closed run shows its ticket to all, and says which key signs its reports.

A ticket is for a peer id, which libp2p authenticates in every connection. Reports of progress are signed by another key
(RSA), so the holder of the peer id signs that this key is its own. Nothing of it is secret.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated

import msgspec
from msgspec import Meta

from core.run.manifest import KeeperId, RunId
from core.run.signed_receipts import KeyHash
from core.run.signed_record import sign_record, signed_of_run
from core.run.steering.authority import RunAuthority
from core.schema import StrictStruct, UnixTime
from core.security.identity import Identity
from core.tickets.ticket import (
    CLOCK_TOLERANCE_SECONDS,
    MAX_TICKET_BYTES,
    TicketError,
    invitation_key,
    ticket_in,
)

MAX_ADMISSION_BYTES = 3072
MOST_KNOWN = 4096
_KIND = b"workerbee run admission 1:"


class Admission(StrictStruct, kw_only=True, frozen=True):
    """What the holder of a ticket signs ``at`` a time, in seconds since 1970; a newer one replaces it.

    ``key`` is the hash of the key that signs its reports. Organiser and keepers have no ticket.
    """

    run_id: RunId
    organiser: KeeperId
    key: KeyHash
    at: UnixTime
    ticket: Annotated[bytes, Meta(max_length=MAX_TICKET_BYTES)] = b""


@dataclass(frozen=True)
class Admitted:
    """Somebody who may take part ``until`` then, by an invitation of that key if it is not empty."""

    key: bytes
    at: float
    until: float
    invitation: str = ""


def sign_admission(admission: Admission, holder: Identity) -> bytes:
    """The admission in the form in which it will be read, signed."""
    return sign_record(_KIND, msgspec.msgpack.encode(admission), holder)


def admission_in(encoded: bytes, holder: str, run_id: str, authority: RunAuthority) -> Admitted | None:
    """What that peer id has signed, and its ticket allows; ``None`` for anything else. Its end is not looked at.

    Whose signatures of the run's epochs count needs no ticket.
    """
    told = signed_of_run(_KIND, encoded, holder, MAX_ADMISSION_BYTES, Admission, run_id)
    if told is None or told.organiser != authority.organiser:
        return None
    if holder in authority.signers and not told.ticket:
        return Admitted(told.key, told.at, float("inf"))
    try:
        ticket = ticket_in(told.ticket, holder, run_id, authority, now=0.0)
        return Admitted(told.key, told.at, ticket.until, invitation_key(ticket))
    except TicketError:
        return None


@dataclass
class AdmissionBook:
    """The newest admission of each peer id that was seen so far; each is verified once."""

    run_id: str
    authority: RunAuthority
    _newest: dict[str, Admitted] = field(default_factory=dict)
    _seen: dict[tuple[str, bytes], None] = field(default_factory=dict)

    def see(self, found: Iterable[tuple[str, bytes]]) -> None:
        """Take note of records, with the peer ids under which they were found."""
        for holder, encoded in found:
            if (holder, encoded) in self._seen or len(encoded) > MAX_ADMISSION_BYTES:
                continue
            self._seen[holder, encoded] = None
            if len(self._seen) > MOST_KNOWN:
                del self._seen[next(iter(self._seen))]
            self._add(holder, admission_in(encoded, holder, self.run_id, self.authority))

    def at(self, now: float, blocked: frozenset[str] = frozenset()) -> Mapping[str, bytes]:
        """The key hashes of those who may take part at that time, by peer id.

        A ticket holds for another minute for clocks that differ; who is ``blocked``, or whose invitation is, is none.
        """
        return {
            holder: each.key
            for holder, each in self._newest.items()
            if each.until + CLOCK_TOLERANCE_SECONDS >= now and not {holder, each.invitation} & blocked
        }

    def know_authority(self, authority: RunAuthority) -> None:
        """Believe what these have signed, and nobody else; what was seen before has to be seen again."""
        if authority != self.authority:
            self.authority = authority
            self._seen.clear()
            self._newest.clear()

    def _add(self, holder: str, admitted: Admitted | None) -> None:
        known = self._newest.get(holder)
        if admitted is None or (known is not None and known.at >= admitted.at):
            return
        self._newest[holder] = admitted
        if len(self._newest) > MOST_KNOWN:
            del self._newest[min(self._newest, key=lambda each: self._newest[each].until)]
