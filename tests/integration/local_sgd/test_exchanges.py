"""Exchanges of local SGD that are disturbed: a reducer is killed or out of reach, or a disk has no room for the log."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from core.protocol.events import Connected, Progress, RoundFinished
from core.run.spec.recipe import ArithmeticGPT
from core.worker.swarm.local_sgd.round_log import RoundLog
from core.worker.swarm.state_parts.messages import Version
from tests.bench.local_sgd.recorded_peers import Move, RecordedPeer, RecordedPeers, paced_run
from tests.integration.local_sgd.together import assert_equal_base_weights, average_together
from tests.support.environment.network_namespaces import Internet
from tests.support.environment.slow_link import Line
from tests.support.fault_injection import gave, kill
from tests.support.real_peers import PATIENCE_SECONDS, Peer

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(1200)]

POLL_SECONDS, PENDING = 0.05, "pending"
SLOW = Line(delay_seconds=0.01, lost_share=0.0, bits_per_second=2e6)
RUN = paced_run(target_batch_size=1920, matchmaking_time=2.0, averaging_timeout=15.0)  # a round of four seconds
LARGE = msgspec.structs.replace(RUN, recipe=ArithmeticGPT(layers=2, width=160, heads=2))  # 2.5 s of a slow line


def average_until_logged(logging: RecordedPeer, *others: Peer) -> None:
    """Wait until one has averaged with all others, and its log has the round that led to its present version.

    A peer whose version was repaired has no such round until it takes its next step; the step may also be on its way.
    """
    average_together(logging, *others, among=1 + len(others))
    while not leads_on(logging, since=logging.moves()[-2]):
        logging.wait_for(RoundFinished, gave, since=len(logging.said))


@pytest.mark.networks
def test_a_reducer_that_is_killed_in_the_middle_of_an_exchange_leaves_equal_base_weights(
    recorded: RecordedPeers, net: Internet
) -> None:
    organiser = recorded.at(net.host()).organiser(manifest=LARGE)
    reducer = recorded.at(net.host(line=SLOW)).volunteer(organiser.posted, "reducer", "direct")
    client = recorded.at(net.host()).volunteer(organiser.posted, "client", "client")
    organiser.wait_for(RoundFinished, lambda event: gave(event) and event.peers == 3, seconds=PATIENCE_SECONDS)
    here = len(reducer.said)
    reducer.wait_for(Progress, lambda event: 0.1 < (event.exchanged_share or 0.0) < 0.9, since=here)
    kill(reducer.family)
    average_together(organiser, client, among=2)
    assert_equal_base_weights(recorded)
    again = recorded.at(net.host()).volunteer(organiser.posted, "another", "direct")
    average_together(organiser, client, again, among=3)
    assert_equal_base_weights(recorded)


@pytest.mark.faults
@pytest.mark.networks
def test_a_reducer_that_one_client_cannot_reach_is_named_and_then_averages_nothing_for_it(
    recorded: RecordedPeers, net: Internet
) -> None:
    there, here = net.host(), net.host()
    organiser = recorded.at(net.host()).organiser(manifest=RUN)
    reducer = recorded.at(there).volunteer(organiser.posted, "reducer", "direct")
    here.run("ip", "route", "add", "unreachable", there.address)
    client = recorded.at(here).volunteer(organiser.posted, "client", "client")
    (named,) = client.wait_for(RoundFinished, lambda event: bool(event.unreached)).unreached
    assert named == reducer.wait_for(Connected).peer_id
    average_together(organiser, reducer, client, among=3)
    assert client.all(RoundFinished)[-1].unreached == ()
    assert_equal_base_weights(recorded)


def test_a_peer_without_room_for_its_round_log_takes_part_and_keeps_one_again_once_there_is_room(
    small_disk: Path, fill_disk: Callable[[], None], recorded: RecordedPeers
) -> None:
    organiser = recorded.organiser(manifest=RUN)
    full = recorded.volunteer(organiser.posted, f"{small_disk.name}/full", "direct")
    client = recorded.volunteer(organiser.posted, "client", "client")
    assert isinstance(full, RecordedPeer)
    average_until_logged(full, organiser, client)
    began = fill_between_rounds(small_disk / "hog", fill_disk, full)
    average_together(organiser, full, client, among=3)
    assert not RoundLog(log_folder(full)).since(began)
    (small_disk / "hog").unlink()
    average_until_logged(full, organiser, client)
    assert_equal_base_weights(recorded)


def fill_between_rounds(hog: Path, fill_disk: Callable[[], None], peer: RecordedPeer) -> Version:
    """Fill the disk while no round is being logged, and return the version to which the log leads then.

    A round that has its file already would still be logged, and the oldest would leave its room to the next one.
    """
    folder = log_folder(peer)
    files = [PENDING]
    while PENDING in files or logged(folder) != files:
        hog.unlink(missing_ok=True)
        time.sleep(POLL_SECONDS)
        files = logged(folder)
        fill_disk()
    version = RoundLog(folder).current()
    assert version is not None
    return version


def logged(folder: Path) -> list[str]:
    """The names of the files that hold rounds there, and of the one that is not yet named."""
    return sorted(path.stem for path in folder.iterdir() if path.suffix == ".round" or path.stem == PENDING)


def leads_on(peer: RecordedPeer, since: Move) -> bool:
    """Whether the rounds in its log lead from that version to the present one."""
    return bool(RoundLog(log_folder(peer)).since((since.steps, bytes.fromhex(since.root))))


def log_folder(peer: RecordedPeer) -> Path:
    """Where it keeps its round log."""
    (folder,) = (path for path in peer.home.rglob("rounds/*") if path.is_dir())
    return folder
