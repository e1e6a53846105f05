"""The gate of a run: with whom this peer has to do, by the organiser's block list and, in a closed run, by tickets."""

from __future__ import annotations

import dataclasses
import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from core.errors import ErrorKind
from core.localizable import localized
from core.protocol.events import Failed
from core.run.manifest import RunManifest
from core.run.steering.authority import RunAuthority
from core.tickets.ticket import TicketError, invitation_key, ticket_in
from core.worker.process.channel import WorkerChannel
from core.worker.swarm import Admissions, BarredPeers, Swarm, SwarmOptimizer, peer_ids, serve_redemptions

if TYPE_CHECKING:
    from hivemind.p2p import PeerID

POLL_SECONDS = 3.0

log = logging.getLogger(__name__)


class RunGate:
    """Whom we let into the run, and who is ``barred`` from it.

    These are the ``blocked``, and ``also_barred`` is who is too old, or was found out. Both and the ``authority`` are
    replaced from other threads as a whole. The ``ticket`` is our own, verified; organiser and keepers need none.
    """

    def __init__(self, swarm: Swarm, manifest: RunManifest, authority: RunAuthority, ticket: bytes) -> None:
        self._swarm, self._run_id, self._ticket = swarm, manifest.run.id, ticket
        self.is_closed = manifest.access.tickets
        self.authority, self.blocked, self.also_barred = authority, frozenset[str](), frozenset[str]()
        self._admissions = Admissions(swarm, self._run_id, authority) if self.is_closed else None
        self._admitted: Mapping[PeerID, bytes] | None = None
        self._until, self._invitation = float("inf"), ""
        if ticket:
            own = ticket_in(ticket, swarm.peer_id, self._run_id, authority, now=0.0)
            self._until, self._invitation = own.until, invitation_key(own)

    def show_ticket(self, start_thread: Callable[[str, Callable[[], None]], object]) -> None:
        """Show our ticket to all who are in a closed run, and look who else is there."""
        if self._admissions is None:
            return
        self._admissions.publisher(self._ticket).start(start_thread)
        if self._swarm.peer_id in self.authority.signers:
            serve_redemptions(self._swarm, self.authority, self._run_id)
        self._look()

    @property
    def barred(self) -> BarredPeers:
        """With whom we have nothing to do at present."""
        return BarredPeers(peer_ids(self.blocked | self.also_barred), self._admitted)

    def is_barred(self, peer: str) -> bool:
        """Whether we have nothing to do with the peer of that id; quicker than `barred` where many are blocked."""
        if peer in self.blocked or peer in self.also_barred:
            return True
        of_tickets = BarredPeers(admitted=self._admitted)
        return any(each in of_tickets for each in peer_ids(frozenset({peer})))

    @property
    def is_own_blocked(self) -> bool:
        """Whether the organiser has blocked this computer, or the invitation by which it came."""
        return bool({self._swarm.peer_id, self._invitation} & self.blocked)

    def run(self, optimizer: SwarmOptimizer, channel: WorkerChannel, leaving: threading.Event) -> None:
        """Let in who shows a ticket, and nobody whose ticket has ended; leave when ours has, or counts no longer."""
        while self._admissions is not None and not leaving.wait(POLL_SECONDS):
            before = self._admitted
            self._look()
            if self._admitted != before:
                log.info("%d peers are admitted to the run", len(self._admitted or ()))
                optimizer.bar(self.barred)
            if (failed := self._why_we_leave()) is not None:
                channel.emit(failed)
                channel.leave()
                return

    def _why_we_leave(self) -> Failed | None:
        """Why nobody lets us in any more: a successor's ticket ends with its time as the leader, if that is over."""
        if self._until < time.time():
            return Failed(problem=ErrorKind.INVITATION_ENDED.key)
        peer_id, authority = self._swarm.peer_id, self.authority
        if peer_id in authority.signers:
            return None
        try:
            ticket_in(self._ticket, peer_id, self._run_id, authority, now=0.0)
        except TicketError:
            return Failed(problem=ErrorKind.NOT_INVITED.key, detail=localized("Your key: %1.", peer_id))
        return None

    def _look(self) -> None:
        if self._admissions is not None:
            self._admitted = self._admissions.poll(self.authority, self.blocked)


def enter_gate(
    swarm: Swarm,
    manifest: RunManifest,
    authority: RunAuthority,
    ticket: bytes,
    start_thread: Callable[[str, Callable[[], None]], object],
) -> tuple[RunGate, Swarm]:
    """The gate of that run, and the swarm as it is for a run in which nobody is but those whom the gate lets in."""
    gate = RunGate(swarm, manifest, authority, ticket)
    gate.show_ticket(start_thread)
    return gate, dataclasses.replace(swarm, barred=gate.barred)
