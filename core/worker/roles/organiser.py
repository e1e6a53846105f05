"""The worker of who leads a run: publish it, keep it published, train or serve the state, leave."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec

from core.errors import UserError
from core.files.atomic import write_atomically
from core.files.folders import DataFolder
from core.files.json_file import JsonFile
from core.files.locks import PeerFolder
from core.protocol.commands import Publish
from core.protocol.events import Connected, Evaluated, Left, Published
from core.records.published.rollback_order import order_rollback
from core.run.address import JoinAddress
from core.run.manifest import RunManifest
from core.run.multiaddr import is_loopback, readable_multiaddrs
from core.run.steering.control_value import ControlValue, is_edited
from core.run.steering.kept_control import asked_control, kept_control, kept_control_file
from core.run.steering.rollback import Rollback
from core.security.identity import Identity
from core.worker.fetch.file_store import FileStore
from core.worker.hosting.collector import expert_collection
from core.worker.mirror.writer import MirrorWriter
from core.worker.network.line_memory import LineMemory
from core.worker.network.peer_cache import PeerCache
from core.worker.network.ports import fixed_listen, refuse_taken_ports
from core.worker.network.posted.posted_address import PostedAddressTester
from core.worker.network.reachability import answering_addresses
from core.worker.network.reachability_cache import ReachabilityCache
from core.worker.process.channel import WorkerChannel
from core.worker.process.supervisor import StartThread, Supervisor
from core.worker.process.watchdog import watch_child_processes
from core.worker.roles.participation import RunParticipation, open_participation
from core.worker.roles.preparation import ParticipationConfig
from core.worker.roles.steering.organiser import Saving, steer
from core.worker.roles.steering.succession import LeaderWatch, PublishedRun, as_organiser, as_successor
from core.worker.swarm import (
    BlockListPublisher,
    EvaluationLog,
    Interrupted,
    LocalSgdOptimizer,
    Swarm,
    SwarmOptimizer,
    enter_swarm,
)
from core.worker.training.checkpoint import Checkpoints
from core.worker.training.own_traffic import own_traffic
from core.worker.training.trainer import RateLimiter

log = logging.getLogger(__name__)


def run_organiser(command: Publish, keys: PeerFolder, channel: WorkerChannel, supervisor: Supervisor) -> None:
    """Publish the run, with the keys in its folder, until we are asked to leave; raises UserError."""
    with keys:
        peer_cache = _known_peers(command)
        identity_path = Path(command.identity) if command.identity else keys.identity_path
        identity = Identity.load_or_create(identity_path)
        listen = command.listen or fixed_listen(keys.port_file)
        refuse_taken_ports(listen)
        swarm = enter_swarm(
            _answering(peer_cache, keys),
            keys.progress_key_path,
            identity=identity,
            identity_path=identity_path,
            mode="direct",
            listen=listen,
            announce=command.announce,
        )
        watch_child_processes(swarm, supervisor)
        try:
            channel.emit(Connected(peer_id=swarm.peer_id, peers=swarm.known_peers()))
            samples = _publish_and_train(command, swarm, peer_cache, keys, channel, supervisor)
        except Interrupted:
            samples = 0
        finally:
            channel.emit(own_traffic())
            swarm.leave()
        channel.emit(Left(contributed_samples=samples))


def _publish_and_train(
    command: Publish, swarm: Swarm, known: PeerCache, keys: PeerFolder, channel: WorkerChannel, supervisor: Supervisor
) -> int:
    """Announce the run and train in it until we leave; the number of samples that this computer has computed."""
    run = _published_run(command, swarm, keys)
    manifest, control = run.manifest, _last_control(command, keys, swarm.peer_id)
    rollback, config = control.rollback, _participation_config(command, manifest, control)
    with open_participation(
        swarm, manifest, run.authority, config, known, channel, supervisor, is_first=True
    ) as participation:
        optimizer, start_thread = participation.optimizer, supervisor.start
        evaluation_log = EvaluationLog.load(swarm, manifest, keys.scores_file, rollback)
        checkpoints = _checkpoints(keys, manifest, optimizer, channel, start_thread)
        optimizer.is_organiser, refresh_mirror = True, _mirror_refresh(command, optimizer, channel, supervisor)
        _resume(run, participation, checkpoints, rollback)
        _keep_manifest(run, keys)
        LeaderWatch(run, swarm, participation.know_authority, channel).start(start_thread)
        evaluation_log.start(start_thread)
        BlockListPublisher(swarm, manifest.run.id, keys.block_list_file).start(start_thread, channel.leaving)
        _tell_address(command, swarm, manifest, keys, participation, channel, start_thread)
        collection = expert_collection(manifest, participation.experts.caller, keys, channel, start_thread)
        saving = Saving(checkpoints.save_held, collection.on_hold)
        steer(swarm, manifest, keys.control_file, participation, saving, channel, start_thread, rollback)

        def on_epoch(of_our_own: Evaluated) -> None:
            evaluated = participation.of_base_weights(of_our_own)
            evaluation_log.add(evaluated, optimizer.state_averager.roots)
            refresh_mirror(evaluated.epoch)
            if is_due := evaluated.epoch % min(command.checkpoint_every_epochs, optimizer.max_checkpoint_epochs) == 0:
                checkpoints.save(evaluated.epoch, evaluated.loss)
            collection.on_epoch(evaluated.epoch, is_due)

        supervisor.save = lambda: _save_last(run, checkpoints, optimizer)
        return _train_and_save(participation, on_epoch, supervisor, channel.unfinished)


def _known_peers(command: Publish) -> PeerCache:
    """By whom a successor enters the swarm; the organiser is its first peer."""
    if command.succession is None:
        return PeerCache()
    return PeerCache.load(command.succession.addresses, Path(command.home), command.manifest.run.id)


def _answering(peer_cache: PeerCache, keys: PeerFolder) -> tuple[str, ...]:
    """Those of the addresses that answer; raises UserError where none does, unless we have led the run before."""
    try:
        return answering_addresses(peer_cache.addresses) if peer_cache.addresses else ()
    except UserError:
        if not keys.succeeded_file.exists():
            raise
        return ()


def _published_run(command: Publish, swarm: Swarm, keys: PeerFolder) -> PublishedRun:
    """The run that we lead, under our own key or in its organiser's place; raises UserError."""
    if command.succession is not None:
        return as_successor(command.manifest.run.id, command.succession, swarm, keys)
    return as_organiser(_with_revision(command.manifest, keys, swarm.peer_id), swarm)


