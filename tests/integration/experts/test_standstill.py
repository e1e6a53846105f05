"""Local SGD while nobody hosts an expert: trainers compute nothing, and go on together once a host is there again."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path

import msgspec
import pytest

from core.errors import ErrorKind
from core.protocol.events import Progress, RoundFinished, Warned
from core.run.manifest import RunManifest
from core.run.spec.collaboration import Mode
from core.run.spec.recipe import MoeLM
from tests.bench.local_sgd.recorded_peers import RecordedPeers
from tests.integration.experts.test_run import Swarm, assert_whole_rounds_leave_equal_weights, toy_mixture
from tests.integration.local_sgd.together import assert_equal_base_weights
from tests.support.environment.fake_hub import Hub, local_hub
from tests.support.fault_injection import gave
from tests.support.real_peers import Peer

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.faults, pytest.mark.timeout(900)]

ROUND_SECONDS = 30.0  # at the most, so that a round would end by the clock meanwhile
REPORTS = 70  # half a second each
LIMIT_SECONDS = 400.0


def that_waits(hub: Hub, mode: Mode = "local-sgd") -> RunManifest:
    """The toy run with layers that cannot be left out; local SGD trains during an exchange."""
    run = toy_mixture(hub, mode)
    assert isinstance(run.recipe, MoeLM)
    together = run.collaboration
    if mode == "local-sgd":
        together = msgspec.structs.replace(together, overlap="delayed", max_round_seconds=ROUND_SECONDS)
    experts = msgspec.structs.replace(run.recipe.experts, when_away="wait")
    return msgspec.structs.replace(
        run, collaboration=together, recipe=msgspec.structs.replace(run.recipe, experts=experts)
    )


def round_together(trainer: Peer, since: int) -> RoundFinished:
    """Wait for one of its rounds with a step, from that place in what it has said."""
    return trainer.wait_for(RoundFinished, gave, since=since, seconds=LIMIT_SECONDS)


def computes_on(trainer: Peer, samples: int) -> None:
    """Wait until it has computed more samples than those."""
    trainer.wait_for(Progress, lambda event: event.contributed_samples > samples)


def test_trainers_wait_while_no_host_is_there_and_then_go_on_with_equal_base_weights(tmp_path: Path) -> None:
    with local_hub() as hub, contextlib.closing(RecordedPeers(tmp_path)) as group:
        group.pace = math.inf
        swarm = Swarm(group, that_waits(hub))
        assert_whole_rounds_leave_equal_weights(swarm)
        computed = dict[Peer, int]()
        for trainer, left in swarm.without_hosts().items():
            trainer.wait_for(Warned, lambda event: event.problem == ErrorKind.EXPERTS_AWAY.key, since=left)
        for trainer in swarm.trainers:
            trainer.wait_for(Progress, since=len(trainer.said))  # what was under way has ended
            computed[trainer] = trainer.wait_for(Progress, since=len(trainer.said)).contributed_samples
        for _ in range(REPORTS):
            for trainer, samples in computed.items():
                assert trainer.wait_for(Progress, since=len(trainer.said)).contributed_samples == samples
        here = {trainer: len(trainer.said) for trainer in swarm.trainers}
        swarm.joined("host-0", "host", len(swarm.experts))
        for trainer, since in here.items():
            finished = round_together(trainer, since)
            trainer.wait_for(RoundFinished, since=trainer.said.index(finished) + 1, seconds=LIMIT_SECONDS)
            computes_on(trainer, computed[trainer])
        assert_equal_base_weights(group)
