"""Real peers that announce all experts and compute none: an honest host takes these over, and a trainer learns."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import pytest

from core.worker.swarm.experts.claims import TRIES
from tests.support.real_peers import peer_group
from tests.worker.experts.expert_peers import EXPERTS

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

RETRY_SECONDS = 2.0
STEPS = 40
LIMIT_SECONDS = 400.0


def test_a_host_takes_over_what_others_announce_and_never_compute_and_the_loss_falls(tmp_path: Path) -> None:
    everything, losses = len(EXPERTS), list[float]()
    with peer_group(tmp_path) as group:
        words = (str(tmp_path / "peers"), str(RETRY_SECONDS))
        script = group.script("claimed", "tests.worker.experts.claims.silent_claimers", *words)
        before = script.until(lambda said: said.get("counts", [])[-1:] == [0], seconds=LIMIT_SECONDS)
        after = script.until(lambda said: said.get("counts", [])[-1:] == [everything], seconds=LIMIT_SECONDS)
        assert before["counts"] == [everything, everything, 0] and after["counts"] == [everything] * 3
        assert after["seconds"] - before["seconds"] > (TRIES - 1) * RETRY_SECONDS
        since = script.said.index(after)
        while len(losses) < STEPS:
            step = script.until(lambda said: said.get("answered") == 1.0, since, LIMIT_SECONDS)
            losses.append(step["loss"])
            since = script.said.index(step, since) + 1
    assert fmean(losses[-10:]) < fmean(losses[:10]) - 0.1
