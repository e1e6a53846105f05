"""What peers say that they have sent and received is what their lines have carried."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from core.availability.observation import Observation
from core.availability.rules import AvailabilityRules
from core.availability.verdicts import verdict
from core.protocol.events import AnyEvent, Confined, Progress, RoundFinished, StateLoading
from core.protocol.limits import Traffic
from core.records.traffic_log import TrafficLog
from core.run.spec.recipe import ArithmeticGPT
from core.security.confinement.confine import SWITCH
from core.worker.delegation.download_limit import downloads, share_download_limit
from core.worker.delegation.tcp_counting import share_tcp_traffic, tcp_traffic
from core.worker.process.channel import WorkerChannel
from core.worker.roles.preparation import DownloadProgress
from core.worker.training import own_traffic as figures
from core.worker.training.own_traffic import REPORT_SECONDS, TrafficReporter, own_traffic
from tests.support.environment.network_namespaces import Internet
from tests.support.environment.slow_link import Line
from tests.support.peers.slow_computer import SAMPLES_PER_SECOND
from tests.support.real_peers import EPOCHS_SECONDS, Peer, PeerGroup, averaged, tiny

HOME = Line(delay_seconds=0.01, lost_share=0.002, bits_per_second=20e6)  # its frames are those of a real line
FRAME_BYTES = 14  # of Ethernet, which the device counts and a provider does not
ROUNDS = 3
LONG_EPOCH = round(40 * SAMPLES_PER_SECOND)  # twenty seconds for both, so that there are quiet moments
QUIET_REPORTS = 4  # two seconds in which nothing is averaged: the last look at the connections is younger
QUIET_SHARE = 0.002
TOLERANCE = 0.02


def carried(peer: Peer) -> tuple[int, int]:
    """The bytes of the IP packets that the peer's computer has sent and received, as its network device counts them."""
    devices = Path(f"/proc/{peer.process.pid}/net/dev").read_text().splitlines()
    (counts,) = (line.partition(":")[2].split() for line in devices if line.strip().startswith("eth0:"))
    received, received_frames, sent, sent_frames = (int(counts[place]) for place in (0, 1, 8, 9))
    return sent - FRAME_BYTES * sent_frames, received - FRAME_BYTES * received_frames


def told_and_carried(peer: Peer) -> tuple[Progress, tuple[int, int]]:
    """What the peer says, and what its line has carried, of a moment in which it has been quiet for a while."""
    deadline = time.monotonic() + EPOCHS_SECONDS
    while time.monotonic() < deadline:
        before = carried(peer)
        for _ in range(QUIET_REPORTS):
            told = peer.wait_for(Progress, since=len(peer.said))
        now = carried(peer)
        if sum(now) - sum(before) < QUIET_SHARE * sum(now):
            return told, now
    raise AssertionError("something was exchanged all the time")


@pytest.mark.networks
@pytest.mark.real
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_peers_figures_are_those_of_its_line(net: Internet, group: PeerGroup, tmp_path: Path) -> None:
    """Without what libp2p, TCP and IP add they would be some per cent less.

    The organiser is confined, so that a process of its own looks at the connections; the volunteer looks itself.
    """
    manifest = msgspec.structs.replace(
        tiny(target_batch_size=LONG_EPOCH), recipe=ArithmeticGPT(layers=2, width=112, heads=2)
    )
    home = net.host(line=HOME)
    organiser = group.at(net.host(line=HOME)).organiser(manifest=manifest)
    volunteer = group.under(*home.within, "env", f"{SWITCH}=off").volunteer(organiser.posted, "home", "client")
    seen = 0
    for _ in range(ROUNDS):
        volunteer.wait_for(RoundFinished, averaged, since=seen, seconds=EPOCHS_SECONDS)
        seen = len(volunteer.said)
    for peer, is_confined in ((organiser, True), (volunteer, False)):
        assert ("everything" not in peer.wait_for(Confined).gaps) is is_confined
        told, (sent, received) = told_and_carried(peer)
        shares = told.sent_bytes / sent, told.received_bytes / received
        print(f"\n{sent:,} bytes sent, {received:,} received; told are {shares[0]:.4f} and {shares[1]:.4f} of them")
        assert all(abs(share - 1) < TOLERANCE for share in shares), shares
        carried = Traffic(sent_bytes=told.sent_bytes, received_bytes=told.received_bytes)
        at, log = datetime.now(), TrafficLog(tmp_path / f"{is_confined}.jsonl")
        seen_today = Observation(at, 0.0, **cast(dict[str, Any], log.count(carried, at)))
        below, above = 1 - TOLERANCE, 1 + TOLERANCE
        for rules in (
            [AvailabilityRules(sent_bytes_a_day=round(sent * each)) for each in (below, above)],
            [AvailabilityRules(received_bytes_a_day=round(received * each)) for each in (below, above)],
        ):
            asked = [verdict("data", each, seen_today) is not None for each in rules]
            assert asked == [True, False], "the owner's limit is not one of what the line carries"


@pytest.mark.parametrize(
    ("messages", "expected"),
    [(900, Traffic(sent_bytes=1000, received_bytes=2070)), (5000, Traffic(sent_bytes=5000, received_bytes=5070))],
    ids=["connections were counted", "nobody could look, or much went by QUIC"],
)
def test_of_connections_and_messages_the_larger_counts_and_files_from_the_web_besides(
    messages: int, expected: Traffic, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("sent_bytes", "received_bytes"):  # hivemind's messages, which nobody sends here
        monkeypatch.setattr(figures, name, lambda: messages)
    share_tcp_traffic()
    share_download_limit()
    try:
        tcp_traffic().add(1000, 2000)
        assert not list(downloads().pauses(70))
        assert own_traffic() == expected
    finally:
        share_tcp_traffic()
        share_download_limit()


def test_it_is_told_while_nothing_else_tells_it_and_only_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    now, told = [100.0], list[Traffic]()
    monkeypatch.setattr(figures, "time", SimpleNamespace(monotonic=lambda: now[0]))
    share_tcp_traffic()
    try:
        reporter = TrafficReporter(told.append)
        tcp_traffic().add(1000, 2000)
        reporter.report()
        assert told == [], "the worker has only just begun"
        now[0] += REPORT_SECONDS
        reporter.report()
        reporter.report()
        assert told == [Traffic(sent_bytes=1000, received_bytes=2000)]
        now[0] += REPORT_SECONDS
        reporter.report()
        assert len(told) == 1, "nothing was added"
        tcp_traffic().add(1, 1)
        now[0] += REPORT_SECONDS
        reporter.note_told()
        reporter.report()
        assert len(told) == 1, "a report of progress has told it"
    finally:
        share_tcp_traffic()


def test_it_is_told_of_files_while_they_are_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    now, said = [100.0], list[AnyEvent]()
    monkeypatch.setattr(figures, "time", SimpleNamespace(monotonic=lambda: now[0]))
    share_download_limit()
    try:
        progress = DownloadProgress(cast(WorkerChannel, SimpleNamespace(emit=said.append)))
        assert not list(downloads().pauses(3000))
        now[0] += REPORT_SECONDS
        progress.progress(3000, 10_000)
        assert said == [StateLoading(what="files", received_bytes=3000, total_bytes=10_000), own_traffic()]
        assert own_traffic().received_bytes >= 3000
    finally:
        share_download_limit()
