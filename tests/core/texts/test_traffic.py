"""Traffic in words: of the last hour, and what is expected of the run."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from core.availability.rules import AvailabilityRules
from core.client.hourly_traffic import HourlyTraffic
from core.client.session import Session
from core.protocol.events import LineMeasured, Progress, RunFound
from core.protocol.limits import Traffic
from core.records.settings import Settings
from core.run.round_estimate import Line
from core.run.run_file import parse_run_file, template
from core.texts.traffic import download_of, hourly_traffic, known_line, swarm_speed, traffic_of

MANIFEST = parse_run_file(template())
LOCAL_SGD = msgspec.structs.replace(
    MANIFEST, collaboration=msgspec.structs.replace(MANIFEST.collaboration, mode="local-sgd")
)
RUN = RunFound(manifest=MANIFEST, organiser="", vouched=False)
TRAINING = Progress(
    epoch=1,
    samples=0,
    target=32768,
    samples_per_second=500.0,
    swarm_samples_per_second=1000.0,
    peers=2,
    clients=0,
    loss=None,
)
SENT = Traffic(sent_bytes=5_000_000, received_bytes=4_000_000)


def test_the_last_hour_stands_beside_what_is_expected() -> None:
    session = replace(Session(), chosen=RUN, progress=TRAINING)
    traffic = HourlyTraffic().after(SENT, 100.0)
    # 812,032 bytes in each of 109.9 epochs of 32.8 s
    told = "Sent 5.0 MB and received 4.0 MB in the last hour · about 89.2 MB each expected"
    assert hourly_traffic(traffic, session, 100.0) == told


def test_before_there_is_any_nothing_is_said() -> None:
    assert hourly_traffic(HourlyTraffic(), Session(), 100.0) == ""


def test_a_round_of_local_sgd_is_called_a_round() -> None:
    assert traffic_of(LOCAL_SGD, None, None) == "Sends about 102.3 KB in a round and receives as much"
    assert traffic_of(MANIFEST, None, None) == "Sends about 812.0 KB in an epoch and receives as much"


def test_of_sparse_changes_more_is_received_than_sent() -> None:
    sparse = msgspec.structs.replace(
        LOCAL_SGD, collaboration=msgspec.structs.replace(LOCAL_SGD.collaboration, delta_codec="topk")
    )
    sends = "Sends about 3.2 KB in a round and receives as much of each other peer, up to "
    assert traffic_of(sparse, None, None).startswith(sends)
    assert " sent and up to " in traffic_of(sparse, 1000.0, None)
    session = replace(Session(), chosen=msgspec.structs.replace(RUN, manifest=sparse), progress=TRAINING)
    assert " and up to " in hourly_traffic(HourlyTraffic().after(SENT, 100.0), session, 100.0)


def test_the_speed_of_a_swarm_is_known_as_far_as_its_parts_are() -> None:
    assert swarm_speed(10.0, 5.0) == 15.0
    assert swarm_speed(None, 5.0) == 5.0
    assert swarm_speed(None, None) is None


ONE_MEGABYTE = AvailabilityRules(download_rate=10**6, attended_download_rate=10**6)
MEASURED = LineMeasured(direction="upload", bits_per_second=17.6e6, at=1.8e9)
RECEIVED = LineMeasured(direction="download", bits_per_second=88e6, at=1.8e9)
SLOWLY = LineMeasured(direction="download", bits_per_second=8e6, at=1.8e9)


@pytest.mark.parametrize(
    ("settings", "upload", "download", "line"),
    [
        (Settings(), None, None, None),
        (Settings(), None, RECEIVED, None),
        (Settings(download_mbits=100.0), None, None, None),
        (Settings(), MEASURED, None, Line(17.6e6, is_upload_measured=True)),
        (Settings(), MEASURED, SLOWLY, Line(17.6e6, is_upload_measured=True)),
        (Settings(), MEASURED, RECEIVED, Line(17.6e6, 88e6, True, True)),
        (Settings(download_mbits=100.0), MEASURED, RECEIVED, Line(17.6e6, 100e6, is_upload_measured=True)),
        (Settings(upload_mbits=20.0), MEASURED, None, Line(20e6)),
        (Settings(upload_mbits=20.0), MEASURED, RECEIVED, Line(20e6, 88e6, is_download_measured=True)),
        (Settings(upload_mbits=20.0, download_mbits=100.0), MEASURED, RECEIVED, Line(20e6, 100e6)),
        (Settings(upload_mbits=20.0, download_mbits=100.0, availability=ONE_MEGABYTE), None, None, Line(20e6, 8e6)),
        (Settings(upload_mbits=20.0, download_mbits=4.0, availability=ONE_MEGABYTE), None, None, Line(20e6, 4e6)),
        (Settings(upload_mbits=20.0, availability=ONE_MEGABYTE), None, RECEIVED, Line(20e6, 8e6)),
        (Settings(upload_mbits=2.0, availability=ONE_MEGABYTE), None, None, Line(2e6)),
    ],
    ids=[
        "unknown",
        "download measured only",
        "download typed only",
        "upload measured",
        "both measured, but slow donors",
        "both measured",
        "measured, download typed",
        "upload typed",
        "upload typed, download measured",
        "both typed",
        "a limit below the line",
        "a limit above the line",
        "a limit below what was measured",
        "a limit above what is sure",
    ],
)
def test_what_a_person_has_typed_comes_before_what_was_measured(
    settings: Settings, upload: LineMeasured | None, download: LineMeasured | None, line: Line | None
) -> None:
    assert known_line(settings, upload, download) == line


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (Settings(), "Downloads 600.0 MB at the start."),
        (Settings(download_mbits=100.0), "Downloads 600.0 MB at the start: about 50 s at 100 Mbit/s."),
        (Settings(availability=ONE_MEGABYTE), "Downloads 600.0 MB at the start: about 10 min at 8 Mbit/s."),
        (
            Settings(download_mbits=100.0, availability=ONE_MEGABYTE),
            "Downloads 600.0 MB at the start: about 10 min at 8 Mbit/s.",
        ),
        (
            Settings(download_mbits=4.0, availability=ONE_MEGABYTE),
            "Downloads 600.0 MB at the start: about 20 min at 4 Mbit/s.",
        ),
    ],
)
def test_a_newcomers_download_takes_as_long_as_the_slower_of_line_and_limit(settings: Settings, told: str) -> None:
    assert download_of(600_000_000, settings) == told


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (Line(17.6e6, is_upload_measured=True), "the upload last measured here, 18 Mbit/s, leaves"),
        (Line(1.76e6, 50e6, True), "a line of 1.8/50 Mbit/s, its upload as last measured here, leaves"),
        (Line(17.6e6, 88e6, True, True), "a line of 18/88 Mbit/s, as last measured here, leaves at least"),
        (
            Line(20e6, 88e6, is_download_measured=True),
            "a line of 20/88 Mbit/s, its download as last measured here, leaves at least",
        ),
        (Line(20e6), "an upload of 20 Mbit/s leaves"),
        (Line(12.5e6, 50e6), "a line of 12.5/50 Mbit/s leaves"),
    ],
)
def test_it_is_said_where_the_speed_of_a_line_is_from(line: Line, told: str) -> None:
    assert told in traffic_of(LOCAL_SGD, 1000.0, line)
