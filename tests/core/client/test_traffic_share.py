"""The run's share of what this computer sends and receives is told where it is known, and only then."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from core.client.traffic_share import RunShare, TrafficShare
from core.observers.network_counters import interface_bytes
from core.protocol.events import Progress
from core.texts.traffic import run_share
from tests.support.peers.fake_worker import progress


def report(sent: int, received: int) -> Progress:
    return msgspec.structs.replace(progress(1), sent_bytes=sent, received_bytes=received)


def seen(*looks: tuple[float, int, int | None]) -> TrafficShare:
    """What one worker had sent by each time, and the interfaces had counted."""
    share = TrafficShare()
    for at, sent, counted in looks:
        share.note({"cpu": report(sent, 0)}, counted, at)
    return share


def test_the_share_is_of_what_came_after_the_first_look() -> None:
    share = seen((0.0, 5_000_000, 10**9), (4.0, 5_200_000, 10**9 + 300_000), (20.0, 5_620_000, 10**9 + 1_000_000))
    assert share.share == RunShare(0.62, 20.0)
    assert run_share(share.share) == "This run: 62 % of this computer's traffic in the last 20 s"


@pytest.mark.parametrize(
    "looks",
    [
        (),
        ((0.0, 0, 0),),
        ((0.0, 0, None), (60.0, 500_000, None)),
        ((0.0, 0, 0), (60.0, 500_000, None)),
        ((0.0, 0, 0), (5.0, 500_000, 10**6)),  # too early
        ((0.0, 0, 0), (60.0, 500, 1_000)),  # hardly any traffic
        ((0.0, 0, 0), (60.0, 5_000_000, 1_000_000)),  # peers of this very computer, through loopback
        ((0.0, 0, 10**9), (60.0, 500_000, 10**6)),  # an interface has gone
    ],
)
def test_nothing_is_said_where_it_is_not_known(looks: tuple[tuple[float, int, int | None], ...]) -> None:
    assert seen(*looks).share is None and run_share(seen(*looks).share) == ""


def test_what_is_older_than_five_minutes_no_longer_counts() -> None:
    early = ((second, 0, second * 1000) for second in range(0, 600, 2))
    late = ((second, (second - 600) * 1000, second * 1000) for second in range(600, 1000, 2))
    share = seen(*early, *late).share
    assert share is not None and share.share == 1.0 and 300 <= share.seconds < 310


def test_the_workers_of_all_devices_count_and_one_that_began_anew_goes_on() -> None:
    share = TrafficShare()
    share.note({"cuda:0": report(900_000, 0), "cuda:1": report(0, 0)}, 0, 0.0)
    share.note({"cuda:0": report(100_000, 50_000), "cuda:1": report(0, 150_000)}, 400_000, 30.0)
    assert share.share == RunShare(0.75, 30.0)


def test_the_interfaces_of_this_computer_are_counted_without_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    import psutil

    counters = psutil.net_io_counters(pernic=True)
    expected = sum(each.bytes_sent + each.bytes_recv for name, each in counters.items() if name != "lo")
    told = interface_bytes()
    assert told is None or told <= expected + 50_000_000
    monkeypatch.setattr(psutil, "net_io_counters", lambda pernic: {"lo": counters.get("lo")})
    assert interface_bytes() is None


def test_a_tunnel_does_not_count_beside_the_interface_that_it_goes_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psutil

    (tmp_path / "eth0" / "device").mkdir(parents=True)
    (tmp_path / "wg0").mkdir()
    figures = SimpleNamespace(bytes_sent=100, bytes_recv=20)
    monkeypatch.setattr(psutil, "net_io_counters", lambda pernic: {"lo": figures, "eth0": figures, "wg0": figures})
    assert interface_bytes(tmp_path) == 120
    assert interface_bytes(tmp_path / "nowhere") == 240

    def broken(pernic: bool) -> None:
        raise OSError("no /proc/net/dev")

    monkeypatch.setattr(psutil, "net_io_counters", broken)
    assert interface_bytes(tmp_path) is None
