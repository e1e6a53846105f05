"""Nobody is told that they help before a round was averaged with others."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from core.localizable import LocalizedText
from core.protocol.events import RoundFinished
from core.worker.training.contribution_status import (
    ALONE_AFTER_ROUNDS,
    FAILING_SECONDS,
    REMEMBERED_ROUNDS,
    ContributionMonitor,
)
from tests.support.computer.fake_clock import FakeClock

OK = LocalizedText()  # what is wrong with the connection: nothing


def monitor_of(
    rounds: str, reason: str = "no other peer was found in time", clock: Callable[[], float] = time.monotonic
) -> ContributionMonitor:
    """A monitor of those rounds: ``+`` was averaged with others, ``0`` too but for nothing of ours, ``-`` was not.

    After ``=`` there was no step, and ``!`` left out what is ours.
    """
    monitor = ContributionMonitor(clock)
    for epoch, outcome in enumerate(rounds):
        monitor.add_round(
            RoundFinished(
                epoch=epoch,
                kind="gradients",
                ok=outcome != "-",
                counted=outcome != "0",
                counted_share=0.0 if outcome == "!" else 1.0,
                stepped=outcome != "=",
                peers=0 if outcome == "-" else 2,
                seconds=1.0,
                reason=LocalizedText(reason if outcome in "-=" else ""),
            )
        )
    return monitor


def state_of(rounds: str, other_peers: int = 1, is_in_sync: bool = True) -> str:
    return monitor_of(rounds).contribution_status(other_peers, is_in_sync, OK).state


def test_whose_steps_were_too_few_three_times_does_not_help() -> None:
    assert state_of("+00") == "helping"
    assert state_of("+000") == "alone"
    assert "fewer steps than the run asks for" in str(monitor_of("000").contribution_status(1, True, OK).reason)
    assert monitor_of("+0000").failed_rounds == 0  # so it does not begin anew


def test_who_is_left_out_of_three_averages_in_a_row_is_told_so() -> None:
    assert state_of("+!!") == state_of("!!+!") == "helping"
    assert state_of("+!!!") == "alone"
    assert "left out" in str(monitor_of("!!!").contribution_status(1, True, OK).reason)


def test_who_is_averaged_with_three_times_while_the_run_takes_no_step_does_not_help() -> None:
    too_few = "only 2 of 9 peers took part"
    assert state_of("+==") == state_of("===+==") == "helping"
    assert state_of("=") == state_of("==") == "starting"
    status = monitor_of("+===", too_few).contribution_status(8, True, OK)
    assert status.state == "without_step"
    assert str(status.reason) == f"The last 3 rounds took no step, so nothing counts at present: {too_few}."
    assert str(monitor_of("+=+").contribution_status(8, True, OK).reason).startswith("2 of the last 3 rounds")
    assert state_of("+-=-") == "without_step"  # this computer is not alone
    assert monitor_of("+====").failed_rounds == 0  # beginning anew brings no quorum


def test_who_fails_for_less_than_a_minute_is_late_and_not_lost() -> None:
    """Epochs of some seconds pass without a computer that is busy with something else, and it comes back by itself."""
    clock = FakeClock()
    monitor = monitor_of("+----", "the others were ahead by an epoch", clock)
    clock.now = FAILING_SECONDS - 1
    assert monitor.failed_rounds == 0
    clock.now = FAILING_SECONDS
    assert monitor.failed_rounds == 4
    assert monitor_of("----", clock=clock).failed_rounds == 0  # nothing says that this computer could do better


def test_the_last_epoch_that_was_averaged_with_others_is_remembered() -> None:
    assert [monitor_of(rounds).last_averaged_epoch for rounds in ("", "--", "++", "+0--")] == [0, 0, 1, 1]


@pytest.mark.parametrize("rounds", ["", "+", "+++", "---"])
def test_a_peer_that_is_behind_is_out_of_sync_whatever_it_did_before(rounds: str) -> None:
    assert state_of(rounds, is_in_sync=False) == "out_of_sync"


@pytest.mark.parametrize("rounds", ["", "+", "+++", "---"])
def test_a_peer_without_others_is_alone_whatever_it_did_before(rounds: str) -> None:
    assert state_of(rounds, other_peers=0) == "alone"


def test_before_the_first_round_it_is_starting() -> None:
    assert str(monitor_of("").contribution_status(1, True, OK).reason).startswith("Connected with 1 other peer;")
    assert str(monitor_of("").contribution_status(3, True, OK).reason).startswith("Connected with 3 other peers;")
    assert state_of("") == "starting"


@pytest.mark.parametrize("rounds", ["+", "+++", "-+", "+--", "---+", "+-" * REMEMBERED_ROUNDS])
def test_a_round_with_others_now_and_then_is_help(rounds: str) -> None:
    assert state_of(rounds) == "helping"


def test_rounds_with_nobody_in_a_row_are_alone_and_say_why() -> None:
    contribution_status = monitor_of("+" + "-" * ALONE_AFTER_ROUNDS).contribution_status(1, True, OK)
    assert contribution_status.state == "alone"
    assert "no other peer was found in time" in str(contribution_status.reason)
    assert str(monitor_of("---", reason="").contribution_status(1, True, OK).reason).endswith("nobody else came.")


@pytest.mark.parametrize("rounds", ["-", "--"])
def test_a_first_round_that_failed_is_no_help(rounds: str) -> None:
    assert state_of(rounds) != "helping"


def test_it_counts_the_rounds_it_remembers() -> None:
    reason = monitor_of("-" * 50 + "++-" * (REMEMBERED_ROUNDS // 3)).contribution_status(1, True, OK).reason
    assert str(reason) == "10 of the last 15 rounds were averaged with others."


@pytest.mark.parametrize("rounds", ["", "+", "---"])
def test_what_is_wrong_with_the_connection_comes_before_everything_else(rounds: str) -> None:
    status = monitor_of(rounds).contribution_status(3, False, LocalizedText("The line is cut."))
    assert (status.state, str(status.reason)) == ("alone", "The line is cut.")
