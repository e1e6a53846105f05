"""How an invitation becomes a ticket: its holder proves to know the secret, a signer of the run counts and signs."""

from __future__ import annotations

import errno
import logging
import threading
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from core.files.atomic import is_quarantined
from core.files.json_file import JsonFile
from core.run.manifest import KeeperId
from core.run.steering.authority import RunAuthority
from core.schema import StrictStruct, decode_message
from core.security.identity import Identity, verify
from core.tickets.invitation_text import InvitationSecret
from core.tickets.ticket import (
    MAX_TICKET_BYTES,
    MOST_USES,
    Grant,
    Invitation,
    Ticket,
    Until,
    invitation_of,
    sign_ticket,
)

MAX_REQUEST_BYTES = 2048
MAX_ANSWER_BYTES = MAX_TICKET_BYTES + 64
KEPT_SECONDS = 24 * 3600.0  # since an invitation has ended, for a clock that is set back
MAX_FILE_BYTES = 8 * 1024 * 1024  # for some 130,000 computers
_PROOF = b"workerbee redemption 1:"
_log = logging.getLogger(__name__)

Refusal = Literal["", "refused", "used_up", "ended", "busy"]


class Redemption(StrictStruct, frozen=True):
    """``holder`` asks for a ticket; the ``proof`` is a signature by the invitation's key, for that peer id alone."""

    grant: Grant
    holder: KeeperId
    proof: Annotated[bytes, Meta(max_length=64)]


class Answer(StrictStruct, frozen=True):
    """A ticket, or why there is none."""

    ticket: Annotated[bytes, Meta(max_length=MAX_TICKET_BYTES)] = b""
    refusal: Refusal = ""


def redemption_of(secret: InvitationSecret, holder: str) -> bytes:
    """The request of that peer id, as msgpack; it does not contain the secret."""
    proof = secret.identity.sign(_PROOF + secret.grant + holder.encode())
    return msgspec.msgpack.encode(Redemption(secret.grant, holder, proof))


def answer_in(encoded: bytes) -> Answer:
    """What a signer has answered; raises ValueError for anything else."""
    return decode_message(encoded, Answer, MAX_ANSWER_BYTES)


class _Redeemed(StrictStruct, frozen=True):
    """An invitation that ends then, and the peer ids for whom it was redeemed."""

    until: Until
    holders: tuple[str, ...] = ()


class RedemptionDesk:
    """Signs tickets for those who redeem invitations of one run, and keeps on disk for whom.

    The ``identity`` is the organiser's or a keeper's; ``path`` is the file of what was redeemed, by the invitation's
    key. Nothing is redeemed that does not fit into it, nor where a damaged one was put aside, until that is deleted.
    """

    def __init__(self, identity: Identity, authority: RunAuthority, run_id: str, path: Path) -> None:
        self._identity, self.authority, self._run_id = identity, authority, run_id
        self._file: JsonFile[dict[str, _Redeemed]] = JsonFile(path, dict[str, _Redeemed], max_bytes=MAX_FILE_BYTES)
        self._lock = threading.Lock()

    def answer(self, encoded: bytes, sender: str, now: float) -> bytes:
        """The answer, as msgpack, to what the ``sender``, an authenticated peer id, has sent; never raises."""
        try:
            return msgspec.msgpack.encode(self._answer(encoded, sender, now))
        except ValueError:
            return msgspec.msgpack.encode(Answer(refusal="refused"))
        except OSError as error:  # what is not counted is not signed
            _log.warning("nothing is redeemed: %r", error)
            return msgspec.msgpack.encode(Answer(refusal="busy"))

    def _answer(self, encoded: bytes, sender: str, now: float) -> Answer:
        """Raises ValueError for what is no request or invitation, and OSError where the disk refuses."""
        asked = decode_message(encoded, Redemption, MAX_REQUEST_BYTES)
        invitation = invitation_of(asked.grant, self.authority, self._run_id)
        is_proven = verify(invitation.key, _PROOF + asked.grant + asked.holder.encode(), asked.proof)
        if asked.holder != sender or not is_proven:
            return Answer(refusal="refused")
        if invitation.until < now:
            return Answer(refusal="ended")
        if not self._is_counted(invitation, asked.holder, now):
            return Answer(refusal="used_up")
        ticket = Ticket(
            run_id=self._run_id,
            organiser=invitation.organiser,
            holder=asked.holder,
            until=invitation.until,
            grant=asked.grant,
        )
        return Answer(ticket=sign_ticket(ticket, self._identity))

    def _is_counted(self, invitation: Invitation, holder: str, now: float) -> bool:
        """Count that holder, unless it is counted already; false where the invitation is used up. Raises OSError."""
        with self._lock:
            redeemed = {key: each for key, each in self._read().items() if each.until > now - KEPT_SECONDS}
            known = redeemed.get(invitation.key, _Redeemed(invitation.until))
            if holder in known.holders:
                return True
            if len(known.holders) >= min(invitation.uses, MOST_USES):
                return False
            until = max(known.until, invitation.until)
            self._file.write(redeemed | {invitation.key: _Redeemed(until, (*known.holders, holder))})
            return True

    def _read(self) -> dict[str, _Redeemed]:
        """What was redeemed; raises OSError, also where it was more than is known any more."""
        redeemed = self._file.read()
        if redeemed is None and is_quarantined(self._file.path):
            raise FileNotFoundError(errno.ENOENT, "a damaged file was put aside", str(self._file.path))
        return redeemed or {}
