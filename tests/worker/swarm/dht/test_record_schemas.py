"""Whatever a stranger has packed, a record of a run's kinds is valid or is not: validating it raises nothing."""

from __future__ import annotations

import pytest
from hivemind.dht.crypto import RSASignatureValidator
from hivemind.dht.routing import DHTID
from hivemind.dht.schema import SchemaValidator
from hivemind.dht.validation import CompositeValidator, DHTRecord
from hivemind.optim.progress_tracker import LocalTrainingProgress, TrainingProgressSchema
from hivemind.utils import MSGPackSerializer, get_dht_time

from core.worker.swarm.dht.manifests import ManifestValidator
from core.worker.swarm.dht.rsa_validator import Signatures
from core.worker.swarm.dht.run_records import RecordSchemas, RunRecordsSchema

RUN_ID = "sums"
DEEP = 1_500  # lists in lists, which msgpack reads, and whose printing ends by Python's limit of recursion
OWNER = MSGPackSerializer.dumps(RSASignatureValidator().local_public_key)


def run_validator() -> CompositeValidator:
    """As a peer of a run has it, once hivemind's tracker has added its own."""
    made = CompositeValidator([ManifestValidator(), Signatures()])
    made.extend([RecordSchemas(schema, prefix=RUN_ID) for schema in (RunRecordsSchema, TrainingProgressSchema)])
    made.extend([SchemaValidator(TrainingProgressSchema, prefix=RUN_ID)])
    return made


def progress_record(subkey: bytes, value: bytes) -> DHTRecord:
    """What somebody stores among the reports of progress, signed where it is ours."""
    record = DHTRecord(DHTID.generate(source=f"{RUN_ID}_progress").to_bytes(), subkey, value, get_dht_time() + 30.0)
    signed = RSASignatureValidator().sign_value(record)
    return DHTRecord(record.key, subkey, signed, record.expiration_time)


@pytest.mark.parametrize(
    ("subkey", "value"),
    [
        (b"\x91\x01", MSGPackSerializer.dumps({"a": 1})),
        (b"\x81\x01\x02", MSGPackSerializer.dumps({"a": 1})),
        (b"\xc1", MSGPackSerializer.dumps({"a": 1})),
        (OWNER, b"\xc1"),
        (OWNER, b"\x81\x91\x01\x01"),  # a dictionary with a list as a key
        (OWNER, b"\x91" * (DEEP - 1) + b"\x01"),
        (b"\x91" * DEEP + b"\x01", MSGPackSerializer.dumps(1)),
    ],
)
def test_what_cannot_be_validated_is_refused(subkey: bytes, value: bytes) -> None:
    assert not run_validator().validate(progress_record(subkey, value))


def test_a_report_is_as_valid_as_it_was() -> None:
    report = LocalTrainingProgress(
        peer_id=b"somebody", epoch=1, samples_accumulated=2, samples_per_second=3.0, time=4.0, client_mode=False
    )
    assert run_validator().validate(progress_record(OWNER, MSGPackSerializer.dumps(report.dict())))
