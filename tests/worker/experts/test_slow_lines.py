"""Copies of experts between hosts on slow lines: they leave answers their half of it, and hold nothing else up."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from tests.support.environment.network_namespaces import internet
from tests.support.environment.slow_link import Line
from tests.support.real_peers import LineProcess, PeerGroup, first_said, peer_group
from tests.worker.experts.line_peers import EXPERTS, STATE_BYTES

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.networks,
    pytest.mark.faults,
    pytest.mark.timeout(900),
]

LINE_BITS = 1e6
COPY_SECONDS = STATE_BYTES * 8 / (LINE_BITS / 2)  # a hundred, on half of the line
BEFORE_SECONDS = 30.0  # of training; by then each host has begun a copy
TAKEN_SECONDS = 80.0  # by when an expert of a host that was killed has another: the copies are not there by then
ANSWERED = 0.95  # of the requests: the computer does other things, too
LIMIT_SECONDS = 400.0

Script = LineProcess[dict[str, Any]]


def on_lines(group: PeerGroup, net: Any) -> tuple[list[Script], Script]:
    """Three hosts, each on a line of its own that it knows, and a trainer on a fast one."""
    hosts, addresses = list[Script](), list[str]()
    for number in range(len(EXPERTS)):
        computer = net.host(line=Line(0.0, 0.0, LINE_BITS))
        words = ("host", str(group.folder / f"host-{number}"), f"{computer.ip}/tcp/31337", str(LINE_BITS))
        script = group.at(computer).script(f"host-{number}", "tests.worker.experts.line_peers", *words, *addresses)
        addresses.append(script.until(lambda said: "address" in said, seconds=LIMIT_SECONDS)["address"])
        hosts.append(script)
    for script in hosts:
        script.until(lambda said: len(said.get("hosted", ())) == 1, seconds=LIMIT_SECONDS)
    computer = net.host()
    words = ("trainer", str(group.folder / "trainer"), f"{computer.ip}/tcp/31337", "0")
    return hosts, group.at(computer).script("trainer", "tests.worker.experts.line_peers", *words, *addresses)


def taken_at(expert: str, hosts: Sequence[Script], since: Sequence[int]) -> float:
    """When, on the monotonic clock, one of these has said that it answers for that expert, from these places on."""
    said = first_said(hosts, lambda each: expert in each["hosted"], since, LIMIT_SECONDS)
    assert said is not None, f"nobody takes expert {expert}"
    return float(said["at"])


def test_copies_on_slow_lines_leave_answers_their_half_and_nobody_waits_for_them_to_take_an_expert(
    tmp_path: Path,
) -> None:
    with peer_group(tmp_path) as group, internet() as net:
        hosts, trainer = on_lines(group, net)
        first = trainer.until(lambda said: "answered" in said, seconds=LIMIT_SECONDS)["at"]
        last = trainer.until(lambda said: said.get("at", first) - first > BEFORE_SECONDS, seconds=LIMIT_SECONDS)["at"]
        lost, *others = hosts
        (expert,) = [said for said in lost.said if "hosted" in said][-1]["hosted"]
        since = [len(each.said) for each in others]
        lost.kill()
        assert taken_at(expert, others, since) - last < TAKEN_SECONDS
        copied = others[0].until(lambda said: any(said.get("copies", {}).values()), seconds=LIMIT_SECONDS)["at"]
        assert copied - first > 0.8 * COPY_SECONDS
        assert fmean(said["answered"] for said in trainer.said if said.get("at", last) < last) > ANSWERED
