"""Three hosts and two trainers, each with a p2pd of its own: what is forged changes nothing, and a lost host little."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from tests.support.real_peers import PeerGroup, peer_group
from tests.worker.experts.expert_peers import EXPERTS

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

STEPS = 40  # before and after a host is lost
NEXT_SECONDS = 400.0  # until peers have begun, or until experts are copied or taken over


def is_step(said: dict[str, Any]) -> bool:
    """Whether a line is about a step of training."""
    return "loss" in said


class Training:
    """All that two trainers have said, before and after one of three hosts was killed."""

    def __init__(self, group: PeerGroup, folder: Path) -> None:
        self.script = group.script("peers", "tests.worker.experts.expert_peers", str(folder))
        self.forged = self.script.until(lambda said: "refusals" in said, seconds=NEXT_SECONDS)
        self._killed_at = self._after_steps(lambda said: "killed" in said)
        self.compared = self.script.until(lambda said: "difference" in said)
        self._after_steps(lambda said: "done" in said)

    def _after_steps(self, is_next: Callable[[dict[str, Any]], bool]) -> int:
        """Let them take some steps, and then go on to what is next; its place among all that was said."""
        since = len(self.script.said)
        for _ in range(STEPS):
            since = 1 + self.script.said.index(self.script.until(is_step, since), since)
        self.script.stdin.write(b"\n")
        self.script.stdin.flush()
        return self.script.said.index(self.script.until(is_next, since, NEXT_SECONDS))

    @property
    def before(self) -> list[dict[str, Any]]:
        """The steps with all hosts."""
        return [said for said in self.script.said[: self._killed_at] if is_step(said)]

    @property
    def after(self) -> list[dict[str, Any]]:
        """The steps since a host was killed."""
        return [said for said in self.script.said[self._killed_at :] if is_step(said)]


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Training]:
    """One for all tests."""
    folder = tmp_path_factory.mktemp("experts")
    with peer_group(folder) as group:
        yield Training(group, folder)


def test_the_loss_falls_although_no_trainer_has_an_expert(training: Training) -> None:
    losses = [step["loss"] for step in training.before]
    assert fmean(losses[-10:]) < fmean(losses[:10]) - 0.1
    assert max(step["answered"] for step in training.before) == 1.0


def test_a_forged_or_oversized_request_and_one_that_is_not_finite_change_no_parameter(training: Training) -> None:
    assert training.forged["changed"] == []
    refusals = training.forged["refusals"]
    assert refusals.pop("stranger") == "not admitted"
    assert refusals.pop("other expert") == "not hosted"
    assert set(refusals.values()) == {"wrong"} and len(refusals) == 6


def test_the_experts_collected_in_one_module_give_the_same_logits(training: Training) -> None:
    assert training.compared["difference"] < 1e-4 < training.compared["changed"]


def test_a_host_that_is_killed_is_left_out_and_others_go_on_with_its_experts_where_their_copies_end(
    training: Training,
) -> None:
    killed = training.script.until(lambda said: "killed" in said)
    taken_over = training.script.until(lambda said: "taken_over" in said)["taken_over"]
    assert killed["killed"] == len(taken_over) > 0
    assert all(steps > 0 for steps in taken_over)
    assert training.script.until(lambda said: "unanswered" in said)["unanswered"] > 0, "what it was sent found nobody"
    assert [len(EXPERTS)] * 2 in [step["present"] for step in training.before]
    assert [len(EXPERTS) - len(taken_over)] * 2 in [step["present"] for step in training.after]
    training.script.until(lambda said: "whole" in said)
    assert (
        fmean(step["loss"] for step in training.after[-10:])
        < fmean(step["loss"] for step in training.before[:10]) - 0.1
    )
