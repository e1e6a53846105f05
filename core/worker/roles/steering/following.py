"""How a peer follows whoever leads its run: newer manifests, and what is asked of all peers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from core.protocol.events import RunFound
from core.run.signed_manifest import SignedManifest
from core.run.steering.authority import RunAuthority
from core.run.steering.control_value import ControlValue
from core.security.known_organisers import KnownOrganisers
from core.tickets.wallet import Wallet
from core.worker.process.channel import WorkerChannel
from core.worker.process.supervisor import StartThread, Supervisor
from core.worker.roles.steering.follower import Steerable, SteeringFollower
from core.worker.roles.steering.found_run import FoundRun, found_event
from core.worker.roles.steering.leader_orders import LeaderOrders
from core.worker.roles.steering.manifest_updates import follow_manifest
from core.worker.swarm import Swarm, find_manifests, publisher_of


class Led(Steerable, Protocol):
    """A peer that trains in the run, and knows who leads it."""

    def know_authority(self, authority: RunAuthority) -> None:
        """Obey whoever leads the run by that from now on."""
        ...


class ManifestWatcher:
    """Looks for newer revisions of the run that we train in; remembers the newest one.

    ``signed`` is the manifest as it was found, and ``pasted`` are the peer ids of the address that was given.
    """

    def __init__(
        self,
        run: FoundRun,
        signed: SignedManifest,
        swarm: Swarm,
        known: KnownOrganisers,
        pasted: tuple[str, ...],
        wallet: Wallet,
    ) -> None:
        self.run, self.swarm, self._known, self._wallet = run, swarm, known, wallet
        self._publisher, self._pasted = publisher_of(swarm.dht, signed, run.manifest.run.id), pasted

    def start(self, start_thread: StartThread) -> None:
        """Help to keep the manifest in the DHT, where others can reach us; returns at once."""
        if self.swarm.mode == "direct":
            self._publisher.start(start_thread)

    def poll(self) -> RunFound | None:
        """A newer revision, which is published on if others can reach us; ``None`` if there is none."""
        run_id = self.run.manifest.run.id
        found = find_manifests(self.swarm.dht, self._pasted, ask="in turn")
        newest = found.open.get((self.run.organiser, run_id))
        if newest is None or newest[1].revision <= self.run.manifest.revision:
            return None
        signed, manifest = newest
        self.run = replace(self.run, manifest=manifest, signed=signed)
        self._known.remember(run_id, signed.organiser, manifest.revision)
        if self.swarm.mode == "direct":
            self._publisher.publish_instead(signed.to_bytes())
        return found_event(self.run, self.swarm, self._pasted, self._wallet)

    def led_by(self, authority: RunAuthority) -> None:
        """Tell of the run as it is led from now on."""
        self.run = replace(self.run, led=authority)

    def steered(self, control: ControlValue) -> RunFound:
        """The run under that control value."""
        self.run = replace(self.run, control=control)
        return found_event(self.run, self.swarm, self._pasted, self._wallet)


def follow_leader(
    watcher: ManifestWatcher,
    peer: Led,
    is_needed: Callable[[], bool],
    channel: WorkerChannel,
    supervisor: Supervisor,
) -> None:
    """Follow newer revisions of the manifest, and obey what is asked of all peers, until we leave; returns at once.

    Where others can reach us, we help to keep both in the DHT. Who is dismissed stays as long as it ``is_needed``.
    """
    watcher.start(supervisor.start)
    follow_manifest(channel, watcher.poll, supervisor)
    orders = LeaderOrders(watcher.run, watcher.swarm, peer.know_authority, channel, supervisor.start)

    def poll() -> ControlValue:
        control, authority = orders.poll(watcher.run.manifest)
        watcher.led_by(authority)
        return control

    def tell(control: ControlValue) -> None:
        channel.emit(watcher.steered(control))

    SteeringFollower(
        poll, peer, tell, channel, is_organiser=False, rollback=watcher.run.rollback, is_needed=is_needed
    ).start(supervisor.start)
