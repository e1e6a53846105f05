"""A host stays at the end of a run until what its experts have learned is collected, and not for long."""

from __future__ import annotations

from core.worker.experts.block import ExpertId
from core.worker.hosting.last_handover import ANEW_SECONDS, HANDOVER_SECONDS, LastHandover
from tests.support.computer.fake_clock import FakeClock

ONE, OTHER, TAKEN = ExpertId(1, 0), ExpertId(1, 1), ExpertId(1, 2)


class Host:
    """Stands for a host with two experts that have learned."""

    def __init__(self) -> None:
        self.not_handed_over = [ONE, OTHER]


def test_a_host_stays_until_all_its_experts_are_collected_whatever_it_takes_meanwhile() -> None:
    host, clock = Host(), FakeClock()
    handover = LastHandover(host, clock)
    assert handover.is_needed()
    clock.now = 10.0
    host.not_handed_over = [OTHER, TAKEN]
    assert handover.is_needed()
    host.not_handed_over = [TAKEN]
    assert not handover.is_needed()


def test_a_host_whose_experts_nobody_collects_leaves_and_stays_as_long_at_the_next_end() -> None:
    host, clock = Host(), FakeClock()
    handover = LastHandover(host, clock)
    assert handover.is_needed()
    clock.now = HANDOVER_SECONDS
    assert not handover.is_needed()
    clock.now += ANEW_SECONDS
    assert handover.is_needed()


def test_who_hosts_nothing_is_not_needed() -> None:
    assert not LastHandover(None).is_needed()
