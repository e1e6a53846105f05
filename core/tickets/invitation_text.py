"""What a volunteer is given, as letters and digits that fit into a link: a ticket, or the secret of an invitation."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Annotated

import msgspec
from msgspec import Meta

from core.run.address import MAX_INVITATION_CHARACTERS
from core.schema import UNREADABLE, StrictStruct
from core.security.identity import Identity
from core.tickets.ticket import MAX_TICKET_BYTES, Grant, TicketError

MAX_CHARACTERS = MAX_INVITATION_CHARACTERS
SEED_BYTES = 32
_FORM = re.compile(rf"[A-Za-z0-9_-]{{1,{MAX_CHARACTERS}}}\Z")


class InvitationSecret(StrictStruct, frozen=True, tag="invitation"):
    """A signed invitation, and the seed of its private key (Ed25519); whoever has both may redeem it."""

    grant: Grant
    seed: Annotated[bytes, Meta(min_length=SEED_BYTES, max_length=SEED_BYTES)]

    def __repr__(self) -> str:
        """Without the secret, which may be in no log."""
        return "InvitationSecret(…)"

    @property
    def identity(self) -> Identity:
        """The key pair of the invitation, made of the seed."""
        return Identity.from_seed(self.seed)


class GivenTicket(StrictStruct, frozen=True, tag="ticket"):
    """A signed ticket, which is of no use to anybody but its holder."""

    ticket: Annotated[bytes, Meta(max_length=MAX_TICKET_BYTES)]


Given = InvitationSecret | GivenTicket


_decoder: msgspec.msgpack.Decoder[Given] = msgspec.msgpack.Decoder(InvitationSecret | GivenTicket)


def text_of(given: Given) -> str:
    """Letters, digits, - and _ (base64url, RFC 4648) that ``read_text`` reads."""
    return base64.urlsafe_b64encode(msgspec.msgpack.encode(given)).decode().rstrip("=")


def read_text(text: str) -> Given:
    """What somebody was given; raises TicketError for what is neither. No signature is verified here."""
    text = "".join(text.split())
    if not _FORM.match(text):
        raise TicketError("unreadable")
    try:
        encoded = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        return _decoder.decode(encoded)
    except (binascii.Error, *UNREADABLE) as error:
        raise TicketError("unreadable") from error
