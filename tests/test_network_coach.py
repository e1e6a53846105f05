"""What a person is told of the network: how it is, why, and what could be done."""

from __future__ import annotations

import pytest

from core.worker import network_coach
from core.worker.swarm import Finding
from core.worker.whereabouts import Whereabouts

HOME, PUBLIC = Whereabouts("home", "192.168.1.2"), Whereabouts("hosted", "11.0.0.7")
V6 = Whereabouts("six", "2a00::7")


def test_who_is_reached_is_told_where() -> None:
    network = network_coach.found(Finding(2, 1, "/ip4/11.0.0.7/tcp/31337"), HOME, 31337)
    assert (network.mode, network.advice) == ("direct", "")
    assert network.reason == "2 of 3 peers could connect to 11.0.0.7:31337."


@pytest.mark.parametrize(
    ("here", "reason", "advice"),
    [
        (
            HOME,
            "failed to connect to port 31337 of your router.",
            "on your router to this computer (192.168.1.2)",
        ),
        (PUBLIC, "failed to connect to 11.0.0.7:31337.", "allow incoming TCP port 31337"),
        (V6, "failed to connect to [2a00::7]:31337.", "allow incoming TCP port 31337"),
    ],
    ids=["behind a router", "behind its own firewall", "IPv6"],
)
def test_who_is_not_is_told_what_could_be_done(here: Whereabouts, reason: str, advice: str) -> None:
    network = network_coach.found(Finding(failed=2), here, 31337)
    assert network.mode == "client"
    assert f"2 of 2 peers {reason}" in network.reason and advice in network.advice


def test_insisting_wrongly_keeps_the_mode_and_says_why_it_is_wrong() -> None:
    found = network_coach.found(Finding(failed=1), PUBLIC, 31337)
    network = network_coach.chosen_against(found)
    assert (network.mode, network.advice) == ("direct", found.advice)
    assert network.reason.startswith(
        "You chose it, but the one peer that tried failed to connect to 11.0.0.7"
    )


@pytest.mark.parametrize(
    ("finding", "is_reachable", "is_unreachable"),
    [
        (Finding(), False, False),
        (Finding(reached=1), True, False),
        (Finding(failed=1), False, True),
        (Finding(reached=1, failed=1), False, True),
        (Finding(reached=2, failed=1), True, False),
    ],
)
def test_the_majority_of_those_that_tried_decides(
    finding: Finding, is_reachable: bool, is_unreachable: bool
) -> None:
    assert (finding.is_reachable, finding.is_unreachable) == (is_reachable, is_unreachable)


def test_where_nobody_could_tell_that_is_said() -> None:
    network = network_coach.found(Finding(), HOME, 31337)
    assert network.mode == "client" and network.reason.startswith("Nobody could tell")
