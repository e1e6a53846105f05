"""What a volunteer hears of who leads its run, and of what that one asks of all peers."""

from __future__ import annotations

import logging
from collections.abc import Callable

from core.errors import ErrorKind
from core.protocol.events import Warned
from core.run.manifest import RunManifest
from core.run.steering.authority import RunAuthority
from core.run.steering.control_value import ControlValue
from core.run.steering.kept_control import kept_control_file
from core.worker.process.channel import WorkerChannel
from core.worker.process.supervisor import StartThread
from core.worker.roles.steering.found_run import FoundRun
from core.worker.swarm import AuthorityReader, ControlReader, Swarm, control_republisher, heartbeat_republisher

log = logging.getLogger(__name__)


class LeaderOrders:
    """Looks for who leads a run and for that one's control value, and helps to keep both where others can reach us.

    ``know_authority`` is called whenever somebody else leads the run, or its keepers have changed.
    """

    def __init__(
        self,
        run: FoundRun,
        swarm: Swarm,
        know_authority: Callable[[RunAuthority], None],
        channel: WorkerChannel,
        start_thread: StartThread,
    ) -> None:
        run_id, self._organiser, self._channel = run.manifest.run.id, run.organiser, channel
        self._know_authority, dht, folder = know_authority, swarm.dht, swarm.folder
        keep_heartbeat: Callable[[str, bytes], None] = _ignore
        keep_control: Callable[[str, bytes], None] = _ignore
        if swarm.mode == "direct":
            keep_heartbeat = heartbeat_republisher(dht, run_id, start_thread).publish
            keep_control = control_republisher(dht, run_id, start_thread).publish
        self._authorities = AuthorityReader(dht, run_id, folder, keep_heartbeat)
        kept = kept_control_file(folder, run_id)
        self._controls = ControlReader(dht, run_id, run.authority, kept, keep_control)

    def poll(self, manifest: RunManifest) -> tuple[ControlValue, RunAuthority]:
        """The newest control value, and who leads the run by that manifest, its newest."""
        before, authority = self._controls.authority, self._authorities.poll(manifest, self._organiser)
        if authority != before:
            log.info("the run is led by %s", authority.leader)
            self._controls.authority = authority
            self._know_authority(authority)
        if authority.leader != before.leader:
            self._channel.emit(Warned(problem=ErrorKind.RUN_TAKEN_OVER.key, detail=authority.leader_key))
        return self._controls.poll(), authority


def _ignore(_signer: str, _signed: bytes) -> None:
    """What whoever cannot be reached does with records of others: nobody would ask us for them."""
