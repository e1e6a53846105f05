"""The signed records that the peers of a run keep in its DHT, one kind of them under each key.

A key holds a dictionary. Its subkeys are the RSA public keys of the peers, as hivemind's ``RSASignatureValidator``
writes them (``[owner:ssh-rsa …]``), and each peer signs its own value. Plain hivemind peers keep the kinds that they
do not know as any other record.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from types import GenericAlias
from typing import Any, Generic, TypeVar

from hivemind.dht import DHT
from hivemind.dht.crypto import RSASignatureValidator
from hivemind.dht.schema import BytesWithPublicKey, SchemaValidator
from hivemind.dht.validation import DHTRecord
from hivemind.optim.progress_tracker import LocalTrainingProgress, TrainingProgressSchema
from pydantic.v1 import (
    BaseModel,
    Extra,
    StrictBool,
    StrictFloat,
    StrictInt,
    conbytes,
    confloat,
    conint,
    conlist,
    constr,
    create_model,
)

from core.energy import MAX_DEVICE_WATTS
from core.security.sanitize import MAX_DEVICE_CHARACTERS, MAX_NAME_CHARACTERS, MAX_VERSION_CHARACTERS
from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.dht.peer_values import dht_key
from core.worker.swarm.dht.reader import Ask, forget, parse_record, read_signed
from core.worker.swarm.patches.monotonic_clock import steady_time
from core.worker.swarm.patches.size_limits import MAX_PEER_ID_BYTES

MAX_ADDRESSES = 2
MAX_ADDRESS_CHARACTERS = 80
MAX_SUSPECTS = 16  # that one peer names; a record has 4 KiB at the most
MAX_NORMS = 32  # that one peer tells of others
MAX_SAMPLES = 2**40  # of one peer in one epoch; those of a million peers still fit on a line

MAX_ROUNDS = 2**31
MAX_REASON_CHARACTERS = 120
MAX_DIALLERS = 1000  # that have tried to dial one peer
MAX_TRAFFIC_BYTES = 2**50  # of one worker's life; a million of them can still be added up
MAX_JOULES = 2**40  # of one worker's life: the same for seven years

_Record = TypeVar("_Record", bound=BaseModel)


class OwnRecord(BaseModel):
    """A record of a kind of our own, in which an unknown field is an error."""

    class Config:
        """The settings of pydantic for all."""

        extra = Extra.forbid


class PeerInfo(OwnRecord):
    """What a peer of ours says of itself for people: a name that it chose, and its device."""

    name: constr(max_length=MAX_NAME_CHARACTERS, strict=True) = ""  # type: ignore[valid-type]
    device: constr(max_length=MAX_DEVICE_CHARACTERS, strict=True) = ""  # type: ignore[valid-type]


class ActivityRecord(OwnRecord):
    """What a peer of ours counts since its worker started; the fields are those of ``PeerActivity``.

    It is a record of its own, because a Workerbee that does not know it refuses a PeerInfo with one field more.
    """

    version: constr(max_length=MAX_VERSION_CHARACTERS, regex=r"^[0-9A-Za-z.+ -]*\Z", strict=True) = ""  # type: ignore[valid-type]
    whole: conint(ge=0, le=MAX_ROUNDS, strict=True) = 0  # type: ignore[valid-type]
    partial: conint(ge=0, le=MAX_ROUNDS, strict=True) = 0  # type: ignore[valid-type]
    failed: conint(ge=0, le=MAX_ROUNDS, strict=True) = 0  # type: ignore[valid-type]
    sent_bytes: conint(ge=0, le=MAX_TRAFFIC_BYTES, strict=True) = 0  # type: ignore[valid-type]
    received_bytes: conint(ge=0, le=MAX_TRAFFIC_BYTES, strict=True) = 0  # type: ignore[valid-type]


class HealthRecord(OwnRecord):
    """Why the latest of a peer's last rounds was not whole, and how many who dialled it ``reached`` it or did not.

    It is a record of its own, because a Workerbee that does not know it refuses an ActivityRecord with one field more.
    """

    reason: constr(max_length=MAX_REASON_CHARACTERS, strict=True) = ""  # type: ignore[valid-type]
    reached: conint(ge=0, le=MAX_DIALLERS, strict=True) = 0  # type: ignore[valid-type]
    unreached: conint(ge=0, le=MAX_DIALLERS, strict=True) = 0  # type: ignore[valid-type]


class DisclosureRecord(OwnRecord):
    """What a volunteer has chosen to tell besides name and device; the fields are those of ``Disclosure``.

    It is a record of its own, because a Workerbee that does not know it refuses a PeerInfo with one field more, and so
    that whoever tells nothing publishes nothing.
    """

    may_be_named: StrictBool = False
    country: constr(regex=r"^([A-Z]{2})?\Z", strict=True) = ""  # type: ignore[valid-type]


class PowerRecord(OwnRecord):
    """What a peer's device draws, and has drawn since its worker started; of those alone whose driver measures it."""

    watts: conint(ge=0, le=MAX_DEVICE_WATTS, strict=True)  # type: ignore[valid-type]
    joules: conint(ge=0, le=MAX_JOULES, strict=True)  # type: ignore[valid-type]


