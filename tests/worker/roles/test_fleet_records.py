"""What a peer publishes of its life for observers, and what an observer tells of strangers: bounded, one of each."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hivemind.p2p import PeerID

from core.energy import MAX_DEVICE_WATTS
from core.fleet.totals import believed
from core.localizable import LocalizedText
from core.protocol.codec import MAX_LINE_BYTES, encode
from core.protocol.events import RoundFinished
from core.protocol.peers import PeerActivity, PeerPower, PeerSeen
from core.version import own_version
from core.worker.roles.activity_counter import RECENT_ROUNDS, ActivityCounter
from core.worker.roles.fleet_observer import MOST_PEERS_TOLD, peers_event
from core.worker.swarm.dht.progress_reports import PeerReport, health_of
from core.worker.swarm.dht.reader import MAX_SIGNED_BYTES, parse_record
from core.worker.swarm.dht.run_records import (
    MAX_JOULES,
    MAX_ROUNDS,
    MAX_SAMPLES,
    MAX_TRAFFIC_BYTES,
    ActivityRecord,
    HealthRecord,
    PowerRecord,
    ProgressRecord,
)
from core.worker.swarm.trust.sample_caps import cap_samples
from tests.core.fleet.made_up_fleets import NOON, peer

LARGEST = {
    "version": "9" * 24,
    "whole": MAX_ROUNDS,
    "partial": MAX_ROUNDS,
    "failed": MAX_ROUNDS,
    "sent_bytes": MAX_TRAFFIC_BYTES,
    "received_bytes": MAX_TRAFFIC_BYTES,
}


def test_an_observer_believes_as_much_of_a_speed_as_those_who_take_part() -> None:
    speeds = (0.0, 1e-7, 2.0, 3.0, 7.0, 90.0, 1e15)
    for several in (speeds, speeds[1:], speeds[2:], speeds[-3:], speeds[-2:]):
        reports = {
            b"%d" % number: PeerReport(PeerID(b"id"), 1, 0, speed, NOON, client_mode=False)
            for number, speed in enumerate(several)
        }
        inside = [each.samples_per_second for each in cap_samples(reports, b"mine", NOON - 10.0, NOON).values()]
        outside = believed([peer(number, samples_per_second=speed) for number, speed in enumerate(several)])
        assert [each.samples_per_second for each in outside] == inside


def round_of(kind: Any = "gradients", *, ok: bool = True, reason: str = "") -> RoundFinished:
    """A round that has ended."""
    return RoundFinished(epoch=1, kind=kind, ok=ok, peers=2, seconds=1.0, reason=LocalizedText(reason))


def seen(number: int, **changes: Any) -> PeerSeen:
    """A stranger's report."""
    fields = {"epoch": 1, "samples": 5, "samples_per_second": 1.5, "client_mode": False} | changes
    return PeerSeen(peer_id=f"12D3KooW{number:044d}", **fields)


def test_rounds_are_counted_as_whole_partial_or_failed_and_those_of_the_state_are_not() -> None:
    counter = ActivityCounter()
    for finished in (
        round_of(),
        round_of("changes"),
        round_of(reason="a peer was lost in the middle of it"),
        round_of(ok=False, reason="no other peer was found in time"),
        round_of("state"),
    ):
        counter.add_round(finished)
    record = counter.record()
    assert (record.version, record.whole, record.partial, record.failed) == (own_version()[:24], 2, 1, 1)
    assert parse_record(ActivityRecord, record.dict()) == record
    assert PeerActivity(**record.dict()).is_told


@pytest.mark.parametrize(
    "wrong",
    [
        {"version": "1.0\x1b[2J"},
        {"version": "1" * 25},
        {"version": "1.0\n"},
        {"whole": -1},
        {"failed": MAX_ROUNDS + 1},
        {"sent_bytes": MAX_TRAFFIC_BYTES + 1},
        {"partial": 1.5},
        {"whole": True},
        {"more": 1},
    ],
)
def test_a_record_that_no_peer_of_ours_would_write_is_none(wrong: dict[str, Any]) -> None:
    assert parse_record(ActivityRecord, LARGEST) is not None
    assert parse_record(ActivityRecord, LARGEST | wrong) is None


def test_the_largest_record_is_small() -> None:
    assert len(msgspec.msgpack.encode(LARGEST)) < MAX_SIGNED_BYTES / 4