def _train_and_save(
    participation: RunParticipation,
    on_epoch: Callable[[Evaluated], None],
    supervisor: Supervisor,
    unfinished: AbstractContextManager[object],
) -> int:
    """The number of samples that this computer has computed.

    It is ``unfinished`` until the last state is saved: the clock that ends who hangs must not run out in the goodbye.
    """
    with unfinished:
        participation.run_training(on_epoch)
        supervisor.save()
    return participation.contributed_samples


def _checkpoints(
    keys: PeerFolder,
    manifest: RunManifest,
    optimizer: SwarmOptimizer,
    channel: WorkerChannel,
    start_thread: StartThread,
) -> Checkpoints:
    file, run_id = keys.checkpoint_file, manifest.run.id
    return Checkpoints(file, run_id, optimizer, channel.emit, start_thread, channel.unfinished)


def _save_last(run: PublishedRun, checkpoints: Checkpoints, optimizer: SwarmOptimizer) -> None:
    """Save what there is, unless we have taken a run over whose state we have not got."""
    if optimizer.local_epoch or not run.is_taken_over:
        checkpoints.save_last(optimizer.local_epoch)


def _tell_address(
    command: Publish,
    swarm: Swarm,
    manifest: RunManifest,
    keys: PeerFolder,
    participation: RunParticipation,
    channel: WorkerChannel,
    start_thread: StartThread,
) -> None:
    """Say what is posted, and ask from now on whether newcomers reach it, for us and for whoever watches the fleet."""
    channel.emit(published := _published(manifest, swarm.addresses(), keys))
    known = ReachabilityCache(DataFolder(Path(command.home)).reachability_file)
    tester = PostedAddressTester(swarm, published.addresses, known, channel, participation.note_reachability)
    start_thread("posted address", tester.run)


