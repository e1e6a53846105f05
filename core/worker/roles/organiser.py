"""One organiser's life: sign the manifest, publish it, keep it published, train or keep the state, leave."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from core.errors import UserError
from core.files.atomic import quarantine, write_atomically
from core.files.folders import DataFolder
from core.files.locks import PeerFolder, lock_organiser_folder
from core.protocol.commands import Publish
from core.protocol.events import Connected, Evaluated, Left, Network, Published
from core.protocol.localizable import localized
from core.run.address import JoinAddress
from core.run.manifest import RunManifest, decode_manifest
from core.run.multiaddr import is_loopback, readable_multiaddrs
from core.run.signed_manifest import SignedManifest
from core.security.identity import Identity
from core.worker.fetch.file_store import FileStore
from core.worker.network.ports import refuse_taken_ports, usual_listen
from core.worker.process.channel import WorkerChannel
from core.worker.process.watchdog import watch_child_processes
from core.worker.roles.evaluation_log import EvaluationLog
from core.worker.roles.participation import ParticipationConfig, RunParticipation
from core.worker.swarm import Interrupted, Swarm, enter_swarm, publisher_of
from core.worker.training.checkpoint import Checkpoints
from core.worker.training.rate_limiter import KEEPER_SAMPLES_PER_SECOND, RateLimiter


def organise(command: Publish, channel: WorkerChannel) -> None:
    """Live until we are asked to leave; raises ClientError for whatever a person can meet."""
    with lock_organiser_folder(DataFolder(Path(command.home)), command.manifest.run.id) as keys:
        identity_path = Path(command.identity) if command.identity else keys.identity_path
        identity = Identity.load_or_create(identity_path)
        manifest = _with_revision(command.manifest, keys.manifest_file)
        listen = command.listen or usual_listen(keys.port_file)
        refuse_taken_ports(listen)
        swarm = enter_swarm(
            (),
            keys.progress_key_path,
            identity=identity,
            identity_path=identity_path,
            mode="direct",
            listen=listen,
            announce=command.announce,
        )
        watch_child_processes(swarm, channel)
        try:
            samples = _publish_and_train(command, manifest, swarm, keys, channel)
        except Interrupted:
            samples = 0
        finally:
            swarm.leave()
        channel.emit(Left(contributed_samples=samples))


def _publish_and_train(
    command: Publish, manifest: RunManifest, swarm: Swarm, keys: PeerFolder, channel: WorkerChannel
) -> int:
    reason = localized("The organiser's peer is the one that others connect to.")
    channel.emit(Network(mode="direct", reason=reason))
    channel.emit(Connected(peer_id=swarm.peer_id, peers=swarm.known_peers()))
    membership = RunParticipation(swarm, manifest, swarm.peer_id, _terms(command, manifest), channel)
    scoreboard = EvaluationLog(swarm, manifest, keys.scores_file)
    checkpoints = Checkpoints(keys.checkpoint_file, manifest.run.id, membership.optimizer, channel.emit)
    if (epoch := checkpoints.load()) is not None:
        membership.optimizer.resume_at(epoch)
    publisher_of(swarm.dht, SignedManifest.sign(manifest, swarm.identity), manifest.run.id).start()
    scoreboard.start()
    addresses = _worth_sharing(swarm.addresses())
    link = JoinAddress(peers=readable_multiaddrs(addresses), run_id=manifest.run.id).link
    channel.emit(Published(addresses=addresses, link=link, revision=manifest.revision))

    def keep(evaluated: Evaluated) -> None:
        scoreboard.note(evaluated)
        if evaluated.epoch % command.checkpoint_every_epochs == 0:
            checkpoints.save(evaluated.epoch)

    membership.run_training(keep)
    checkpoints.wait()
    checkpoints.save(membership.optimizer.local_epoch)
    checkpoints.wait()
    return membership.contributed_samples


def _terms(command: Publish, manifest: RunManifest) -> ParticipationConfig:
    """A keeper trains almost nothing, but averages, steps and gives the true state to whoever comes."""
    store = FileStore(Path(command.home))
    if command.train:
        batch_size = manifest.collaboration.batch_size_per_step
        return ParticipationConfig(
            command.device, command.threads, batch_size, RateLimiter(), store, command.public_name
        )
    return ParticipationConfig("cpu", 1, 1, RateLimiter(KEEPER_SAMPLES_PER_SECOND), store, command.public_name)


def _with_revision(manifest: RunManifest, memory: Path) -> RunManifest:
    """The same revision while nothing has changed, else one more than the last that was published."""
    try:
        last = decode_manifest(memory.read_bytes())
    except FileNotFoundError:
        last = None
    except UserError:
        quarantine(memory)
        last = None
    if last is not None:
        same = msgspec.structs.replace(manifest, revision=last.revision)
        manifest = same if same == last else msgspec.structs.replace(manifest, revision=last.revision + 1)
    write_atomically(memory, msgspec.json.encode(manifest))
    return manifest


def _worth_sharing(addresses: Sequence[str]) -> tuple[str, ...]:
    """Loopback addresses help nobody else, unless they are all there is."""
    outside = tuple(address for address in addresses if not is_loopback(address))
    return outside or tuple(addresses)
