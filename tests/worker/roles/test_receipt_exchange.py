"""The organiser signs for the samples that it has seen a volunteer report, and the receipt proves it to anybody."""

from __future__ import annotations

import msgspec
import pytest

from core.protocol.events import Progress, ReceiptSeen
from core.run.receipt_file import KeptReceipt, verify_receipt
from core.security.identity import Identity
from tests.support.real_peers import RUN_ID, PeerGroup

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(600)]


def test_a_volunteers_receipt_holds_and_none_other_does(group: PeerGroup) -> None:
    organiser = group.organiser()
    volunteer = group.volunteer(organiser.posted, "volunteer")
    seen = volunteer.wait_for(ReceiptSeen)
    heard = 1 + volunteer.said.index(seen)
    given = volunteer.wait_for(Progress, since=heard).contributed_samples  # the last one may be from before a round
    assert seen.run_id == RUN_ID and seen.signer == organiser.peer_id
    assert 0 < seen.samples <= given
    receipt = KeptReceipt(**{name: getattr(seen, name) for name in KeptReceipt.__struct_fields__})
    assert verify_receipt(receipt, seen.key).error == ""
    for altered in (
        msgspec.structs.replace(receipt, samples=receipt.samples + 1),
        msgspec.structs.replace(receipt, key="0" * 32),
        msgspec.structs.replace(receipt, signer=Identity.create().peer_id),
    ):
        assert verify_receipt(altered).error
    assert verify_receipt(receipt, "0" * 32).error
    assert not organiser.all(ReceiptSeen)
