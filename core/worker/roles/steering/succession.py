"""Who leads the run that a worker publishes: its organiser, or a successor who takes it over and leads it on."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from core.errors import ErrorKind, UserError
from core.files.atomic import storage_problem, write_atomically
from core.files.json_file import JsonFile
from core.files.locks import PeerFiles
from core.localizable import localized
from core.protocol.commands import Succession
from core.protocol.events import Failed
from core.run.block_list import BlockList
from core.run.manifest import RunManifest
from core.run.signed_manifest import SignedManifest
from core.run.steering.authority import Heartbeat, RunAuthority, authority_of, signing_seconds, silence_seconds
from core.run.steering.control_value import ControlValue, sign_control
from core.run.steering.kept_control import kept_control, kept_control_file
from core.run.steering.kept_record import keep_record
from core.worker.process.channel import WorkerChannel
from core.worker.process.supervisor import StartThread
from core.worker.swarm import (
    AuthorityReader,
    BlockListReader,
    HeartbeatPublisher,
    Swarm,
    control_now,
    find_manifests,
    publisher_of,
)

SEARCH_ATTEMPTS = 5
SEARCH_PAUSE_SECONDS = 2.0

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PublishedRun:
    """A run with its manifest as its organiser has signed it, and who leads it: this peer."""

    signed: SignedManifest
    manifest: RunManifest
    authority: RunAuthority
    heartbeat: HeartbeatPublisher | None

    @property
    def is_taken_over(self) -> bool:
        """Whether we are not the one whose key the manifest bears."""
        return self.authority.leader != self.authority.organiser


def as_organiser(manifest: RunManifest, swarm: Swarm) -> PublishedRun:
    """The run that we publish under our own key; raises UserError where a successor is known to lead it by now."""
    authority = AuthorityReader(swarm.dht, manifest.run.id, swarm.folder).poll(manifest, swarm.peer_id)
    if authority.leader != swarm.peer_id:
        raise UserError(ErrorKind.RUN_TAKEN_OVER, authority.leader_key)
    return PublishedRun(SignedManifest.sign(manifest, swarm.identity), manifest, authority, _heartbeat(manifest, swarm))


def as_successor(run_id: str, succession: Succession, swarm: Swarm, files: PeerFiles) -> PublishedRun:
    """The run that we lead on: from now on, or since an earlier start.

    Its control value is signed anew with our key, so that all that was asked of its peers still holds. Raises UserError
    where the run does not name us, or whoever leads it was there a short time ago.
    """
    signed = _signed_manifest(run_id, succession.organiser, swarm, files)
    manifest, own, organiser = signed.opened(), swarm.peer_id, signed.organiser
    if own not in manifest.succession.keys:
        raise UserError(
            ErrorKind.USAGE, localized("The run names other keys than this one under [succession]: %1.", own)
        )
    reader = AuthorityReader(swarm.dht, run_id, swarm.folder)
    before, now = reader.poll(manifest, organiser), time.time()
    after, takes_over = before, before.leader != own
    if takes_over:
        claim = Heartbeat(run_id=run_id, since=now, at=now, taken_over=now)
        after = authority_of(manifest, organiser, reader.heartbeats | {own: claim}, now)
    if after.leader != own:
        _refuse(manifest, own, reader.heartbeats.get(before.leader), now)
    _inherit(control_now(swarm, run_id, before), swarm, now)
    if takes_over:
        _inherit_blocks(BlockListReader(swarm.dht, run_id).newest(before), files, now)
    try:
        write_atomically(files.succeeded_file, signed.to_bytes())
        JsonFile[RunManifest](files.manifest_file, RunManifest).write(manifest)
    except OSError as error:
        raise storage_problem(error, files.path) from error
    return PublishedRun(signed, manifest, after, _heartbeat(manifest, swarm, takes_over=takes_over))


class LeaderWatch:
    """Signs that we are there, and leaves once somebody else leads the run.

    That is a successor who has taken over while we were away; or the run's organiser, whose new manifest does not name
    us any more. Where the manifest names no successors there is nothing to do.
    """

    def __init__(
        self, run: PublishedRun, swarm: Swarm, know_authority: Callable[[RunAuthority], None], channel: WorkerChannel
    ) -> None:
        self._run, self._manifest, self._swarm = run, run.manifest, swarm
        self._know_authority, self._channel, self._authority = know_authority, channel, run.authority
        self._reader = AuthorityReader(swarm.dht, run.manifest.run.id, swarm.folder)

    def start(self, start_thread: StartThread) -> None:
        """Publish the manifest and our heartbeat, now and from now on in the background, until we leave."""
        publisher = publisher_of(self._swarm.dht, self._run.signed, self._manifest.run.id)
        publisher.start(start_thread)
        if self._run.heartbeat is None:
            return
        self._run.heartbeat.start(start_thread)

        def follow() -> None:
            while not self._channel.leaving.wait(signing_seconds(self._manifest)):
                if (newer := self._newer_manifest()) is not None:
                    publisher.publish_instead(newer.to_bytes())
                self._look()

        start_thread("leader", follow)

    def _look(self) -> None:
        authority = self._reader.poll(self._manifest, self._run.authority.organiser)
        if authority.leader != self._swarm.peer_id:
            self._channel.emit(Failed(problem=ErrorKind.RUN_TAKEN_OVER.key, detail=authority.leader_key))
            self._channel.leave()
        elif self._run.heartbeat is not None:
            self._run.heartbeat.renew()
        if authority != self._authority:
            self._authority = authority
            self._know_authority(authority)

    def _newer_manifest(self) -> SignedManifest | None:
        """What the run's organiser has signed since then, where that is not us."""
        if not self._run.is_taken_over:
            return None
        key = self._run.authority.organiser, self._manifest.run.id
        signed, manifest = find_manifests(self._swarm.dht, key[:1], ask="in turn").open.get(key, (None, None))
        if manifest is None or manifest.revision <= self._manifest.revision:
            return None
        self._manifest = manifest
        return signed


