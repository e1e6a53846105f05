"""Publish a run's manifest in the swarm's DHT, and find those that others have published."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field

from hivemind.dht import DHT
from hivemind.dht.routing import DHTID
from hivemind.dht.validation import DHTRecord, RecordValidatorBase
from hivemind.utils import MSGPackSerializer, get_dht_time

from core.manifest import RunManifest
from core.problems import ClientError, Problem
from core.signed_manifest import SignedManifest
from core.worker.swarm.records import read_dictionary

RUNS_KEY = "workerbee_runs"
LIFETIME_SECONDS = 600.0
REPUBLISH_SECONDS = 120.0
_RUNS_KEY_ID = DHTID.generate(source=RUNS_KEY).to_bytes()

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

    def __init__(self) -> None:
        self._newest: dict[bytes, int] = {}

    def validate(self, record: DHTRecord) -> bool:
        """Whether the record may be stored; what records under other keys say is none of our business."""
        if record.key != _RUNS_KEY_ID:
            return _does_decode(record.value)
        try:
            _signed, manifest = _open(record)
        except ClientError as error:
            log.info("refused to store a manifest: %s", error)
            return False
        newest = self._newest[record.subkey] = max(self._newest.get(record.subkey, 0), manifest.revision)
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
        storing = self._dht.store(
            RUNS_KEY,
            subkey=_subkey(self._signed.organiser, self._run_id),
            value=self._signed.to_bytes(),
            expiration_time=get_dht_time() + LIFETIME_SECONDS,
            return_future=True,
        )
        try:
            storing.result(REPUBLISH_SECONDS)
        except Exception:
            log.exception("the manifest was not stored this time")


def find_manifests(dht: DHT, also_ask: Iterable[str]) -> FoundManifests:
    """Every run that the swarm publishes; ``also_ask`` are the peer ids of the pasted address."""
    found = FoundManifests()
    for record in read_dictionary(dht, RUNS_KEY, also_ask):
        try:
            signed, manifest = _open(record)
        except ClientError as error:
            found.refused[_run_id_of(record)] = error
            continue
        key = signed.organiser, manifest.run.id
        if key not in found.open or found.open[key][1].revision < manifest.revision:
            found.open[key] = signed, manifest
    return found


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
    try:
        inner = MSGPackSerializer.loads(value)
    except Exception as error:
        raise ClientError(Problem.MANIFEST_REFUSED, "Its record does not decode.") from error
    if not isinstance(inner, bytes):
        raise ClientError(Problem.MANIFEST_REFUSED, "Its record is not a signed manifest.")
    return inner
