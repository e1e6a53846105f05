"""Who leads a run, as its DHT tells: those who may sign that they are there, and every peer reads it.

What is signed, and whom it makes the leader, is in ``core/run/steering/authority.py``.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from hivemind.dht import DHT
from msgspec import Meta

from core.files.json_file import JsonFile
from core.run.manifest import RunManifest
from core.run.signed_record import CLOCK_SECONDS
from core.run.steering.authority import (
    MAX_HEARTBEAT_BYTES,
    Heartbeat,
    RunAuthority,
    authority_of,
    heartbeat_in,
    sign_heartbeat,
)
from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.dht.peer_values import dht_key, values_of
from core.worker.swarm.dht.publisher import Publisher, Republisher, StartThread
from core.worker.swarm.dht.reader import Ask

DHT_KIND = "workerbee_heartbeats"  # of values, in the DHT key

_Signed = Annotated[bytes, Meta(max_length=MAX_HEARTBEAT_BYTES)]

log = logging.getLogger(__name__)


class AuthorityReader:
    """Finds out who leads a run; the heartbeats that were seen are kept in a file of ``folder``, where that is given.

    ``on_newer`` is called with the signer of each newer heartbeat and the signed bytes. The first look asks all who may
    hold them, every later one another of them (see `reader.Ask`).
    """

    def __init__(
        self,
        dht: DHT,
        run_id: str,
        folder: Path | None = None,
        on_newer: Callable[[str, bytes], None] = lambda signer, signed: None,
    ) -> None:
        self._dht, self._run_id, self._on_newer = dht, run_id, on_newer
        self._ask: Ask = "all"
        self._file: JsonFile[dict[str, _Signed]] | None = None
        if folder is not None:
            self._file = JsonFile(folder / f"heartbeats-{run_id}.json", dict[str, _Signed])
        self._signed = (self._file.load() or {}) if self._file is not None else {}
        self._heartbeats = dict[str, Heartbeat]()

    def poll(self, manifest: RunManifest, organiser: str) -> RunAuthority:
        """Who leads the run by what is known now; one that names no successors is not looked for."""
        signers = (organiser, *manifest.succession.keys)
        if not organiser or not manifest.succession.keys:
            return RunAuthority.of(manifest, organiser)
        if not self._heartbeats:
            for signer, signed in [*self._signed.items()]:
                self._see(signer, signed)
        ask, self._ask = self._ask, "in turn"
        found = values_of(self._dht, dht_key(self._run_id, DHT_KIND), signers, MAX_HEARTBEAT_BYTES, ask=ask)
        if sum(self._see(signer, signed) for signer, signed in found) and self._file is not None:
            self._file.save(self._signed)
        return authority_of(manifest, organiser, self._heartbeats, time.time())

    @property
    def heartbeats(self) -> dict[str, Heartbeat]:
        """The newest that are known, by their signers."""
        return dict(self._heartbeats)

    def _see(self, signer: str, signed: bytes) -> bool:
        """Take note of what is stored under that peer id, if it is newer and not of the future."""
        heartbeat, known = heartbeat_in(signed, signer, self._run_id), self._heartbeats.get(signer)
        if (
            heartbeat is None
            or heartbeat.at > time.time() + CLOCK_SECONDS
            or (known is not None and known.at >= heartbeat.at)
        ):
            return False
        self._heartbeats[signer], self._signed[signer] = heartbeat, signed
        self._on_newer(signer, signed)
        return True


def heartbeat_republisher(dht: DHT, run_id: str, start_thread: StartThread) -> Republisher:
    """What keeps others' heartbeats in the DHT, so that whoever comes later knows who leads the run, and since when."""
    return Republisher(dht, dht_key(run_id, DHT_KIND), start_thread)


class HeartbeatPublisher:
    """Publishes our own heartbeat, and keeps it in a file of our folder for the next start.

    With ``takes_over`` it is a new one, a successor's; ``silence_seconds`` is how long we may have been away without
    beginning another.
    """

    def __init__(self, swarm: Swarm, run_id: str, silence_seconds: float, *, takes_over: bool) -> None:
        self._identity, self._silence_seconds = swarm.identity, silence_seconds
        self._file = JsonFile[dict[str, _Signed]](swarm.folder / f"own-heartbeat-{run_id}.json", dict[str, _Signed])
        now, kept = time.time(), (self._file.load() or {}).get(swarm.peer_id)
        last = None if kept is None else heartbeat_in(kept, swarm.peer_id, run_id)
        fresh = Heartbeat(run_id=run_id, since=now, at=now, taken_over=now if takes_over else 0.0)
        self._heartbeat = fresh if takes_over or last is None else last
        self._publisher = Publisher(swarm.dht, dht_key(run_id, DHT_KIND), swarm.peer_id, self._renewed())

    def start(self, start_thread: StartThread) -> None:
        """Publish it, and go on doing so in the background."""
        self._publisher.start(start_thread)

    def renew(self) -> None:
        """Sign that we are still there."""
        self._publisher.publish_instead(self._renewed())

    def _renewed(self) -> bytes:
        self._heartbeat = self._heartbeat.renewed(time.time(), self._silence_seconds)
        signed = sign_heartbeat(self._heartbeat, self._identity)
        self._file.save({self._identity.peer_id: signed})
        return signed