def _signed_manifest(run_id: str, organiser: str, swarm: Swarm, files: PeerFiles) -> SignedManifest:
    """The run as its organiser has signed it last: as the swarm has it, or as we have kept it; raises UserError."""
    for attempt in range(SEARCH_ATTEMPTS):
        found = find_manifests(swarm.dht, (organiser,)).open.get((organiser, run_id))
        if found is not None:
            return found[0]
        if attempt + 1 < SEARCH_ATTEMPTS:
            time.sleep(SEARCH_PAUSE_SECONDS)
    try:
        kept = SignedManifest.read(files.succeeded_file)
    except (OSError, ValueError) as error:
        raise UserError(ErrorKind.NO_SUCH_RUN, run_id) from error
    if kept.organiser != organiser or kept.opened().run.id != run_id:
        raise UserError(ErrorKind.NO_SUCH_RUN, run_id)
    return kept


def _refuse(manifest: RunManifest, own: str, last: Heartbeat | None, now: float) -> None:
    """Say for how long whoever leads the run has been silent, and for how long it has to be; raises UserError."""
    silence = f"{silence_seconds(manifest, own):.0f}"
    ago = f"{max(0.0, now - last.at):.0f}" if last is not None else "?"
    raise UserError(
        ErrorKind.USAGE,
        localized("Whoever leads the run was there %1 s ago; this key may take over after %2 s.", ago, silence),
    )


def _inherit(control: ControlValue, swarm: Swarm, now: float) -> None:
    """Sign what those before us have asked of all peers, if we have not done so."""
    path = kept_control_file(swarm.folder, control.run_id)
    if control.number > kept_control(path, swarm.peer_id, control.run_id).number:
        keep_record(path, sign_control(control.ordered(control.order, now), swarm.identity))


def _inherit_blocks(before: BlockList, files: PeerFiles, now: float) -> None:
    """Begin our block list with the one that is in force, so that whoever signed that has no say in it any more."""
    file = JsonFile[BlockList](files.block_list_file, BlockList)
    own = file.read()
    if own is None or own.run_id != before.run_id:
        own = BlockList(run_id=before.run_id)
    try:
        file.write(own.continued(before, now))
    except OSError as error:
        raise storage_problem(error, file.path) from error


def _heartbeat(manifest: RunManifest, swarm: Swarm, *, takes_over: bool = False) -> HeartbeatPublisher | None:
    """What publishes that we are there; nothing where the run names no successors, to whom that matters."""
    if not manifest.succession.keys:
        return None
    silence = float(manifest.succession.after_seconds)
    return HeartbeatPublisher(swarm, manifest.run.id, silence, takes_over=takes_over)
