"""The tickets and invitations that a person was given, and the one of them that lets them into a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from core.files.json_file import JsonFile
from core.run.steering.authority import RunAuthority
from core.tickets.invitation_text import MAX_CHARACTERS, Given, GivenTicket, InvitationSecret, read_text
from core.tickets.ticket import Flaw, Invitation, Ticket, TicketError, invitation_of, ticket_in

MOST_KEPT = 32
_Text = Annotated[str, Meta(max_length=MAX_CHARACTERS)]


@dataclass(frozen=True)
class Pass:
    """What lets a person into a run ``until`` then: a ``ticket``, or the ``secret`` of an invitation to redeem first.

    With neither, ``flaw`` is what is wrong with the one that they were given last; empty where they were given none.
    """

    until: float | None = None
    ticket: bytes = b""
    secret: InvitationSecret | None = None
    flaw: Flaw | None = None

    @property
    def is_valid(self) -> bool:
        """Whether the run takes whoever has it."""
        return bool(self.ticket) or self.secret is not None


class Wallet:
    """The file, for its owner only; one that is damaged is quarantined and counts as empty."""

    def __init__(self, path: Path) -> None:
        self._file: JsonFile[tuple[_Text, ...]] = JsonFile(path, tuple[_Text, ...])

    def add(self, text: str) -> None:
        """Keep what somebody was given, if anything; what that is worth is seen when a run is found. Raises OSError."""
        if not text:
            return
        kept = text[:MAX_CHARACTERS]
        others = tuple(each for each in self._texts() if each != kept)
        self._file.write((*others, kept)[-MOST_KEPT:])

    def pass_for(self, run_id: str, authority: RunAuthority, holder: str, now: float) -> Pass:
        """The ticket that lasts longest; without any, the invitation that does; see `ticket_in`."""
        return best_pass(self._given(), run_id, authority, holder, now)

    def _given(self) -> list[Given | None]:
        return [_read(text) for text in self._texts()]

    def _texts(self) -> tuple[str, ...]:
        return self._file.load() or ()


def _read(text: str) -> Given | None:
    try:
        return read_text(text)
    except TicketError:
        return None


def best_pass(given: Iterable[Given | None], run_id: str, authority: RunAuthority, holder: str, now: float) -> Pass:
    """The best of those that were given, the last of them the newest; ``None`` is one that cannot be read."""
    passes = [_pass_of(each, run_id, authority, holder, now) for each in given]
    valid = [each for each in passes if each.is_valid]
    if valid:
        return max(valid, key=lambda each: (bool(each.ticket), each.until or 0.0))
    ended = [each for each in passes if each.flaw == "ended"]  # of this very run
    return (ended or passes or [Pass()])[-1]


def _pass_of(given: Given | None, run_id: str, authority: RunAuthority, holder: str, now: float) -> Pass:
    try:
        if given is None:
            raise TicketError("unreadable")
        if isinstance(given, GivenTicket):
            return Pass(_ticket(given, run_id, authority, holder, now).until, ticket=given.ticket)
        return Pass(_invitation(given, run_id, authority, now).until, secret=given)
    except TicketError as error:
        return Pass(error.until, flaw=error.flaw)


def _ticket(given: GivenTicket, run_id: str, authority: RunAuthority, holder: str, now: float) -> Ticket:
    return ticket_in(given.ticket, holder, run_id, authority, now)


def _invitation(secret: InvitationSecret, run_id: str, authority: RunAuthority, now: float) -> Invitation:
    """The invitation that may still be redeemed; raises TicketError."""
    invitation = invitation_of(secret.grant, authority, run_id)
    if invitation.key != secret.identity.peer_id:
        raise TicketError("forged")
    if invitation.until < now:
        raise TicketError("ended", invitation.until)
    return invitation