class LanAddresses(OwnRecord):
    """Where a direct peer is within its own home network: multiaddrs without its peer id.

    WORKAROUND H34: libp2p passes no private address on through public peers, and many a router does not lead its own
    public address back. Whoever is in the same private network dials these.
    """

    addresses: conlist(  # type: ignore[valid-type]
        constr(max_length=MAX_ADDRESS_CHARACTERS, strict=True), max_items=MAX_ADDRESSES
    )


class SuspectRecord(OwnRecord):
    """Another peer by its id: in how many ``rounds`` it was an outlier, and how many ``states`` of it were refused."""

    peer_id: constr(min_length=1, max_length=MAX_PEER_ID_BYTES, strict=True)  # type: ignore[valid-type]
    rounds: conint(ge=0, le=10**6, strict=True)  # type: ignore[valid-type]
    states: conint(ge=0, le=10**6, strict=True)  # type: ignore[valid-type]


class SuspectsRecord(OwnRecord):
    """What a peer of ours has seen of others that cannot be right; see `SuspectLedger`."""

    suspects: conlist(SuspectRecord, max_items=MAX_SUSPECTS)  # type: ignore[valid-type]


class NormRecord(OwnRecord):
    """How large what another peer has sent is beside what others have: the median of the last so many ``rounds``.

    No Workerbee shows ``rounds``; whoever watches a run's records with a program of its own may weigh the ratio by it.
    A Workerbee that knows this record refuses one without that field, as it does one with a field more.
    """

    peer_id: constr(min_length=1, max_length=MAX_PEER_ID_BYTES, strict=True)  # type: ignore[valid-type]
    ratio: confloat(gt=0.0, le=1e6, strict=True)  # type: ignore[valid-type]
    rounds: conint(ge=1, le=1000, strict=True)  # type: ignore[valid-type]


class NormsRecord(OwnRecord):
    """What a peer of ours has measured as a reducer; see `rules.norm_ratios`."""

    norms: conlist(NormRecord, max_items=MAX_NORMS)  # type: ignore[valid-type]


class LocalMetrics(BaseModel):
    """A peer's last epoch, as hivemind's ALBERT example has it; ``loss`` is the sum over ``mini_steps``."""

    step: StrictInt
    samples_per_second: StrictFloat
    samples_accumulated: StrictInt
    loss: StrictFloat
    mini_steps: StrictInt


class ProgressRecord(LocalTrainingProgress):
    """A peer's progress, with numbers that can be added up; hivemind's tracker itself accepts any."""

    peer_id: conbytes(max_length=MAX_PEER_ID_BYTES)  # type: ignore[valid-type]
    epoch: conint(ge=0, le=2**31, strict=True)  # type: ignore[valid-type]
    samples_accumulated: conint(ge=0, le=MAX_SAMPLES, strict=True)  # type: ignore[valid-type]
    samples_per_second: confloat(ge=0.0, le=1e15, strict=True)  # type: ignore[valid-type]
    time: confloat(ge=0.0, le=1e12, strict=True)  # type: ignore[valid-type]


