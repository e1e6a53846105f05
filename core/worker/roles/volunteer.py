"""One volunteer's life: connect, find the run and verify it, train, leave."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import ErrorKind, UserError
from core.files.folders import DataFolder
from core.files.locks import lock_peer_folder
from core.protocol.commands import Join, Start
from core.protocol.events import Connected, Left, RunFound, SearchFinished
from core.run.address import peer_ids_of
from core.run.manifest import RunManifest
from core.run.signed_manifest import SignedManifest
from core.security.known_organisers import KnownOrganisers
from core.worker.fetch.file_store import FileStore
from core.worker.network.peer_cache import PeerCache
from core.worker.network.swarm_access import SwarmAccess
from core.worker.process.channel import WorkerChannel
from core.worker.roles.manifest_updates import follow_news
from core.worker.roles.participation import ParticipationConfig, RunParticipation
from core.worker.swarm import (
    FoundManifests,
    Interrupted,
    Publisher,
    Swarm,
    find_manifests,
    peers_in,
    publisher_of,
    swarm_loss,
)
from core.worker.training.micro_batch_search import chosen_micro_batch
from core.worker.training.rate_limiter import RateLimiter

SEARCHES = 3
MOST_RUNS = 32  # that are told; anybody may publish any number of them
SEARCH_PAUSE_SECONDS = 1.0

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Run:
    """A run that may be joined; ``signed`` is absent where the manifest is a local file."""

    manifest: RunManifest
    signed: SignedManifest | None = None

    @property
    def organiser(self) -> str:
        return self.signed.organiser if self.signed else ""


def volunteer(command: Join, alive: Sequence[str], channel: WorkerChannel) -> None:
    """Live until we are asked to leave; ``alive`` are the addresses that answer. Raises ClientError."""
    data = DataFolder(Path(command.home))
    with lock_peer_folder(data) as keys:
        entrance = SwarmAccess(command, alive, keys, channel)
        try:
            channel.emit(Connected(peer_id=entrance.swarm.peer_id, peers=entrance.swarm.known_peers()))
            samples = _discover_and_train(command, entrance, KnownOrganisers(data.known_organisers_file), channel)
        except Interrupted:
            samples = 0
        finally:
            entrance.leave()
        channel.emit(Left(contributed_samples=samples))


def _discover_and_train(command: Join, entrance: SwarmAccess, known: KnownOrganisers, channel: WorkerChannel) -> int:
    """Tell what is there, wait for consent, train; returns the samples contributed."""
    swarm = entrance.swarm
    pasted = peer_ids_of(command.addresses)
    runs = _search(command, swarm, pasted, known)
    for run in runs:
        channel.emit(_as_found(run, swarm, pasted))
    channel.emit(SearchFinished(found=len(runs)))
    start = channel.next_command()
    if not isinstance(start, Start):
        return 0
    chosen = next(
        (run for run in runs if (run.manifest.run.id, run.organiser) == (start.run_id, start.organiser)), None
    )
    if chosen is None:
        raise UserError(ErrorKind.NO_SUCH_RUN, start.run_id)
    met = PeerCache(chosen.manifest.run.id, command.addresses, Path(command.home))
    only_public = chosen.signed is not None and any(address.is_public for address in command.addresses)
    store = FileStore(Path(command.home), start.disk_limit_bytes, only_public)
    return _train(chosen, start, entrance.finalize(), known, channel, pasted, met, store)


def _search(command: Join, swarm: Swarm, pasted: tuple[str, ...], known: KnownOrganisers) -> list[_Run]:
    """The runs that may be joined; raises ClientError where there is none, with the reason."""
    if command.manifest is not None:
        return [_Run(command.manifest)]
    for attempt in range(SEARCHES):
        if attempt:
            time.sleep(SEARCH_PAUSE_SECONDS)
        found = find_manifests(swarm.dht, pasted)
        runs = [run for run in _acceptable(found, known) if command.run_id in (None, run.manifest.run.id)]
        if runs:
            return runs[:MOST_RUNS]
    _explain_absence(command.run_id, found)
    raise UserError(ErrorKind.NO_SUCH_RUN, command.run_id or "")


def _acceptable(found: FoundManifests, known: KnownOrganisers) -> Iterator[_Run]:
    for signed, manifest in found.open.values():
        try:
            known.check(manifest.run.id, signed.organiser, manifest.revision)
        except UserError as error:
            found.refused[manifest.run.id] = error
        else:
            yield _Run(manifest, signed)


def _explain_absence(run_id: str | None, found: FoundManifests) -> None:
    """If what was asked for is there but was refused, the reason is the answer."""
    refused = found.refused.get(run_id) if run_id else next(iter(found.refused.values()), None)
    if refused is not None:
        raise refused


def _as_found(run: _Run, swarm: Swarm, pasted: tuple[str, ...]) -> RunFound:
    peers = peers_in(swarm.dht, run.manifest.run.id, swarm.peer_id, pasted)
    return RunFound(
        manifest=run.manifest,
        organiser=run.organiser,
        vouched=run.organiser in pasted,
        peers=len(peers),
        epoch=max((peer.epoch for peer in peers if not peer.client_mode), default=None),
        samples_per_second=sum(peer.samples_per_second for peer in peers) if peers else None,
        loss=swarm_loss(swarm.dht, run.manifest.run.id, pasted),
    )


def _train(
    run: _Run,
    start: Start,
    swarm: Swarm,
    known: KnownOrganisers,
    channel: WorkerChannel,
    pasted: tuple[str, ...],
    met: PeerCache,
    store: FileStore,
) -> int:
    manifest = run.manifest
    if manifest.run.state != "open":
        raise UserError(ErrorKind.RUN_NOT_OPEN, manifest.run.notice)
    terms = ParticipationConfig(
        start.device,
        start.threads,
        chosen_micro_batch(manifest.collaboration.batch_size_per_step, start.micro_batch),
        RateLimiter(),
        store,
        start.public_name,
        start.memory_limit_bytes,
    )
    membership = RunParticipation(swarm, manifest, run.organiser, terms, channel, met)
    if run.signed is not None:
        known.remember(manifest.run.id, run.organiser, manifest.revision)
        publisher = publisher_of(swarm.dht, run.signed, manifest.run.id)
        if swarm.mode == "direct":
            publisher.start()
        news = ManifestWatcher(run, swarm, known, publisher, pasted)
        follow_news(channel, news.look)
    membership.run_training()
    return membership.contributed_samples


class ManifestWatcher:
    """The newest revision of our run that we have seen."""

    def __init__(
        self, run: _Run, swarm: Swarm, known: KnownOrganisers, publisher: Publisher, pasted: tuple[str, ...]
    ) -> None:
        self._run, self._swarm, self._known = run, swarm, known
        self._publisher, self._pasted = publisher, pasted

    def look(self) -> RunFound | None:
        """A newer one, which is passed on to others if they can reach us; ``None`` if there is none."""
        run_id = self._run.manifest.run.id
        newest = find_manifests(self._swarm.dht, self._pasted).open.get((self._run.organiser, run_id))
        if newest is None or newest[1].revision <= self._run.manifest.revision:
            return None
        signed, manifest = newest
        self._run = _Run(manifest, signed)
        self._known.remember(run_id, signed.organiser, manifest.revision)
        if self._swarm.mode == "direct":
            self._publisher.publish_instead(signed.to_bytes())
        return _as_found(self._run, self._swarm, self._pasted)
