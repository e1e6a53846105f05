"""A run with experts that is ended: hosts stay until its organiser has what their experts have learned, and leave."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path

import msgspec
import pytest
import torch

from core.protocol.events import Left, Progress, RoundFinished
from core.worker.experts.collected import CollectedExperts
from core.worker.experts.hosted_expert import STATISTICS
from tests.bench.local_sgd.recorded_peers import RecordedPeers
from tests.integration.experts.test_run import LEARNING_SECONDS, Swarm, in_mode, toy_mixture
from tests.integration.test_examples import quick
from tests.support.environment.fake_hub import local_hub
from tests.support.real_peers import averaged, workerbee

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.faults, pytest.mark.timeout(1200)]

EPOCH_SAMPLES = 600


def has_learned(event: Progress) -> bool:
    """Whether there is something to save: a run that ends in its first epoch has learned nothing."""
    return event.epoch > 0


def test_what_experts_have_learned_by_the_end_of_the_run_is_collected_to_the_last_bit(tmp_path: Path) -> None:
    with local_hub() as hub, contextlib.closing(RecordedPeers(tmp_path)) as group:
        group.pace = math.inf
        run = toy_mixture(hub, "gradients")
        run = msgspec.structs.replace(run, collaboration=in_mode("gradients", quick(run, EPOCH_SAMPLES)))
        swarm = Swarm(group, run, checkpoint_every_epochs=1_000_000)
        for trainer in swarm.trainers:
            trainer.wait_for(
                RoundFinished,
                lambda event: event.kind == swarm.kind and averaged(event),
                seconds=LEARNING_SECONDS,
            )
        swarm.organiser.wait_for(Progress, has_learned, seconds=LEARNING_SECONDS)
        workerbee(swarm.organiser.home, "steer", swarm.manifest.run.id, "end", "It knows its text.", "--yes")
        for peer in (*swarm.trainers, *swarm.hosts):
            peer.wait_for(Left)
            assert peer.ended() == 0
        swarm.organiser.wait_for(Progress, since=len(swarm.organiser.said))
        files, recipe = swarm.organiser_files(), swarm.manifest.recipe
        collected = CollectedExperts.of(recipe, files.collected_experts_folder, swarm.manifest.run.id)  # type: ignore[arg-type]
        epochs = collected.epochs()
        learned = {expert: state for host in swarm.hosts for expert, state in swarm.saved(host).items()}
        assert sorted(epochs) == sorted(learned) == swarm.experts
        for expert, state in learned.items():
            weights = {name: each for name, each in state.items() if not name.endswith(STATISTICS)}
            torch.testing.assert_close(collected.read(expert, epochs[expert][-1]), weights, rtol=0, atol=0)
