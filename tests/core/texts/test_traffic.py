"""Traffic in words: of the last hour, and what is expected of the run."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from core.client.hourly_traffic import HourlyTraffic
from core.client.session import Session
from core.protocol.events import Progress, RunFound
from core.run.run_file import parse_run_file, template
from core.texts.traffic import hourly_traffic, swarm_speed, traffic_of

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
    sent_bytes=5_000_000,
    received_bytes=4_000_000,
)


def test_the_last_hour_stands_beside_what_is_expected() -> None:
    session = replace(Session(), chosen=RUN, progress=TRAINING)
    traffic = HourlyTraffic().after(TRAINING, 100.0)
    # 812,032 bytes in each of 109.9 epochs of 32.8 s
    told = "Sent 5.0 MB and received 4.0 MB in the last hour · about 89.2 MB each expected"
    assert hourly_traffic(traffic, session, 100.0) == told


def test_before_there_is_any_nothing_is_said() -> None:
    assert hourly_traffic(HourlyTraffic(), Session(), 100.0) == ""


def test_a_round_of_local_sgd_is_called_a_round() -> None:
    assert traffic_of(LOCAL_SGD, None, None) == "Sends about 102.3 KB in a round and receives as much"
    assert traffic_of(MANIFEST, None, None) == "Sends about 812.0 KB in an epoch and receives as much"


def test_the_speed_of_a_swarm_is_known_as_far_as_its_parts_are() -> None:
    assert swarm_speed(10.0, 5.0) == 15.0
    assert swarm_speed(None, 5.0) == 5.0
    assert swarm_speed(None, None) is None
