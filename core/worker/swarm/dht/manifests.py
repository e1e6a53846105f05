"""Publish a run's manifest in the swarm's DHT, and find those that others have published."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable
from dataclasses import dataclass, field

from hivemind.dht import DHT
from hivemind.dht.routing import DHTID
from hivemind.dht.validation import DHTRecord, RecordValidatorBase
from hivemind.utils import MSGPackSerializer

from core.errors import ErrorKind, UserError
from core.localizable import localized
from core.run.manifest import RunManifest
from core.run.signed_manifest import MAX_RECORD_BYTES, SignedManifest
from core.run.signed_record import CLOCK_SECONDS
from core.worker.swarm.dht.bounded_storage import Order
from core.worker.swarm.dht.publisher import LIFETIME_SECONDS, Publisher
from core.worker.swarm.dht.reader import Ask, read_dictionary
from core.worker.swarm.patches.monotonic_clock import steady_time

_PACKING_BYTES = 16  # around what the DHT packs once more
RUNS_KEY = "workerbee_runs"
MAX_REVISIONS = 10_000  # that are remembered, of as many runs
_RUNS_ID = DHTID.generate(source=RUNS_KEY)
_RUNS_KEY_ID = _RUNS_ID.to_bytes()
_LONGEST_SECONDS = LIFETIME_SECONDS + CLOCK_SECONDS
# Anybody may sign runs; whoever asks for them must get the answer over a slow line in three seconds.
STORAGE_BOUNDS = {_RUNS_ID: 256 * 1024}

log = logging.getLogger(__name__)


@dataclass
class FoundManifests:
    """The newest revision of every run whose signature holds, and why the others were refused, by run id."""

    open: dict[tuple[str, str], tuple[SignedManifest, RunManifest]] = field(default_factory=dict)
    refused: dict[str, UserError] = field(default_factory=dict)


class ManifestValidator(RecordValidatorBase):
    """Keeps forgeries, plain values, older revisions and endless records out of this peer's part of the DHT.

    WORKAROUND H26: and whatever does not decode, under any key: hivemind's own ``get`` would never answer.
    """

    def __init__(self, max_revisions: int = MAX_REVISIONS) -> None:
        self._newest: dict[bytes, int] = {}
        self._max = max_revisions

    def validate(self, record: DHTRecord) -> bool:
        """Whether the record may be stored; what records under other keys say is none of our business."""
        if record.key != _RUNS_KEY_ID:
            return _does_decode(record.value)
        if record.expiration_time > steady_time() + _LONGEST_SECONDS:
            return False
        try:
            _signed, manifest = _open(record)
        except UserError as error:
            log.info("refused to store a manifest: %s", error)
            return False
        newest = self._newest[record.subkey] = max(self._newest.pop(record.subkey, 0), manifest.revision)
        if len(self._newest) > self._max:
            del self._newest[next(iter(self._newest))]
        return manifest.revision == newest

    def merge_with(self, other: RecordValidatorBase) -> bool:
        """Whether the other one is ours, too: one of them is enough."""
        return isinstance(other, ManifestValidator)


def publisher_of(dht: DHT, signed: SignedManifest, run_id: str) -> Publisher:
    """A publisher that keeps that manifest in the swarm, once it is started."""
    return Publisher(dht, RUNS_KEY, _subkey(signed.organiser, run_id), signed.to_bytes())


def find_manifests(dht: DHT, also_ask: Iterable[str], *, ask: Ask = "all") -> FoundManifests:
    """Every run that is published; first those of ``also_ask``, the peer ids of the pasted address.

    Whoever looks again and again asks the holders ``in turn``.
    """
    found = FoundManifests()
    pasted = tuple(also_ask)
    for record in read_dictionary(dht, RUNS_KEY, pasted, ask=ask):
        try:
            signed, manifest = _open(record)
        except UserError as error:
            found.refused[_run_id_of(record)] = error
            continue
        key = signed.organiser, manifest.run.id
        if key not in found.open or found.open[key][1].revision < manifest.revision:
            found.open[key] = signed, manifest
    found.open = dict(sorted(found.open.items(), key=lambda item: item[0][0] not in pasted))
    return found


def _subkey(organiser: str, run_id: str) -> str:
    return f"{organiser}/{run_id}"


def _revision(subkey: object, value: bytes) -> float | None:
    """The revision of a manifest under that subkey; ``None`` where there is none."""
    with contextlib.suppress(UserError):
        return _open(DHTRecord(_RUNS_KEY_ID, MSGPackSerializer.dumps(subkey), value, 0.0))[1].revision
    return None


STORAGE_ORDERS: dict[DHTID, Order] = {_RUNS_ID: _revision}
"""By what later values take the place of earlier ones, by key."""


def _run_id_of(record: DHTRecord) -> str:
    """The run that a record claims to be about, for telling people why it was refused."""
    try:
        return str(MSGPackSerializer.loads(record.subkey)).rpartition("/")[2]
    except Exception:
        return ""


def _open(record: DHTRecord) -> tuple[SignedManifest, RunManifest]:
    """Verify first, parse second; raises UserError for anything but the organiser's own record."""
    signed = SignedManifest.from_bytes(_bytes_in(record.value))
    manifest = signed.opened()
    if record.subkey != MSGPackSerializer.dumps(_subkey(signed.organiser, manifest.run.id)):
        raise UserError(ErrorKind.MANIFEST_REFUSED, localized("It stands under another run's name."))
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
        raise UserError(ErrorKind.MANIFEST_REFUSED, localized("Its record has %1 bytes.", len(value)))
    try:
        inner = MSGPackSerializer.loads(value)
    except Exception as error:
        raise UserError(ErrorKind.MANIFEST_REFUSED, localized("Its record does not decode.")) from error
    if not isinstance(inner, bytes):
        raise UserError(ErrorKind.MANIFEST_REFUSED, localized("Its record is not a signed manifest."))
    return inner
