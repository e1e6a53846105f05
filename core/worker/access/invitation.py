"""Whether this computer may take part in a closed run, and the ticket with which it does."""

from __future__ import annotations

import time
from typing import get_args

from core.errors import ErrorKind, UserError
from core.localizable import Detail, localized
from core.protocol.access import RunAccess
from core.run.manifest import RunManifest
from core.run.steering.authority import RunAuthority
from core.tickets.invitation_text import GivenTicket, InvitationSecret, text_of
from core.tickets.redemption import Refusal, redemption_of
from core.tickets.ticket import TicketError, ticket_in
from core.tickets.wallet import Pass, Wallet
from core.worker.swarm import Swarm, redeem

_REFUSALS: dict[Refusal, tuple[ErrorKind, Detail]] = {
    "refused": (ErrorKind.NOT_INVITED, localized("The organiser's computer has refused the invitation.")),
    "used_up": (ErrorKind.NOT_INVITED, localized("This invitation has been used as often as its organiser allows.")),
    "ended": (ErrorKind.INVITATION_ENDED, ""),
    "busy": (ErrorKind.INVITATION_UNANSWERED, localized("The organiser's computer cannot note it down at the moment.")),
}


def access_to(manifest: RunManifest, authority: RunAuthority, peer_id: str, wallet: Wallet) -> RunAccess:
    """What the client is told of a run that was found: whether it is closed, and for how long we are invited."""
    if not manifest.access.tickets:
        return RunAccess()
    if peer_id in authority.signers:
        return RunAccess(standing="invited", key=peer_id)
    found = _pass(manifest, authority, peer_id, wallet)
    if found.is_valid:
        return RunAccess(standing="invited", until=found.until, key=peer_id)
    return RunAccess(standing=found.flaw or "none", until=found.until, key=peer_id)


def obtain_ticket(swarm: Swarm, manifest: RunManifest, authority: RunAuthority, wallet: Wallet) -> bytes:
    """The ticket for a closed run, for which an invitation is redeemed if need be; empty where none is needed.

    Raises UserError for whoever is not invited, and where nobody is there to redeem the invitation.
    """
    if not manifest.access.tickets or swarm.peer_id in authority.signers:
        return b""
    if not authority.line:
        raise UserError(
            ErrorKind.NOT_INVITED, localized("A closed run is joined by the description that its organiser has signed.")
        )
    found = _pass(manifest, authority, swarm.peer_id, wallet)
    if found.secret is None and not found.ticket:
        ended = found.flaw == "ended"
        raise UserError(
            ErrorKind.INVITATION_ENDED if ended else ErrorKind.NOT_INVITED, localized("Your key: %1.", swarm.peer_id)
        )
    if found.secret is None:
        return found.ticket
    ticket = _redeemed(swarm, manifest, authority, found.secret)
    wallet.add(text_of(GivenTicket(ticket)))
    return ticket


def _pass(manifest: RunManifest, authority: RunAuthority, peer_id: str, wallet: Wallet) -> Pass:
    if not authority.line:
        return Pass()
    return wallet.pass_for(manifest.run.id, authority, peer_id, time.time())


def _redeemed(swarm: Swarm, manifest: RunManifest, authority: RunAuthority, secret: InvitationSecret) -> bytes:
    """The ticket that a signer gives for the invitation; raises UserError."""
    run_id = manifest.run.id
    answer = redeem(swarm.dht, run_id, authority.signers, redemption_of(secret, swarm.peer_id))
    if answer is None:
        raise UserError(ErrorKind.INVITATION_UNANSWERED)
    if answer.refusal:
        raise UserError(*_REFUSALS[answer.refusal])
    try:
        ticket_in(answer.ticket, swarm.peer_id, run_id, authority, time.time())
    except TicketError as error:
        raise UserError(
            ErrorKind.NOT_INVITED, localized("What the organiser's computer has signed is no ticket.")
        ) from error
    return answer.ticket


assert {*_REFUSALS, ""} == {*get_args(Refusal)}
