"""A line is measured after consent with real peers, and the figure reaches all who use it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from core.protocol.events import LineMeasured, Progress, RoundFinished, RunFound, TrainingStarted
from core.run.spec.optimizer import AdamW
from core.run.spec.recipe import ArithmeticGPT
from tests.support.consents import consent_to
from tests.support.environment.network_namespaces import Internet
from tests.support.environment.slow_link import Line
from tests.support.real_peers import PeerGroup, averaged, tiny

pytestmark = [pytest.mark.networks, pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

WITNESS = "tests.integration.foreign.bandwidth_witness"
FILES = ("uploads.json", "downloads.json")
ROUND_SECONDS = 300.0  # in which all three are in one
HOME = Line(delay_seconds=0.025, lost_share=0.0, bits_per_second=4e6)
SLOW = Line(delay_seconds=0.025, lost_share=0.0, bits_per_second=1e6)


RUN = msgspec.structs.replace(
    tiny(),
    recipe=ArithmeticGPT(layers=1, width=224, heads=2),
    optimizer=AdamW(learning_rate=1e-4, max_grad_norm=None),  # faster, and the loss rises at first: nobody takes it
)
"""A state of 7 MB at the most, which takes such a line some seconds."""


def is_about_that_of_the_line(event: LineMeasured) -> bool:
    """Whether the figure is that of the slow line, and not of the computer or of the fast line at the other end.

    A computer that stands still meanwhile uploads less.
    """
    return 0.2 < event.bits_per_second / HOME.bits_per_second < 1.3


def test_a_volunteers_line_is_measured_after_consent_and_told_at_the_next_join(net: Internet, group: PeerGroup) -> None:
    organiser = group.at(net.host()).organiser(manifest=RUN, train=False)
    home = group.at(net.host(line=HOME))
    volunteer = home.seeker(organiser.posted, "home", "client")
    assert volunteer.all(LineMeasured) == []
    volunteer.agree()
    measured = volunteer.wait_for(LineMeasured, lambda each: each.direction == "upload")
    assert is_about_that_of_the_line(measured)
    volunteer.wait_for(RoundFinished, averaged)
    assert volunteer.leave() == 0
    again = home.seeker(organiser.posted, "home", "client")
    assert [each for each in again.all(LineMeasured) if each.direction == "upload"] == [measured]
    again.agree()
    received = again.wait_for(LineMeasured, lambda each: each.direction == "download")
    assert is_about_that_of_the_line(received) and received.bits_per_second <= HOME.bits_per_second
    assert again.leave() == 0
    *_, most = [each for each in again.all(LineMeasured) if each.direction == "download"]
    last = home.seeker(organiser.posted, "home", "client")
    assert most in last.all(LineMeasured)


def test_a_donor_that_knows_slow_lines_only_measures_its_own_with_the_newcomer(net: Internet, group: PeerGroup) -> None:
    """Half of the figure, or half a megabit a second, is what newcomers have: two minutes for this state."""
    organiser = group.at(net.host()).organiser(manifest=RUN, train=False)
    slow = group.at(net.host(line=SLOW)).volunteer(organiser.posted, "slow", "direct")
    known = organiser.wait_for(LineMeasured, lambda each: each.direction == "upload")
    assert known.bits_per_second < 1.3 * SLOW.bits_per_second
    slow.wait_for(RoundFinished, averaged)
    assert slow.leave() == 0, "its exchanges would take the line"
    newcomer = group.at(net.host()).seeker(organiser.posted, "fast", "direct")
    newcomer.send(consent_to(newcomer.wait_for(RunFound)))
    organiser.wait_for(LineMeasured, lambda each: each.bits_per_second > 4 * SLOW.bits_per_second)
    assert not newcomer.all(Progress), "before it has trained, and so before it could report anything"
    newcomer.wait_for(TrainingStarted)


def test_a_plain_hivemind_peer_hears_of_it_and_averages_with_us(net: Internet, group: PeerGroup) -> None:
    organiser = group.at(net.host()).organiser(manifest=tiny(), train=False)
    volunteer = group.at(net.host(line=HOME)).volunteer(organiser.posted, "home")
    measured = volunteer.wait_for(LineMeasured, lambda each: each.direction == "upload")
    assert is_about_that_of_the_line(measured)
    folder, host = group.script_folder("plain"), net.host()
    there = group.at(host)
    plain = there.cold.script("plain", WITNESS, str(folder), organiser.posted, there.listen)
    told = measured.bits_per_second / 1e6

    def is_of_all(said: dict[str, Any]) -> bool:
        bandwidths = said.get("bandwidths", ())
        return len(bandwidths) == 3 and told in bandwidths and None in bandwidths

    assert min(plain.until(is_of_all, seconds=ROUND_SECONDS)["shares"]) >= 0.0
    plain.until(lambda said: said.get("round") == 3, seconds=ROUND_SECONDS)


def test_a_peer_on_the_same_computer_says_nothing_of_the_line(group: PeerGroup) -> None:
    organiser = group.organiser()
    volunteer = group.volunteer(organiser.posted, "home")
    volunteer.wait_for(RoundFinished, averaged)
    assert volunteer.all(LineMeasured) == organiser.all(LineMeasured) == []
    kept = [peer.home / "data" / "memory" / name for peer in (organiser, volunteer) for name in FILES]
    assert not any(map(Path.exists, kept))
