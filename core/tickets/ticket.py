"""A ticket: the organiser of a closed run signs that the holder of a peer id may take part until a time.

A grant is a ticket for nobody in particular: the organiser signs that whoever holds the key of an invitation may give
so many tickets away. A keeper of the run may turn it into a ticket, too, and into nothing else.
"""

from __future__ import annotations

import contextlib
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from core.run.manifest import KeeperId, RunId
from core.run.signed_record import sign_record, signed_value
from core.run.steering.authority import RunAuthority
from core.schema import StrictStruct, decode_message
from core.security.identity import Identity

MAX_TICKET_BYTES = 2048
MAX_GRANT_BYTES = 1024
MOST_USES = 10_000
CLOCK_TOLERANCE_SECONDS = 60.0  # for which others still take a ticket that has ended
_TICKET = b"workerbee run ticket 1:"
_GRANT = b"workerbee run invitation 1:"

Until = Annotated[float, Meta(gt=0, le=2**33)]
"""Seconds since 1970."""
Grant = Annotated[bytes, Meta(max_length=MAX_GRANT_BYTES)]
Flaw = Literal["unreadable", "other_run", "other_key", "forged", "ended"]


class TicketError(ValueError):
    """A ticket or an invitation is none for us, and why; one that has ``ended`` says when."""

    def __init__(self, flaw: Flaw, until: float | None = None) -> None:
        super().__init__(flaw)
        self.flaw: Flaw = flaw
        self.until = until


class Invitation(StrictStruct, kw_only=True, frozen=True):
    """What an organiser grants to whoever holds the private half of ``key``, a peer id: so many tickets."""

    run_id: RunId
    organiser: KeeperId
    key: KeeperId
    uses: Annotated[int, Meta(ge=1, le=MOST_USES)]
    until: Until


class Ticket(StrictStruct, kw_only=True, frozen=True):
    """The ``holder``, a peer id, may take part in the run; ``grant`` is the signed invitation that it comes of."""

    run_id: RunId
    organiser: KeeperId
    holder: KeeperId
    until: Until
    grant: Grant = b""


class SignedTicket(StrictStruct, frozen=True):
    """A ticket's signed bytes and the peer id that has signed them."""

    signer: KeeperId
    record: Annotated[bytes, Meta(max_length=MAX_TICKET_BYTES)]


def sign_invitation(invitation: Invitation, organiser: Identity) -> bytes:
    """The invitation in the form in which it will be read, signed."""
    return sign_record(_GRANT, msgspec.msgpack.encode(invitation), organiser)


def invitation_in(grant: bytes, organiser: str, run_id: str) -> Invitation:
    """What that organiser has granted for the run; raises TicketError for anything else. Its end is not looked at."""
    invitation = signed_value(_GRANT, grant, organiser, MAX_GRANT_BYTES, Invitation)
    if invitation is None or invitation.organiser != organiser:
        raise TicketError("forged")
    if invitation.run_id != run_id:
        raise TicketError("other_run")
    return invitation


def sign_ticket(ticket: Ticket, signer: Identity) -> bytes:
    """The ticket in the form in which it will be read, signed by the organiser or by a keeper."""
    record = sign_record(_TICKET, msgspec.msgpack.encode(ticket), signer)
    return msgspec.msgpack.encode(SignedTicket(signer.peer_id, record))


def invitation_of(grant: bytes, authority: RunAuthority, run_id: str) -> Invitation:
    """What anybody who leads the run, or has led it, has granted; raises TicketError for anything else."""
    for leader in authority.line[1:]:
        with contextlib.suppress(TicketError):
            return invitation_in(grant, leader, run_id)
    return invitation_in(grant, authority.organiser, run_id)


def ticket_in(encoded: bytes, holder: str, run_id: str, authority: RunAuthority, now: float) -> Ticket:
    """The ticket of that holder for the run, which somebody has signed who leads it or has led it, or a keeper.

    Raises TicketError for what is forged, for another run or key, or has ended before ``now``, in seconds since 1970.
    """
    signed = _signed(encoded)
    if signed.signer not in authority.signers:
        raise TicketError("other_run" if _names_another(signed, authority) else "forged")
    ticket = signed_value(_TICKET, signed.record, signed.signer, MAX_TICKET_BYTES, Ticket)
    if ticket is None or ticket.organiser not in authority.line:
        raise TicketError("forged")
    if ticket.run_id != run_id:
        raise TicketError("other_run")
    if ticket.holder != holder:
        raise TicketError("other_key")
    if signed.signer != ticket.organiser or ticket.grant:
        _require_granted(ticket)
    if ticket.until < now:
        raise TicketError("ended", ticket.until)
    return ticket


def invitation_key(ticket: Ticket) -> str:
    """The key of the invitation that a verified ticket comes of, a peer id; empty for a personal one."""
    return invitation_in(ticket.grant, ticket.organiser, ticket.run_id).key if ticket.grant else ""


def _signed(encoded: bytes) -> SignedTicket:
    try:
        return decode_message(encoded, SignedTicket, MAX_TICKET_BYTES)
    except ValueError as error:
        raise TicketError("unreadable") from error


def _names_another(signed: SignedTicket, authority: RunAuthority) -> bool:
    """Whether it is a whole ticket of another organiser's run, which its person has taken for one of this."""
    ticket = signed_value(_TICKET, signed.record, signed.signer, MAX_TICKET_BYTES, Ticket)
    return ticket is not None and ticket.organiser not in authority.signers


def _require_granted(ticket: Ticket) -> None:
    """A ticket that comes of an invitation ends with that at the latest; raises TicketError."""
    if ticket.until > invitation_in(ticket.grant, ticket.organiser, ticket.run_id).until:
        raise TicketError("forged")
