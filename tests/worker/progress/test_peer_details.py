"""What peers say of themselves is read seldom, and of one holder; here the records come from the test, not the DHT."""

from __future__ import annotations

from collections import Counter
from typing import Any, cast

import pytest
from hivemind import DHT

from core.worker.swarm.dht.reader import Ask
from core.worker.swarm.dht.run_records import METRICS, PEER_INFO, LocalMetrics, PeerInfo, RecordKind
from core.worker.swarm.progress.peer_details import NEWS_SECONDS, READ_SECONDS, PeerDetails
from core.worker.swarm.progress.progress_estimate import FEW_PEERS
from tests.support.computer.fake_clock import FakeClock


class Records:
    """In the place of the DHT: what there is of each kind, and how often it was read."""

    def __init__(self) -> None:
        self.there: dict[str, dict[bytes, Any]] = {PEER_INFO.key_end: {}, METRICS.key_end: {}}
        self.reads = Counter[str]()

    def read(self, kind: RecordKind[Any], _dht: DHT, _run_id: str, *, ask: Ask) -> dict[bytes, Any]:
        """As `RecordKind.read`."""
        assert ask == "one"
        self.reads[kind.key_end] += 1
        return self.there[kind.key_end]


@pytest.fixture
def records(monkeypatch: pytest.MonkeyPatch) -> Records:
    """What `RecordKind.read` finds."""
    records = Records()
    monkeypatch.setattr(RecordKind, "read", lambda kind, *args, **options: records.read(kind, *args, **options))
    return records


def metrics(loss: float, steps: int) -> LocalMetrics:
    """Of a peer whose micro-batches had that loss in the mean."""
    return LocalMetrics(step=1, samples_per_second=1.0, samples_accumulated=1, loss=loss * steps, mini_steps=steps)


def test_nothing_is_read_again_before_a_minute_unless_somebody_comes_or_an_epoch_ends(records: Records) -> None:
    clock = FakeClock()
    details = PeerDetails(cast(DHT, None), "sums", clock)
    details.refresh({b"a"}, epoch=3)
    clock.now += READ_SECONDS - 1.0
    details.refresh({b"a"}, epoch=3)
    assert records.reads == {PEER_INFO.key_end: 1, METRICS.key_end: 1}
    details.refresh({b"a", b"b"}, epoch=3)
    details.refresh({b"a", b"b"}, epoch=4)
    assert records.reads == {PEER_INFO.key_end: 2, METRICS.key_end: 2}
    clock.now += NEWS_SECONDS - 1.0
    details.refresh({b"b"}, epoch=5)
    assert records.reads == {PEER_INFO.key_end: 2, METRICS.key_end: 2}


def test_a_crowd_is_read_as_much_seldomer_as_it_is_larger(records: Records) -> None:
    clock, crowd = FakeClock(), {number.to_bytes(2) for number in range(3 * FEW_PEERS)}
    details = PeerDetails(cast(DHT, None), "sums", clock)
    for _ in range(12):
        details.refresh(crowd, epoch=3)
        clock.now += READ_SECONDS / 2
    assert records.reads[PEER_INFO.key_end] == 2


def test_one_holder_may_lack_somebody_and_whoever_leaves_is_forgotten(records: Records) -> None:
    clock = FakeClock()
    details = PeerDetails(cast(DHT, None), "sums", clock)
    records.there = {
        PEER_INFO.key_end: {b"a": PeerInfo(device="RTX 3060")},
        METRICS.key_end: {b"a": metrics(2.0, 10), b"b": metrics(1.0, 30), b"stranger": metrics(0.0, 999)},
    }
    details.refresh({b"a", b"b"}, epoch=1)
    assert details.loss == pytest.approx(1.25)
    records.there = {PEER_INFO.key_end: {b"b": PeerInfo(device="CPU")}, METRICS.key_end: {b"b": metrics(0.5, 30)}}
    clock.now += READ_SECONDS
    details.refresh({b"a", b"b"}, epoch=2)
    assert {key: info.device for key, info in details.infos.items()} == {b"a": "RTX 3060", b"b": "CPU"}
    details.refresh({b"b"}, epoch=2)
    assert [*details.infos] == [b"b"] and details.loss == pytest.approx(0.5)