def _last_control(command: Publish, keys: PeerFolder, organiser: str) -> ControlValue:
    """What holds when this peer begins, with a new rollback if that is asked for; raises UserError."""
    run_id = command.manifest.run.id
    if command.from_checkpoint is not None:
        return order_rollback(keys, organiser, run_id, command.from_checkpoint, time.time())
    return asked_control(keys, organiser, run_id)


def _resume(
    run: PublishedRun, participation: RunParticipation, checkpoints: Checkpoints, rollback: Rollback | None
) -> None:
    """Go on from the newest checkpoint since the last rollback, or from that to which it goes back.

    Who has taken the run over since then may have none, and takes the state from others.
    """
    try:
        epoch = checkpoints.load(rollback)
    except UserError as error:
        if not run.is_taken_over:
            raise
        log.info("no checkpoint since the last rollback is here: %s", error)
        return
    if epoch is not None:
        participation.optimizer.resume_at(epoch)
        participation.optimizer.arrival.resume_at(epoch)
        participation.observe_loss()


def _mirror_refresh(
    command: Publish, optimizer: SwarmOptimizer, channel: WorkerChannel, supervisor: Supervisor
) -> Callable[[int], None]:
    """What keeps the run's mirror in a folder, called with every new epoch; nothing where nobody has asked for one."""
    if command.mirror is None or not isinstance(optimizer, LocalSgdOptimizer):
        return lambda _epoch: None
    run_id = command.manifest.run.id
    folder, every = Path(command.mirror), command.mirror_rounds
    return MirrorWriter(folder, run_id, optimizer, every, channel.emit, supervisor.start).refresh


def _published(manifest: RunManifest, addresses: Sequence[str], keys: PeerFolder) -> Published:
    """What is shared of the run; its link is kept in the folder, if the disk takes it."""
    shared = _worth_sharing(addresses)
    link = JoinAddress(peers=readable_multiaddrs(shared), run_id=manifest.run.id).link
    try:
        write_atomically(keys.link_file, f"{link}\n".encode())
    except OSError as error:
        log.warning("the link is not kept: %s", error)
    return Published(addresses=shared, link=link, revision=manifest.revision)


def _participation_config(command: Publish, manifest: RunManifest, control: ControlValue) -> ParticipationConfig:
    config = ParticipationConfig(
        command.device,
        command.threads,
        manifest.collaboration.batch_size_per_step,
        RateLimiter(),
        FileStore(Path(command.home)),
        command.public_name,
        line_memory=LineMemory(DataFolder(Path(command.home))),
        rollback=control.rollback,
        data_changes=control.data_changes,
    )
    return config if command.train else config.as_keeper()


def _with_revision(manifest: RunManifest, keys: PeerFolder, organiser: str) -> RunManifest:
    """The manifest with the revision of the last one published; one more if it has changed.

    One with the numbers and data that were changed while the run went on is no other: the last one stays, they hold.
    """
    last, run_id = JsonFile[RunManifest](keys.manifest_file, RunManifest).read(), manifest.run.id
    if last is not None:
        control = kept_control(kept_control_file(keys.path, run_id), organiser, run_id)
        same = msgspec.structs.replace(manifest, revision=last.revision)
        is_last = same == last or is_edited(manifest, last, control)
        manifest = last if is_last else msgspec.structs.replace(manifest, revision=last.revision + 1)
    return manifest


def _keep_manifest(run: PublishedRun, keys: PeerFolder) -> None:
    """Keep the manifest as the last one published, now that its model takes what was saved; raises OSError."""
    JsonFile[RunManifest](keys.manifest_file, RunManifest).write(run.manifest)


def _worth_sharing(addresses: Sequence[str]) -> tuple[str, ...]:
    """The addresses that help others: loopback addresses only where there are no others."""
    outside = tuple(address for address in addresses if not is_loopback(address))
    return outside or tuple(addresses)
