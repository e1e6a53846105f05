"""Whoever is behind a run catches up with it while no host of its experts is there, and all go on once one is."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path

import pytest

from core.errors import ErrorKind
from core.protocol.events import CheckpointSaved, Progress, RoundFinished, TrainingStarted, Warned
from core.run.spec.collaboration import Mode
from tests.bench.local_sgd.recorded_peers import RecordedPeers
from tests.integration.experts.test_run import Swarm
from tests.integration.experts.test_standstill import LIMIT_SECONDS, that_waits
from tests.support.environment.fake_hub import local_hub
from tests.support.fault_injection import gave
from tests.support.real_peers import Peer

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.faults, pytest.mark.timeout(900)]

REPORTS = 12  # of trainers that wait


def still_epoch(trainer: Peer, since: int) -> int:
    """The epoch in which it has stayed, and computed nothing, for some reports from that place on."""
    told = list[tuple[int, int]]()

    def is_still(report: Progress) -> bool:
        told.append((report.epoch, report.contributed_samples))
        return len(told) > REPORTS and len(set(told[-REPORTS:])) == 1

    return trainer.wait_for(Progress, is_still, since=since).epoch


@pytest.mark.parametrize("mode", ["gradients", "local-sgd"])
def test_an_organiser_that_comes_back_and_a_newcomer_take_the_runs_state_while_no_host_is_there(
    tmp_path: Path, mode: Mode
) -> None:
    with local_hub() as hub, contextlib.closing(RecordedPeers(tmp_path)) as group:
        group.pace = math.inf
        swarm = Swarm(group, that_waits(hub, mode))
        trainers, organiser = swarm.trainers, swarm.organiser
        for trainer in trainers:
            trainer.wait_for(RoundFinished, lambda event: event.kind == swarm.kind and gave(event))
        organiser.wait_for(CheckpointSaved)
        listen = (organiser.posted.rpartition("/p2p/")[0],)
        assert organiser.leave() == 0
        left_at = organiser.epoch
        for trainer in trainers:
            trainer.reaches(left_at + 3)
        for trainer, since in swarm.without_hosts().items():
            trainer.wait_for(Warned, lambda event: event.problem == ErrorKind.EXPERTS_AWAY.key, since=since)
        epoch = max([still_epoch(trainer, len(trainer.said)) for trainer in trainers])

        returned = swarm.organiser = group.organiser(manifest=swarm.manifest, train=False, listen=listen)
        assert returned.wait_for(TrainingStarted).epoch <= left_at + 1
        newcomer = swarm.joined("newcomer", "train", None)
        for behind in (returned, newcomer):
            behind.reaches(epoch)
            assert not behind.all(Progress)[-1].contributed_samples
        assert [still_epoch(trainer, len(trainer.said)) for trainer in trainers] == [epoch] * len(trainers)

        everybody = [returned, newcomer, *trainers]
        here = {peer: len(peer.said) for peer in everybody}
        swarm.joined("host-0", "host", len(swarm.experts))
        for peer, since in here.items():
            peer.wait_for(
                RoundFinished,
                lambda event: event.kind == swarm.kind and gave(event) and event.peers >= len(everybody),
                since=since,
                seconds=LIMIT_SECONDS,
            )
