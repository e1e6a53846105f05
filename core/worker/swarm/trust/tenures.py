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
from core.run.steering.authority import (
    CLOCK_SECONDS,
    MAX_TENURE_BYTES,
    RunAuthority,
    Tenure,
    authority_of,
    sign_tenure,
    tenure_in,
)
from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.dht.peer_values import dht_key, values_of
from core.worker.swarm.dht.publisher import Publisher, Republisher, StartThread

DHT_KIND = "workerbee_tenures"  # of values, in the DHT key

_Signed = Annotated[bytes, Meta(max_length=MAX_TENURE_BYTES)]

log = logging.getLogger(__name__)


class AuthorityReader:
    """Finds out who leads a run; the tenures that were seen are kept in a file of ``folder``, where that is given.

    ``on_newer`` is called with the signer of each newer tenure and the signed bytes.
    """

    def __init__(
        self,
        dht: DHT,
        run_id: str,
        folder: Path | None = None,
        on_newer: Callable[[str, bytes], None] = lambda signer, signed: None,
    ) -> None:
        self._dht, self._run_id, self._on_newer = dht, run_id, on_newer
        self._file: JsonFile[dict[str, _Signed]] | None = None
        if folder is not None:
            self._file = JsonFile(folder / f"tenures-{run_id}.json", dict[str, _Signed])
        self._signed = (self._file.load() or {}) if self._file is not None else {}
        self._tenures = dict[str, Tenure]()

    def poll(self, manifest: RunManifest, organiser: str) -> RunAuthority:
        """Who leads the run by what is known now; one that names no successors is not looked for."""
        signers = (organiser, *manifest.succession.keys)
        if not organiser or not manifest.succession.keys:
            return RunAuthority.of(manifest, organiser)
        if not self._tenures:
            for signer, signed in [*self._signed.items()]:
                self._see(signer, signed)
        found = values_of(self._dht, dht_key(self._run_id, DHT_KIND), signers, MAX_TENURE_BYTES)
        if sum(self._see(signer, signed) for signer, signed in found) and self._file is not None:
            self._file.save(self._signed)
        return authority_of(manifest, organiser, self._tenures, time.time())

    @property
    def tenures(self) -> dict[str, Tenure]:
        """The newest that are known, by their signers."""
        return dict(self._tenures)

    def _see(self, signer: str, signed: bytes) -> bool:
        """Take note of what is stored under that peer id, if it is newer and not of the future."""
        tenure, known = tenure_in(signed, signer, self._run_id), self._tenures.get(signer)
        if tenure is None or tenure.at > time.time() + CLOCK_SECONDS or (known is not None and known.at >= tenure.at):
            return False
        self._tenures[signer], self._signed[signer] = tenure, signed
        self._on_newer(signer, signed)
        return True


def tenure_republisher(dht: DHT, run_id: str, start_thread: StartThread) -> Republisher:
    """What keeps others' tenures in the DHT, so that whoever comes later knows who leads the run, and since when."""
    return Republisher(dht, dht_key(run_id, DHT_KIND), start_thread)


class TenurePublisher:
    """Publishes our own tenure, and keeps it in a file of our folder for the next start.

    ``takes_over`` begins a new one, as a successor's; ``silence_seconds`` is how long we may have been away without
    beginning another.
    """

    def __init__(self, swarm: Swarm, run_id: str, silence_seconds: float, *, takes_over: bool) -> None:
        self._identity, self._silence_seconds = swarm.identity, silence_seconds
        self._file = JsonFile[dict[str, _Signed]](swarm.folder / f"own-tenure-{run_id}.json", dict[str, _Signed])
        now, kept = time.time(), (self._file.load() or {}).get(swarm.peer_id)
        last = None if kept is None else tenure_in(kept, swarm.peer_id, run_id)
        fresh = Tenure(run_id=run_id, since=now, at=now, taken_over=now if takes_over else 0.0)
        self._tenure = fresh if takes_over or last is None else last
        self._publisher = Publisher(swarm.dht, dht_key(run_id, DHT_KIND), swarm.peer_id, self._renewed())

    def start(self, start_thread: StartThread) -> None:
        """Publish it, and go on doing so in the background."""
        self._publisher.start(start_thread)

    def renew(self) -> None:
        """Sign that we are still there."""
        self._publisher.publish_instead(self._renewed())

    def _renewed(self) -> bytes:
        self._tenure = self._tenure.renewed(time.time(), self._silence_seconds)
        signed = sign_tenure(self._tenure, self._identity)
        self._file.save({self._identity.peer_id: signed})
        return signed