@pytest.mark.parametrize("letter", ["🐝", "\x01", '"'])
def test_a_thousand_peers_fit_on_a_line_whatever_they_call_themselves(letter: str) -> None:
    activity = PeerActivity(**LARGEST)  # type: ignore[arg-type]
    most = {
        "epoch": 2**31,
        "samples": MAX_SAMPLES,
        "samples_per_second": 1.2345678901234567e14,
        "norm_ratio": 1e6 / 3,
        "country": "DE",
    }
    power = PeerPower(watts=MAX_DEVICE_WATTS, joules=MAX_JOULES)
    peers = [
        seen(each, name=letter * 40, device=letter * 80, activity=activity, power=power, **most) for each in range(1010)
    ]
    told = peers_event(peers, loss=1.0)
    assert (len(told.peers), told.untold) == (MOST_PEERS_TOLD, 10)
    assert len(encode(told)) < MAX_LINE_BYTES


@pytest.mark.parametrize(
    "wrong",
    [
        {"watts": MAX_DEVICE_WATTS + 1},
        {"watts": -1},
        {"watts": 1.5},
        {"joules": MAX_JOULES + 1},
        {"joules": True},
        {"joules": None},
        {"more": 1},
    ],
)
def test_what_no_device_draws_is_no_record(wrong: dict[str, Any]) -> None:
    most = {"watts": MAX_DEVICE_WATTS, "joules": MAX_JOULES}
    assert parse_record(PowerRecord, most) == PowerRecord(**most)
    assert parse_record(PowerRecord, most | wrong) is None


def test_a_device_that_nvml_does_not_know_is_not_measured() -> None:
    started = list[str]()

    def start(name: str, run: Callable[[], None]) -> threading.Thread:
        started.append(name)
        return threading.Thread()

    for device in ("cpu", "xpu:0"):
        counter = ActivityCounter(device)
        counter.measure_power(threading.Event(), start)
        assert started == [] and counter.power() is None
    gpu = ActivityCounter("cuda:1")
    for _ in range(2):  # whoever publishes may be started again
        gpu.measure_power(threading.Event(), start)
    assert started == ["power"] and gpu.power() is None


def test_of_several_reports_in_one_name_the_largest_is_told() -> None:
    told = peers_event([seen(1, samples=5), seen(1, samples=9), seen(1, samples=7), seen(2)], loss=None)
    assert [(peer.samples, peer.peer_id[-1]) for peer in told.peers] == [(9, "1"), (5, "2")]


def test_why_a_round_was_not_whole_and_who_could_dial_us_is_published_beside_that() -> None:
    counter = ActivityCounter()
    assert counter.health() == HealthRecord()
    counter.add_round(round_of(ok=False, reason="no other peer was found in time"))
    counter.add_round(round_of())
    counter.note_reachability(2, 1)
    record = counter.health()
    assert record == HealthRecord(reason="no other peer was found in time", reached=2, unreached=1)
    assert parse_record(HealthRecord, record.dict()) == record
    for wrong in ({"reason": "x" * 121}, {"reached": -1}, {"unreached": True}, {"more": 1}):
        assert parse_record(HealthRecord, record.dict() | wrong) is None


def test_the_reason_of_a_round_long_ago_is_published_no_longer() -> None:
    counter = ActivityCounter()
    counter.add_round(round_of(ok=False, reason="no other peer was found in time"))
    for _ in range(RECENT_ROUNDS):
        assert counter.health().reason
        counter.add_round(round_of())
    assert not counter.health().reason


def test_reasons_are_counted_by_those_who_report_progress_and_only_the_organisers_peer_tells_who_reaches_it() -> None:
    ids = [PeerID.from_base58(f"12D3KooW{number:044d}".replace("0", "1")) for number in range(1, 4)]
    progress = {
        bytes([number]): ProgressRecord(
            peer_id=peer_id.to_bytes(),
            epoch=1,
            samples_accumulated=5,
            samples_per_second=1.0,
            time=1.0,
            client_mode=False,
        )
        for number, peer_id in enumerate(ids)
    }
    late, lost = "no other peer was found in time", "a peer was lost\x1b[2J in the middle of it"
    records = {
        b"\x00": HealthRecord(reason=late, reached=3, unreached=1),
        b"\x01": HealthRecord(reason=late, reached=9),
        b"\x02": HealthRecord(reason=lost),
        b"\x09": HealthRecord(reason="of nobody who takes part"),
    }
    health = health_of(records, progress, ids[0].to_base58())
    assert (health.reached, health.unreached) == (3, 1)
    assert (health.reasons[0].words, health.reasons[0].peers) == (late, 2)
    assert len(health.reasons) == 2 and "\x1b" not in health.reasons[1].words
    assert health_of(records, progress, "").reached == 0
