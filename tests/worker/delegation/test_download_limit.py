"""An owner's download limit: one bucket for all of a worker's processes, and what then arrives at the computer."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import time
from itertools import pairwise
from pathlib import Path
from statistics import median

import msgspec
import pytest

from core.protocol.commands import SetPace
from core.protocol.events import Evaluated, RoundFinished, RunFound, StateLoading, TrainingStarted
from core.run.spec.recipe import ArithmeticGPT
from core.security.verified_download import Remote
from core.worker.delegation import download_limit
from core.worker.delegation.download_limit import FRAMES, SMALL_BYTES, DownloadBudget, downloads, share_download_limit
from core.worker.fetch.fetcher import fetch_rest
from tests.support.consents import consent_to
from tests.support.environment.folder_server import serving_folder
from tests.support.environment.network_namespaces import Host, Internet
from tests.support.real_peers import PeerGroup, tiny

LIMIT = 400_000
STATE_LIMIT = 120_000  # at which a state of 5 MB takes twice as long as it is watched
ROUND_LIMIT = 1_000_000  # at which a round lasts some seconds
LEAST, MOST = 0.5, 1.15  # of the limit, in so short a time, on a computer that stands still at times
WATCHED_SECONDS = 20.0
ON_THE_WAY_BYTES = 512 * 1024  # of what the kernel has taken in, and the worker has not yet read


@pytest.fixture
def budget() -> DownloadBudget:
    now = time.monotonic()
    budget = DownloadBudget(lambda: now)  # a bucket forgives what a busy computer has not received in time
    budget.limit = LIMIT
    return budget


def take(budget: DownloadBudget) -> None:
    for _ in range(50):
        budget.paid_at(10_000)


def test_what_several_processes_receive_is_paid_for_together(budget: DownloadBudget) -> None:
    began = budget.paid_at(0)
    children = [multiprocessing.get_context("fork").Process(target=take, args=(budget,)) for _ in range(3)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert budget.paid_at(0) - began == pytest.approx(3 * 50 * 10_000 * FRAMES / LIMIT)


def test_words_of_the_protocol_count_and_do_not_wait(budget: DownloadBudget) -> None:
    began = budget.paid_at(100 * LIMIT)
    asyncio.run(budget.until_paid(SMALL_BYTES))
    assert budget.paid_at(0) - began == pytest.approx(SMALL_BYTES * FRAMES / LIMIT)
    assert time.monotonic() < began


def test_whoever_waits_goes_on_at_once_when_the_limit_is_lifted(budget: DownloadBudget) -> None:
    pauses = budget.pauses(1000 * LIMIT)
    next(pauses)
    budget.limit = None
    assert not list(pauses)
    assert not list(budget.pauses(1000 * LIMIT))


def test_a_file_comes_no_faster_than_the_limit(tmp_path: Path) -> None:
    size = 8 * LIMIT
    (tmp_path / "file").write_bytes(os.urandom(size))
    share_download_limit()
    downloads().limit = LIMIT
    try:
        with serving_folder(tmp_path) as server:
            remote, began = Remote(f"{server.address}file", size, ""), time.monotonic()
            came = [(time.monotonic() - began, have) for have in fetch_rest(remote, tmp_path / "part")]
        assert downloads().fetched_bytes == size
    finally:
        download_limit.share_download_limit()
    assert came[-1][1] == (tmp_path / "part").stat().st_size == size
    speed = size / came[-1][0] / LIMIT
    assert LEAST < speed < MOST
    assert len({have for _, have in came}) > 3
    assert median(later - earlier for (earlier, _), (later, _) in pairwise(came)) < 1.0


def received(host: Host) -> int:
    """The bytes that have come to that computer, frames and all, as its network device counts them."""
    return int(host.run("cat", "/sys/class/net/eth0/statistics/rx_bytes"))


def speed(host: Host, seconds: float) -> float:
    """The bytes a second that come to it for so long."""
    began, before = time.monotonic(), received(host)
    time.sleep(seconds)
    return (received(host) - before) / (time.monotonic() - began)


@pytest.mark.networks
@pytest.mark.real
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_newcomer_downloads_the_state_no_faster_than_its_owner_allows(net: Internet, group: PeerGroup) -> None:
    recipe = ArithmeticGPT(layers=2, width=128, heads=4)
    shared = tiny(target_batch_size=2000, batch_size_per_step=8)  # seconds, so that few words are said meanwhile
    organiser = group.at(net.host()).organiser(manifest=msgspec.structs.replace(shared, recipe=recipe))
    organiser.wait_for(Evaluated, lambda event: event.epoch >= 1)
    host = net.host()
    newcomer = group.at(host).seeker(organiser.posted, "home")
    newcomer.send(SetPace(download_bytes_a_second=STATE_LIMIT))
    newcomer.send(consent_to(newcomer.wait_for(RunFound)))
    newcomer.wait_for(StateLoading, lambda event: event.what == "state" and event.received_bytes > 2 * STATE_LIMIT)
    arriving = speed(host, WATCHED_SECONDS)
    assert not newcomer.all(TrainingStarted)
    assert 0 < arriving < MOST * STATE_LIMIT + ON_THE_WAY_BYTES / WATCHED_SECONDS
    newcomer.send(SetPace(download_bytes_a_second=ROUND_LIMIT))
    newcomer.wait_for(TrainingStarted)
    newcomer.wait_for(RoundFinished, lambda event: event.kind == "gradients" and event.ok and event.peers == 2)
