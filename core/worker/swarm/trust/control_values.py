"""The organiser's control value in the DHT: published from a file that a command writes, and read by everybody.

What is signed, and how it is verified, is in ``core/run/steering/control_value.py``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
from hivemind.dht import DHT

from core.files.json_file import JsonFile
from core.run.steering.authority import RunAuthority
from core.run.steering.control_value import MAX_CONTROL_BYTES, ControlValue, control_in, newer_of, sign_control
from core.run.steering.kept_control import kept_control, kept_control_file
from core.run.steering.kept_record import keep_record, kept_record
from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.dht.peer_values import dht_key, values_of
from core.worker.swarm.dht.publisher import Publisher, Republisher, StartThread
from core.worker.swarm.dht.reader import Ask

DHT_KIND = "workerbee_control"  # of values, in the DHT key

log = logging.getLogger(__name__)


class ControlPublisher:
    """Publishes the control value in that file, signed, and again whenever the file has a newer one.

    ``completed`` fills in what only whoever trains knows, such as an epoch, at once or later; what was signed is kept
    beside the keys, so that a restart goes on from it.
    """

    def __init__(
        self, swarm: Swarm, run_id: str, path: Path, completed: Callable[[ControlValue], ControlValue]
    ) -> None:
        self._identity, self._completed = swarm.identity, completed
        self._file, self._kept = JsonFile[ControlValue](path, ControlValue), kept_control_file(swarm.folder, run_id)
        self._control = kept_control(self._kept, swarm.peer_id, run_id)
        self._publisher = Publisher(swarm.dht, dht_key(run_id, DHT_KIND), swarm.peer_id, self._signed())

    def start(self, start_thread: StartThread) -> None:
        """Publish what there is, and go on doing so in the background; newer values are taken by ``poll``."""
        self.poll()
        self._publisher.start(start_thread)

    def poll(self) -> ControlValue:
        """Sign and publish what the file says, if it is of this run and newer; what is published now."""
        try:
            found = self._file.read()
        except OSError as error:
            log.warning("the control value is not looked at this time: %s", error)
            return self._control
        if found is not None and found.run_id == self._control.run_id and found.number > self._control.number:
            self._publish(self._completed(found))
        elif (completed := self._completed(self._control)) != self._control:
            self._publish(msgspec.structs.replace(completed, number=completed.number + 1))
        return self._control

    def _publish(self, control: ControlValue) -> None:
        self._control = control
        keep_record(self._kept, self._signed())
        self._publisher.publish_instead(self._signed())

    def _signed(self) -> bytes:
        return sign_control(self._control, self._identity)


class ControlReader:
    """The newest control value of a run that was ever seen here, as whoever led the run at the time has signed it.

    Where there is a file, it is kept there: after a restart nobody can show an older one. ``on_newer`` is called with
    the signer and the signed bytes of each newer one. The ``authority`` is replaced as a whole. The first look asks all
    who may hold the value, every later one another of them (see `reader.Ask`).
    """

    def __init__(
        self,
        dht: DHT,
        run_id: str,
        authority: RunAuthority,
        kept: Path | None = None,
        on_newer: Callable[[str, bytes], None] = lambda signer, signed: None,
    ) -> None:
        self._dht, self._run_id, self.authority, self._kept = dht, run_id, authority, kept
        self._on_newer = on_newer
        self._ask: Ask = "all"
        self._newest = ControlValue(run_id=run_id)
        if kept is not None:
            for signer, control, signed in _kept_ones(kept, run_id, authority):
                self._newest = control
                on_newer(signer, signed)

    def poll(self) -> ControlValue:
        """Look for a newer value; the newest one."""
        leader, key, ask = self.authority.leader, dht_key(self._run_id, DHT_KIND), self._ask
        self._ask = "in turn"
        for _leader, signed in values_of(self._dht, key, (leader,), MAX_CONTROL_BYTES, ask=ask):
            newest = newer_of(self._newest, control_in(signed, leader, self._run_id))
            if newest is not self._newest:
                self._newest = newest
                if self._kept is not None:
                    keep_record(self._kept, signed)
                self._on_newer(leader, signed)
        return self._newest


def control_republisher(dht: DHT, run_id: str, start_thread: StartThread) -> Republisher:
    """What keeps a leader's control value in the DHT for it, so that it holds while the leader is away."""
    return Republisher(dht, dht_key(run_id, DHT_KIND), start_thread)


def control_now(swarm: Swarm, run_id: str, authority: RunAuthority) -> ControlValue:
    """The newest control value that is published, or was seen here before; nothing is kept."""
    now = ControlReader(swarm.dht, run_id, authority).poll()
    for _signer, control, _signed in _kept_ones(kept_control_file(swarm.folder, run_id), run_id, authority):
        now = newer_of(now, control)
    return now


def _kept_ones(path: Path, run_id: str, authority: RunAuthority) -> Iterator[tuple[str, ControlValue, bytes]]:
    """The value in that file with its signer, who leads the run or may have led it; nothing where there is none."""
    if (signed := kept_record(path, MAX_CONTROL_BYTES)) is None:
        return
    for signer in authority.widest.line:
        if (control := control_in(signed, signer, run_id)) is not None and control.number:
            yield signer, control, signed
