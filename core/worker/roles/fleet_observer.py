"""What a run's peers tell whoever watches them: an observer never trains, reports no progress and obeys nobody."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

import msgspec

from core.errors import ErrorKind, UserError
from core.localizable import localized
from core.protocol.events import RunFound, RunScored
from core.protocol.peers import FleetHealth, PeerSeen, PeersSeen, SuspectsSeen
from core.run.manifest import RunManifest
from core.run.steering.authority import RunAuthority
from core.run.steering.control_value import ControlValue, overlaid
from core.run.steering.data_change import signed_changes
from core.run.steering.edit import edits_of
from core.run.steering.rollback import is_same, least_epoch, swarm_id
from core.security.sanitize import MAX_DEVICE_CHARACTERS, MAX_NAME_CHARACTERS, sanitize_line
from core.worker.process.channel import WorkerChannel
from core.worker.swarm import (
    ACTIVITY,
    DISCLOSURES,
    HEALTH,
    NORMS,
    PEER_INFO,
    POWER,
    PROGRESS,
    SUSPECTS,
    AuthorityReader,
    BlockListReader,
    ControlReader,
    FindingsReader,
    PeerRecords,
    Swarm,
    find_manifests,
    health_of,
    norm_ratios_in,
    peers_of,
    published_scores,
    suspects_in,
    swarm_loss,
)

POLL_SECONDS = 5.0
SLOW_POLL_SECONDS = 15.0  # between two looks at what changes seldom
LOST_SECONDS = 90.0  # without any peer: after an outage, a DHT node of hivemind's may never find the others again
MOST_PEERS_TOLD = 1000  # in one event; so many fit on a line, whatever they call themselves

_UNKNOWN = FleetHealth()

log = logging.getLogger(__name__)


class FleetObserver:
    """Sends PeersSeen, SuspectsSeen and RunScored of one run; ``pasted`` are peer ids that are asked in any case."""

    def __init__(
        self, swarm: Swarm, manifest: RunManifest, organiser: str, pasted: tuple[str, ...], channel: WorkerChannel
    ) -> None:
        self._swarm, self._run_id, self._pasted, self._channel = swarm, manifest.run.id, pasted, channel
        self._manifest, self._organiser = manifest, organiser
        self._authority = RunAuthority.of(manifest, organiser)
        self._authority_reader = AuthorityReader(swarm.dht, self._run_id)
        self._block_list = BlockListReader(swarm.dht, self._run_id)
        self._health, self._records = FleetHealth(), PeerRecords()
        self._findings = FindingsReader(swarm.dht, self._run_id)
        self._control = ControlReader(swarm.dht, self._run_id, self._authority) if organiser else None
        self._steered, self._told_number = ControlValue(run_id=self._run_id), 0
        self._told_epoch, self._looked_at, self._seen_at = -1, -math.inf, time.monotonic()

    def look(self) -> None:
        """Read the records once, and send what they say."""
        dht, run_id = self._swarm.dht, self._run_id
        is_slow_due = time.monotonic() - self._looked_at > SLOW_POLL_SECONDS
        if is_slow_due and self._control is not None:
            self._authority = self._authority_reader.poll(self._manifest, self._organiser)
            self._control.authority = self._authority
            self._obey(self._control.poll())
        trains_in = swarm_id(run_id, self._manifest.collaboration.mode, self._steered.rollback)
        progress = PROGRESS.read(dht, trains_in, self._pasted)
        infos, activities = PEER_INFO.read(dht, run_id, self._pasted), ACTIVITY.read(dht, run_id, self._pasted)
        self._records = replace(self._records, infos=infos, activities=activities)
        if is_slow_due:
            self._records = replace(
                self._records,
                powers=POWER.read(dht, run_id, self._pasted),
                disclosures=DISCLOSURES.read(dht, run_id, self._pasted),
                norm_ratios=norm_ratios_in(NORMS.read(dht, run_id, self._pasted), progress),
            )
            self._health = health_of(HEALTH.read(dht, run_id, self._pasted), progress, self._authority.leader)
        peers = peers_of(progress, self._swarm.peer_id, self._records)
        if peers:
            self._seen_at = time.monotonic()
        self._channel.emit(peers_event(peers, swarm_loss(dht, run_id, self._pasted), self._health))
        if is_slow_due:
            self._looked_at = time.monotonic()
            blocked = self._block_list.poll(self._authority) if self._authority.leader else frozenset()
            found = self._findings.poll({*self._authority.signers} - blocked)
            named = suspects_in(SUSPECTS.read(dht, run_id, self._pasted), progress, found.values())
            self._channel.emit(SuspectsSeen(suspects=named, blocked=tuple(sorted(blocked))))
            self._send_scores([each for each in self._authority.signers if each not in blocked])
            self._send_newer_manifest()

    def run(self, leaving: threading.Event) -> None:
        """Look every POLL_SECONDS until ``leaving``; raises UserError where nobody has been seen for LOST_SECONDS."""
        while not leaving.wait(POLL_SECONDS):
            self.look()
            if time.monotonic() - self._seen_at > LOST_SECONDS:
                raise UserError(
                    ErrorKind.SWARM_LOST,
                    localized("%1: nobody was seen for %2 s.", self._run_id, f"{LOST_SECONDS:.0f}"),
                )

    def _obey(self, control: ControlValue) -> None:
        """Look at the swarm in which the run goes on; what is signed there may be of earlier epochs."""
        if not is_same(control.rollback, self._steered.rollback):
            self._told_epoch = min(self._told_epoch, least_epoch(control.rollback))
        self._steered = control

    def _send_scores(self, signers: Sequence[str]) -> None:
        history = published_scores(self._swarm.dht, self._run_id, signers)
        if scores := history.since(self._told_epoch):
            *earlier, latest = scores
            self._told_epoch = latest.epoch
            self._channel.emit(RunScored(latest=latest, earlier=tuple(earlier)))

    def _send_newer_manifest(self) -> None:
        """Tell what the organiser has changed: the state, the notice, the target, what it asks of all peers."""
        newest = find_manifests(self._swarm.dht, self._pasted).open.get((self._organiser, self._run_id))
        is_newer = newest is not None and newest[1].revision > self._manifest.revision
        if newest is not None and is_newer:
            self._manifest = newest[1]
        control = self._steered
        if is_newer or control.number != self._told_number:
            self._told_number = control.number
            vouched = self._authority.is_vouched_for(self._pasted)
            shown = overlaid(self._manifest, control)
            self._channel.emit(
                RunFound(
                    manifest=shown,
                    organiser=self._organiser,
                    vouched=vouched,
                    order=control.order,
                    edits=edits_of(self._manifest, control.edits),
                    data_changes=signed_changes(self._manifest, control.data_changes),
                    rollback=control.rollback,
                )
            )


def peers_event(peers: Iterable[PeerSeen], loss: float | None, health: FleetHealth = _UNKNOWN) -> PeersSeen:
    """These peers as they are told: one report of each peer id, the one with the most samples, and bounded in number.

    Anybody may report in another's name.
    """
    largest = dict[str, PeerSeen]()
    for peer in peers:
        if peer.peer_id not in largest or (peer.epoch, peer.samples) > _progress(largest[peer.peer_id]):
            largest[peer.peer_id] = peer
    told = tuple(map(_sanitized, list(largest.values())[:MOST_PEERS_TOLD]))
    return PeersSeen(peers=told, loss=loss, untold=len(largest) - len(told), health=health)


def _progress(peer: PeerSeen) -> tuple[int, int]:
    return peer.epoch, peer.samples


def _sanitized(peer: PeerSeen) -> PeerSeen:
    """The peer with words that are no longer on the line than they are in letters."""
    name, device = sanitize_line(peer.name, MAX_NAME_CHARACTERS), sanitize_line(peer.device, MAX_DEVICE_CHARACTERS)
    return msgspec.structs.replace(peer, name=name, device=device)
