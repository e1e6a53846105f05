"""Publish a run's manifest in the swarm's DHT, and find those that others have published."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

from hivemind.dht import DHT, DHTNode
from hivemind.dht.routing import DHTID
from hivemind.dht.validation import DHTRecord, RecordValidatorBase
from hivemind.utils import MSGPackSerializer, get_dht_time

from core.manifest import RunManifest
from core.problems import ClientError, Problem
from core.signed_manifest import MAX_RECORD_BYTES, SignedManifest
from core.worker.swarm.records import read_dictionary

_PACKING_BYTES = 16  # around what the DHT packs once more
RUNS_KEY = "workerbee_runs"
LIFETIME_SECONDS = 600.0
MOST_REVISIONS = 10_000  # that are remembered, of as many runs
REPUBLISH_SECONDS = 120.0
_RUNS_ID = DHTID.generate(source=RUNS_KEY)
_RUNS_KEY_ID = _RUNS_ID.to_bytes()
# Anybody may sign runs; whoever asks for them must get the answer over a slow line in three seconds.
ROOM = {_RUNS_ID: 256 * 1024}

log = logging.getLogger(__name__)


@dataclass
class FoundManifests:
    """The newest revision of every run whose signature holds, and why the others were refused, by run id."""

    open: dict[tuple[str, str], tuple[SignedManifest, RunManifest]] = field(default_factory=dict)
    refused: dict[str, ClientError] = field(default_factory=dict)


class ManifestValidator(RecordValidatorBase):
    """Keeps forgeries, plain values and older revisions out of this peer's part of the DHT.

    WORKAROUND: and whatever does not decode, under any key: hivemind's own ``get`` would never answer.
    """

    def __init__(self, most_revisions: int = MOST_REVISIONS) -> None:
        self._newest: dict[bytes, int] = {}
        self._most = most_revisions

    def validate(self, record: DHTRecord) -> bool:
        """Whether the record may be stored; what records under other keys say is none of our business."""
        if record.key != _RUNS_KEY_ID:
            return _does_decode(record.value)
        try:
            _signed, manifest = _open(record)
        except ClientError as error:
            log.info("refused to store a manifest: %s", error)
            return False
        newest = self._newest[record.subkey] = max(self._newest.pop(record.subkey, 0), manifest.revision)
        if len(self._newest) > self._most:
            del self._newest[next(iter(self._newest))]
        return manifest.revision == newest

    def merge_with(self, other: RecordValidatorBase) -> bool:
        """One of us is enough."""
        return isinstance(other, ManifestValidator)


class Publisher:
    """Stores a signed manifest now and every two minutes: DHT records expire, and holders come and go."""

    def __init__(self, dht: DHT, signed: SignedManifest, run_id: str) -> None:
        self._dht, self._signed, self._run_id = dht, signed, run_id
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._publish, daemon=True)

    def start(self) -> None:
        """Publish once before returning, then in the background."""
        self._store()
        self._thread.start()

    def publish_instead(self, signed: SignedManifest) -> None:
        """A newer one, of the same run."""
        self._signed = signed
        self._store()

    def end(self) -> None:
        """No longer publish; what is stored expires by itself."""
        self._ended.set()

    def _publish(self) -> None:
        while not self._ended.wait(REPUBLISH_SECONDS):
            self._store()

    def _store(self) -> None:
        subkey = _subkey(self._signed.organiser, self._run_id)
        value, until = self._signed.to_bytes(), get_dht_time() + LIFETIME_SECONDS
        try:
            self._dht.run_coroutine(partial(_keep, subkey=subkey, value=value, until=until))
            storing = self._dht.store(
                RUNS_KEY, subkey=subkey, value=value, expiration_time=until, return_future=True
            )
            storing.result(REPUBLISH_SECONDS)
        except Exception:
            log.exception("the manifest was not stored this time")


def find_manifests(dht: DHT, also_ask: Iterable[str]) -> FoundManifests:
    """Every run that is published; first those of ``also_ask``, the peer ids of the pasted address."""
    found = FoundManifests()
    pasted = tuple(also_ask)
    for record in read_dictionary(dht, RUNS_KEY, pasted):
        try:
            signed, manifest = _open(record)
        except ClientError as error:
            found.refused[_run_id_of(record)] = error
            continue
        key = signed.organiser, manifest.run.id
        if key not in found.open or found.open[key][1].revision < manifest.revision:
            found.open[key] = signed, manifest
    found.open = dict(sorted(found.open.items(), key=lambda item: item[0][0] not in pasted))
    return found


async def _keep(_dht: DHT, node: DHTNode, subkey: str, value: bytes, until: float) -> None:
    """In the DHT process: whoever was given our address asks us, however full the others are."""
    node.protocol.storage.keep(_RUNS_ID, subkey, MSGPackSerializer.dumps(value), until)


def _subkey(organiser: str, run_id: str) -> str:
    return f"{organiser}/{run_id}"


def _run_id_of(record: DHTRecord) -> str:
    """The run that a record claims to be about, for telling people why it was refused."""
    try:
        return str(MSGPackSerializer.loads(record.subkey)).rpartition("/")[2]
    except Exception:
        return ""


def _open(record: DHTRecord) -> tuple[SignedManifest, RunManifest]:
    """Verify first, parse second; raises ClientError for anything but the organiser's own record."""
    signed = SignedManifest.from_bytes(_bytes_in(record.value))
    manifest = signed.opened()
    if record.subkey != MSGPackSerializer.dumps(_subkey(signed.organiser, manifest.run.id)):
        raise ClientError(Problem.MANIFEST_REFUSED, "It stands under another run's name.")
    return signed, manifest


def _does_decode(value: bytes) -> bool:
    try:
        MSGPackSerializer.loads(value)
    except Exception:
        return False
    return True


def _bytes_in(value: bytes) -> bytes:
    """The DHT packs every value once more; strangers may have packed anything."""
    if len(value) > MAX_RECORD_BYTES + _PACKING_BYTES:
        raise ClientError(Problem.MANIFEST_REFUSED, f"Its record has {len(value)} bytes.")
    try:
        inner = MSGPackSerializer.loads(value)
    except Exception as error:
        raise ClientError(Problem.MANIFEST_REFUSED, "Its record does not decode.") from error
    if not isinstance(inner, bytes):
        raise ClientError(Problem.MANIFEST_REFUSED, "Its record is not a signed manifest.")
    return inner
