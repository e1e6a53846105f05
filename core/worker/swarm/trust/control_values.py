"""The organiser's control value in the DHT: published from a file that a command writes, and read by everybody.

What is signed, and how it is verified, is in ``core/run/steering/control_value.py``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from hivemind.dht import DHT

from core.files.json_file import JsonFile
from core.run.steering.control_value import MAX_CONTROL_BYTES, ControlValue, control_in, newer_of, sign_control
from core.run.steering.kept_control import keep_control, kept_control, kept_control_bytes, kept_control_file
from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.dht.organiser_values import values_of
from core.worker.swarm.dht.publisher import Publisher, StartThread

KEY_END = "workerbee_control"  # of the DHT key; the run's id is its beginning

log = logging.getLogger(__name__)


class ControlPublisher:
    """Publishes the control value in that file, signed, and again whenever the file has a newer one.

    ``completed`` fills in what only whoever trains knows, such as an epoch; what was signed is kept beside the keys,
    so that a restart goes on from it.
    """

    def __init__(
        self, swarm: Swarm, run_id: str, path: Path, completed: Callable[[ControlValue], ControlValue]
    ) -> None:
        self._identity, self._completed = swarm.identity, completed
        self._file, self._kept = JsonFile[ControlValue](path, ControlValue), kept_control_file(swarm.folder, run_id)
        self._control = kept_control(self._kept, swarm.peer_id, run_id)
        self._publisher = Publisher(swarm.dht, _key(run_id), swarm.peer_id, self._signed())

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
            self._control = self._completed(found)
            keep_control(self._kept, self._signed())
            self._publisher.publish_instead(self._signed())
        return self._control

    def _signed(self) -> bytes:
        return sign_control(self._control, self._identity)


class ControlReader:
    """The newest control value of a run that was ever seen here, as its organiser, a peer id, has signed it.

    Where there is a file, it is kept there: after a restart nobody can show an older one. ``on_newer`` is called with
    the signed bytes of each newer one.
    """

    def __init__(
        self,
        dht: DHT,
        run_id: str,
        organiser: str,
        kept: Path | None = None,
        on_newer: Callable[[bytes], None] = lambda signed: None,
    ) -> None:
        self._dht, self._run_id, self._organiser, self._kept = dht, run_id, organiser, kept
        self._on_newer = on_newer
        self._newest = ControlValue(run_id=run_id)
        if kept is not None and (signed := kept_control_bytes(kept)) is not None:
            self._newest = control_in(signed, organiser, run_id) or self._newest
            if self._newest.number:
                on_newer(signed)

    def poll(self) -> ControlValue:
        """Look for a newer value; the newest one."""
        for _organiser, signed in values_of(self._dht, _key(self._run_id), (self._organiser,), MAX_CONTROL_BYTES):
            newest = newer_of(self._newest, control_in(signed, self._organiser, self._run_id))
            if newest is not self._newest:
                self._newest = newest
                if self._kept is not None:
                    keep_control(self._kept, signed)
                self._on_newer(signed)
        return self._newest


class ControlRepublisher:
    """Keeps the organiser's control value in the DHT for it, so that it holds while the organiser is away."""

    def __init__(self, swarm: Swarm, run_id: str, organiser: str, start_thread: StartThread) -> None:
        self._dht, self._run_id, self._organiser, self._start_thread = swarm.dht, run_id, organiser, start_thread
        self._publisher: Publisher | None = None

    def publish(self, signed: bytes) -> None:
        """Publish that signed value from now on."""
        if self._publisher is not None:
            self._publisher.publish_instead(signed)
            return
        self._publisher = Publisher(self._dht, _key(self._run_id), self._organiser, signed)
        self._publisher.start(self._start_thread)


def control_now(swarm: Swarm, run_id: str, organiser: str) -> ControlValue:
    """The newest control value that is published, or was seen here before; nothing is kept."""
    kept = kept_control(kept_control_file(swarm.folder, run_id), organiser, run_id)
    return newer_of(kept, ControlReader(swarm.dht, run_id, organiser).poll())


def _key(run_id: str) -> str:
    return f"{run_id}_{KEY_END}"
