"""A run as a volunteer finds it, with what its organiser asks of all peers at present."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.errors import ErrorKind, UserError
from core.protocol.events import RunFound
from core.run.manifest import RunManifest
from core.run.signed_manifest import SignedManifest
from core.run.steering.authority import RunAuthority
from core.run.steering.control_value import ControlValue, Order, newer_of, overlaid
from core.run.steering.data_change import signed_changes
from core.run.steering.edit import edits_of
from core.run.steering.rollback import Rollback, swarm_id
from core.tickets.wallet import Wallet
from core.worker.access.invitation import access_to
from core.worker.roles.steering.follower import version_error
from core.worker.swarm import AuthorityReader, FoundManifests, Swarm, control_now, peers_in, swarm_loss

MOST_STEERED = 4  # of which their control values are looked for before anything is agreed to


@dataclass(frozen=True)
class FoundRun:
    """A run that may be joined; ``signed`` is absent where the manifest is a local file.

    ``control`` is what is asked of all peers by whoever leads it, if that is anything; ``led`` says who does, once that
    is known.
    """

    manifest: RunManifest
    signed: SignedManifest | None = None
    control: ControlValue | None = None
    led: RunAuthority | None = None

    @property
    def organiser(self) -> str:
        """The peer id of who has signed it; empty where nobody has."""
        return self.signed.organiser if self.signed else ""

    @property
    def authority(self) -> RunAuthority:
        """Who may sign for it, as far as it is known."""
        return self.led or RunAuthority.of(self.manifest, self.organiser)

    @property
    def rollback(self) -> Rollback | None:
        """The last rollback that its organiser has asked for."""
        return self.control.rollback if self.control else None


def steered(runs: Sequence[FoundRun], swarm: Swarm, found: FoundManifests) -> Iterator[FoundRun]:
    """These runs with what their organisers ask of all peers; without those for which we are too old.

    Of very many, that is looked for in the first only: each may name an organiser that does not answer.
    """
    for index, run in enumerate(runs):
        if index < MOST_STEERED:
            run = looked_up(run, swarm)
        if run.control is not None and (detail := version_error(run.control)):
            found.refused[run.manifest.run.id] = UserError(ErrorKind.WORKERBEE_TOO_OLD, detail)
        else:
            yield run


def looked_up(run: FoundRun, swarm: Swarm) -> FoundRun:
    """The run with who leads it now, and what that one asks of all peers."""
    if run.signed is None:
        return run
    run_id = run.manifest.run.id
    authority = AuthorityReader(swarm.dht, run_id, swarm.folder).poll(run.manifest, run.organiser)
    control = control_now(swarm, run_id, authority)
    return replace(run, led=authority, control=newer_of(run.control or control, control))


def closed_detail(run: FoundRun) -> str | None:
    """What the organiser says of a run that takes nobody; ``None`` of one that does."""
    order = run.control.order if run.control else Order()
    if order.state in ("draining", "ended"):
        return order.reason
    return run.manifest.run.notice if run.manifest.run.state != "open" else None


def found_event(run: FoundRun, swarm: Swarm, pasted: tuple[str, ...], wallet: Wallet) -> RunFound:
    """What is told of the run, with who takes part in it; ``pasted`` are peer ids that are asked in any case."""
    trains_in = swarm_id(run.manifest.run.id, run.manifest.collaboration.mode, run.rollback)
    peers = peers_in(swarm.dht, trains_in, swarm.peer_id, pasted)
    control = run.control or ControlValue(run_id=run.manifest.run.id)
    return RunFound(
        manifest=overlaid(run.manifest, control),
        organiser=run.organiser,
        vouched=run.authority.is_vouched_for(pasted),
        peers=len(peers),
        epoch=max((peer.epoch for peer in peers if not peer.client_mode), default=None),
        samples_per_second=sum(peer.samples_per_second for peer in peers) if peers else None,
        loss=swarm_loss(swarm.dht, run.manifest.run.id, pasted),
        order=control.order,
        edits=edits_of(run.manifest, control.edits),
        data_changes=signed_changes(run.manifest, control.data_changes),
        rollback=control.rollback,
        access=access_to(run.manifest, run.authority, swarm.peer_id, wallet),
    )
