"""The volunteer's worker: connect, find the run and verify it, train, leave."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from core.errors import ErrorKind, UserError
from core.files.folders import DataFolder
from core.files.locks import PeerFolder
from core.localizable import localized
from core.protocol.commands import Join, Start
from core.protocol.events import Connected, Evaluated, Left, SearchFinished
from core.run.address import peer_ids_of
from core.run.consent import is_agreed
from core.run.spec.recipe import MoeLM
from core.security.known_organisers import KnownOrganisers
from core.tickets.wallet import Wallet
from core.worker.access.invitation import obtain_ticket
from core.worker.fetch.file_store import FileStore
from core.worker.hosting.run_experts import HostingWish
from core.worker.network.line_memory import DIRECTIONS, LineMemory
from core.worker.network.local_network import guard_for_swarm
from core.worker.network.peer_cache import PeerCache
from core.worker.network.swarm_access import SwarmAccess, open_swarm_access
from core.worker.process.channel import WorkerChannel
from core.worker.process.supervisor import Supervisor
from core.worker.roles.fleet_observer import FleetObserver
from core.worker.roles.participation import RunParticipation, open_participation
from core.worker.roles.preparation import ParticipationConfig
from core.worker.roles.steering.following import ManifestWatcher, follow_leader
from core.worker.roles.steering.found_run import FoundRun, closed_detail, found_event, looked_up, steered
from core.worker.swarm import (
    EvaluationLog,
    FoundManifests,
    Interrupted,
    Swarm,
    find_manifests,
)
from core.worker.training.micro_batch_search import initial_micro_batch
from core.worker.training.own_traffic import own_traffic
from core.worker.training.trainer import STATE_SERVER_SAMPLES_PER_SECOND, RateLimiter

SEARCH_ATTEMPTS = 3
SEARCH_PAUSE_SECONDS = 1.0
MOST_RUNS = 32  # that the client is told; anybody may publish any number of them

log = logging.getLogger(__name__)


def run_volunteer(
    command: Join,
    alive: Sequence[str],
    peer_cache: PeerCache,
    keys: PeerFolder,
    channel: WorkerChannel,
    supervisor: Supervisor,
) -> None:
    """Connect, wait for consent and train until we are asked to leave; raises UserError.

    ``alive`` are the addresses that answer, of those in ``peer_cache``; ``keys`` is the folder that is ours.
    """
    data = DataFolder(Path(command.home))
    with keys:
        known, line_memory = KnownOrganisers(data.known_organisers_file), LineMemory(data, alive)
        volunteer = Volunteer(command, peer_cache, known, line_memory, channel, supervisor)
        with open_swarm_access(command, alive, keys, channel, supervisor) as access:
            channel.emit(Connected(peer_id=access.swarm.peer_id, peers=access.swarm.known_peers()))
            for measured in filter(None, map(line_memory.recall, DIRECTIONS)):
                channel.emit(measured)
            try:
                samples = volunteer.discover_and_train(access)
            except Interrupted:
                samples = 0
            finally:
                channel.emit(own_traffic())
        channel.emit(Left(contributed_samples=samples))


class Volunteer:
    """Finds the runs of a swarm, and trains in the one that the person has chosen."""

    def __init__(
        self,
        command: Join,
        peer_cache: PeerCache,
        known: KnownOrganisers,
        line_memory: LineMemory,
        channel: WorkerChannel,
        supervisor: Supervisor,
    ) -> None:
        self._command, self._peer_cache, self._known = command, peer_cache, known
        self._line_memory, self._wallet = line_memory, Wallet(DataFolder(Path(command.home)).invitations_file)
        self._channel, self._supervisor = channel, supervisor
        self._pasted = peer_ids_of(command.addresses)

    def discover_and_train(self, access: SwarmAccess) -> int:
        """Send what the swarm publishes, wait for consent, train; the number of samples contributed."""
        runs = self._search(access.swarm)
        for run in runs:
            self._channel.emit(found_event(run, access.swarm, self._pasted, self._wallet))
        observer = self._observer(runs, access.swarm)
        if observer is not None:
            observer.look()
        self._channel.emit(SearchFinished(found=len(runs)))
        if observer is not None and self._command.watches_peers:
            observer.run(self._channel.leaving)
            return 0
        start = self._channel.next_command()
        if not isinstance(start, Start):
            return 0
        wanted = (start.run_id, start.organiser)
        chosen = next((run for run in runs if (run.manifest.run.id, run.organiser) == wanted), None)
        if chosen is None:
            raise UserError(ErrorKind.NO_SUCH_RUN, start.run_id)
        if not is_agreed(chosen.manifest, start.digest):
            raise UserError(
                ErrorKind.RUN_CHANGED,
                localized("Run %1: it is revision %2 now.", start.run_id, chosen.manifest.revision),
            )
        self._peer_cache.choose_run(start.run_id)
        return self._train(chosen, start, access)

    def _observer(self, runs: Sequence[FoundRun], swarm: Swarm) -> FleetObserver | None:
        """What tells who takes part in the only run, and whom they name, if the person wants to know that.

        Of several of one id, it is the one that the pasted address vouches for.
        """
        if not (self._command.lists_peers or self._command.watches_peers):
            return None
        if len(runs) > 1 and len({run.manifest.run.id for run in runs}) == 1:
            runs = [run for run in runs if run.organiser in self._pasted]
        if len(runs) != 1:
            return None
        return FleetObserver(swarm, runs[0].manifest, runs[0].organiser, self._pasted, self._channel)

    def _search(self, swarm: Swarm) -> list[FoundRun]:
        """The runs that may be joined; raises UserError where there is none, with the reason."""
        run_id = self._command.run_id
        if self._command.manifest is not None:
            return [FoundRun(self._command.manifest)]
        for attempt in range(SEARCH_ATTEMPTS):
            if attempt:
                time.sleep(SEARCH_PAUSE_SECONDS)
            found = find_manifests(swarm.dht, self._pasted)
            acceptable = [run for run in self._acceptable(found) if run_id in (None, run.manifest.run.id)]
            if runs := list(steered(acceptable[:MOST_RUNS], swarm, found)):
                return runs
        _raise_refusal(run_id, found)
        raise UserError(ErrorKind.NO_SUCH_RUN, run_id or "")

    def _acceptable(self, found: FoundManifests) -> Iterator[FoundRun]:
        """The open runs that are signed by the organiser who is known for them, or by a new one."""
        for signed, manifest in found.open.values():
            try:
                self._known.check(manifest.run.id, signed.organiser, manifest.revision)
            except UserError as error:
                found.refused[manifest.run.id] = error
            else:
                yield FoundRun(manifest, signed)

    def _train(self, run: FoundRun, start: Start, access: SwarmAccess) -> int:
        run = looked_up(run, access.swarm)
        if (closed := closed_detail(run)) is not None:
            raise UserError(ErrorKind.RUN_NOT_OPEN, closed)
        swarm = access.finalize()
        if not start.train and swarm.mode != "direct":
            raise UserError(ErrorKind.HOST_NOT_REACHABLE)
        ticket = obtain_ticket(swarm, run.manifest, run.authority, self._wallet)
        config = self._participation_config(run, start, ticket)
        with open_participation(
            swarm,
            run.manifest,
            run.authority,
            config,
            self._peer_cache,
            self._channel,
            self._supervisor,
            is_first=False,
        ) as participation:
            if run.signed is not None:
                self._known.remember(run.manifest.run.id, run.organiser, run.manifest.revision)
                watcher = ManifestWatcher(run, run.signed, swarm, self._known, self._pasted, self._wallet)
                is_needed = participation.experts.are_needed
                follow_leader(watcher, participation, is_needed, self._channel, self._supervisor)
            participation.run_training(self._keep_signed(run, swarm, participation))
            return participation.contributed_samples

    def _keep_signed(self, run: FoundRun, swarm: Swarm, participation: RunParticipation) -> Callable[[Evaluated], None]:
        """What signs every epoch and publishes that, where the run names us as one of its keepers."""
        manifest = run.manifest
        if swarm.peer_id not in manifest.run.keepers:
            return lambda _evaluated: None
        kept = swarm.folder / f"scores-{manifest.run.id}.msgpack"
        evaluation_log = EvaluationLog.load(swarm, manifest, kept, run.rollback)
        evaluation_log.start(self._supervisor.start)
        averager = participation.optimizer.state_averager
        return lambda evaluated: evaluation_log.add(participation.of_base_weights(evaluated), averager.roots)

    def _participation_config(self, run: FoundRun, start: Start, ticket: bytes) -> ParticipationConfig:
        is_host = start.role == "host" and isinstance(run.manifest.recipe, MoeLM)
        asked = initial_micro_batch(run.manifest.collaboration.batch_size_per_step, start.micro_batch)
        config = ParticipationConfig(
            start.device,
            start.threads,
            1 if is_host else asked,
            RateLimiter(STATE_SERVER_SAMPLES_PER_SECOND) if is_host else RateLimiter(),
            FileStore(Path(self._command.home), start.disk_limit_bytes, guard_for_swarm(self._command.addresses)),
            start.public_name,
            start.memory_limit_bytes,
            is_state_server=is_host,
            line_memory=self._line_memory,
            ticket=ticket,
            rollback=run.rollback,
            data_changes=run.control.data_changes if run.control else (),
            hosting=HostingWish(start.role, start.hosted_experts),
            disclosure=start.disclosure,
        )
        return config if start.train else config.as_keeper()


def _raise_refusal(run_id: str | None, found: FoundManifests) -> None:
    """Raise why the run that was asked for, or any run, is there but was refused."""
    refused = found.refused.get(run_id) if run_id else next(iter(found.refused.values()), None)
    if refused is not None:
        raise refused