@dataclass(frozen=True)
class RecordKind(Generic[_Record]):
    """One kind of record: its key is the run's id and ``key_end``."""

    key_end: str
    model: type[_Record]
    lifetime_seconds: float

    def key(self, run_id: str) -> str:
        """The DHT key of this kind in that run."""
        return dht_key(run_id, self.key_end)

    def publish(self, swarm: Swarm, run_id: str, record: _Record) -> None:
        """Store our own record for ``lifetime_seconds``; does not wait."""
        swarm.dht.store(
            self.key(run_id),
            subkey=RSASignatureValidator(swarm.progress_key).local_public_key,
            value=record.dict(),
            expiration_time=steady_time() + self.lifetime_seconds,
            return_future=True,
        )

    def read(self, dht: DHT, run_id: str, also_ask: Iterable[str] = (), *, ask: Ask = "all") -> dict[bytes, _Record]:
        """Everybody's, by subkey, as `read_signed` reads them. A peer has the same subkey in all kinds."""
        found = read_signed(dht, self.key(run_id), also_ask, ask=ask).items()
        parsed = {subkey: parse_record(self.model, value) for subkey, value in found}
        return {subkey: record for subkey, record in parsed.items() if record is not None}


METRICS = RecordKind("metrics", LocalMetrics, 600.0)
PEER_INFO = RecordKind("workerbee_peers", PeerInfo, 300.0)
ACTIVITY = RecordKind("workerbee_activity", ActivityRecord, 300.0)
HEALTH = RecordKind("workerbee_health", HealthRecord, 300.0)
DISCLOSURES = RecordKind("workerbee_disclosures", DisclosureRecord, 300.0)
POWER = RecordKind("workerbee_power", PowerRecord, 300.0)
LAN_ADDRESSES = RecordKind("workerbee_nearby", LanAddresses, 300.0)
SUSPECTS = RecordKind("workerbee_suspects", SuspectsRecord, 600.0)
NORMS = RecordKind("workerbee_norms", NormsRecord, 300.0)
PROGRESS = RecordKind("progress", ProgressRecord, 60.0)  # hivemind's tracker publishes ours

_OWN_KINDS: tuple[RecordKind[Any], ...] = (
    METRICS,
    PEER_INFO,
    ACTIVITY,
    HEALTH,
    DISCLOSURES,
    POWER,
    LAN_ADDRESSES,
    SUSPECTS,
    NORMS,
)
_fields: dict[str, Any] = {
    kind.key_end: (GenericAlias(dict, (BytesWithPublicKey, kind.model)), ...) for kind in _OWN_KINDS
}
RunRecordsSchema = create_model("RunRecordsSchema", __module__=__name__, **_fields)  # pickled by its name
"""What hivemind's SchemaValidator checks before it is stored; the fields are the keys' ends."""


class RecordSchemas(SchemaValidator):
    """hivemind's validator of records by schemas, which refuses whatever it cannot validate.

    WORKAROUND H80: hivemind's raises TypeError for a list as a subkey, and may raise anything else: who looks for what
    others hold then has an exception in place of their records, or takes who answers with such a record for one that
    does not answer. The schemas of hivemind's validators that are added later become part of this one.
    """

    def validate(self, record: DHTRecord) -> bool:
        """Whether the record matches a schema, or there is none for its key."""
        try:
            return bool(super().validate(record))
        except Exception:  # strangers may have packed anything
            return False


def guard_records(swarm: Swarm, run_id: str) -> None:
    """Refuse to store what is not a record of a run's kinds, and forget what is there; call it before anything is read.

    WORKAROUND H30: hivemind believes whatever lies in its own part of the DHT, without a look at it.
    """
    schemas = (RunRecordsSchema, TrainingProgressSchema)
    swarm.dht.add_validators([RecordSchemas(schema, prefix=run_id) for schema in schemas])
    forget(swarm.dht, *(kind.key(run_id) for kind in (*_OWN_KINDS, PROGRESS)))
