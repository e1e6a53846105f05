"""That the simulation of local SGD is what it claims to be: its rounds, its samples, its table; and that it learns."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
import torch
from torch import Tensor

from core.worker.recipes.initialization import model_from_scratch
from core.worker.swarm.local_sgd.codecs.encoded_tensors import PART_NUMBERS
from core.worker.swarm.local_sgd.codecs.wire import codec
from tests.experiments.__main__ import SIMULATED
from tests.experiments.report import DOCUMENT, PICTURES
from tests.experiments.same_samples.outer_round import OuterRounds
from tests.experiments.same_samples.program_text import HELD_OUT, HELD_OUT_SAMPLES, LENGTH, TRAINED_ON, ProgramText
from tests.experiments.same_samples.report import Group, Result, as_markdown, best, draw, excess
from tests.experiments.same_samples.results_file import add_result, read_results
from tests.experiments.same_samples.simulation import looked_at, micro_batches, simulate, simulated
from tests.experiments.same_samples.trials import PLANS, SIZES, WAYS, Curve, Trial, Way, collaboration, trials

NUMBERS = 600_000  # of a tensor, more than one part has


def rounds_of(way: Way, start: Tensor) -> OuterRounds:
    """Of four peers."""
    return OuterRounds([start], collaboration(way), 4)


def peers_at(*weights: Tensor) -> list[list[Tensor]]:
    """Peers with one tensor each."""
    return [[each.clone()] for each in weights]


def result(size: str, way: Way, rate: float, loss: float) -> Result:
    """With two points of a curve."""
    return Result(Trial(size, way, rate), Curve(((0, 5.5), (2880, 3.0), (20_160, loss))))


def test_a_round_steps_by_the_outer_rate_and_momentum() -> None:
    rounds = rounds_of("int8", torch.zeros(8))
    for expected in (0.7 * 1.5, 0.7 * 1.5 + 0.7 * (1 + 0.5 * 1.5)):  # lr * (g + momentum * v), v = g, then 1.5 g
        base = rounds.base[0].clone()
        peers = peers_at(*[base + 1.0] * 4)
        rounds.end(peers, 240.0)
        assert torch.allclose(rounds.base[0], torch.full((8,), expected), rtol=1e-2)
        assert all(torch.equal(own, rounds.base[0]) for (own,) in peers)


@pytest.mark.parametrize("name", ["int8", "int4"])
def test_what_peers_changed_is_encoded_before_and_after_it_is_averaged(name: Literal["int8", "int4"]) -> None:
    torch.manual_seed(0)
    start, changes, each = torch.randn(NUMBERS), torch.randn(4, NUMBERS), codec(name)
    rounds = rounds_of(name, start)
    rounds.end(peers_at(*(start - change for change in changes)), 240.0)
    part = slice(0, PART_NUMBERS)
    sent = torch.stack(
        [each.decode(each.encode(start[part] - (start - change)[part]), PART_NUMBERS) for change in changes]
    )
    sent *= (sent.norm(dim=1).median() / sent.norm(dim=1)).clamp(max=1.0)[:, None]  # clipped to the median norm
    average = each.decode(each.encode(sent.mean(0)), PART_NUMBERS)
    assert torch.allclose(
        rounds.base[0][part], start[part] - 0.7 * 1.5 * average, atol=2e-2 if name == "int4" else 1e-2
    )


def test_a_plain_mean_has_no_momentum() -> None:
    rounds = rounds_of("int8-mean", torch.zeros(8))
    for _ in range(2):
        base = rounds.base[0].clone()
        rounds.end(peers_at(*[base - 1.0] * 4), 240.0)
        assert torch.allclose(rounds.base[0], base - 1.0, atol=1e-2)


def test_topk_sends_the_largest_changes_and_keeps_the_others() -> None:
    torch.manual_seed(0)
    change = torch.randn(4096)
    rounds = rounds_of("topk", torch.zeros(4096))
    rounds.end(peers_at(*[-change] * 4), 240.0)
    assert int((rounds.base[0] != 0).sum()) == 64
    before = rounds.base[0].clone()
    rounds.end(peers_at(*[before - change] * 4), 240.0)
    assert 64 < int((rounds.base[0] != 0).sum()) <= 128


def test_all_ways_see_the_same_samples_and_none_of_the_held_out_text() -> None:
    one, other = micro_batches(ProgramText(1)), micro_batches(ProgramText(1))
    first = one()
    assert first.shape == (4, 8, LENGTH) and torch.equal(first, other()) and not torch.equal(first, one())
    assert ProgramText(1).held_out.shape == (HELD_OUT_SAMPLES, LENGTH) and not set(HELD_OUT) & set(TRAINED_ON)


def test_a_trial_is_as_long_as_it_says() -> None:
    whole = Trial("0.3M", "int8", 2e-3)
    assert whole.samples == 20_160 and looked_at(whole)[0] == 2880 and looked_at(whole)[-1] == 20_160


def test_sizes_are_what_they_are_called() -> None:
    for size in SIZES.values():
        numbers = sum(each.numel() for each in model_from_scratch(size.recipe).parameters())
        assert float(size.parameters.split()[0]) == pytest.approx(numbers / 1e6, rel=0.05)


def test_the_best_rate_counts_and_is_compared_with_the_others_best() -> None:
    results = [
        result("0.3M", "every-step", 4e-3, 2.5),
        result("0.3M", "every-step", 8e-3, 2.0),
        result("0.3M", "int8", 2e-3, 2.2),
        result("0.3M", "gradients", 8e-3, 2.75),
    ]
    found = best(results, Group("0.3M"), "every-step")
    assert found and found.trial.learning_rate == 8e-3 and best(results, Group("6M"), "int8") is None
    assert excess(results, Group("0.3M"), "int8", "every-step") == pytest.approx(0.1)
    assert "| 0.25 million | 20,160 | local SGD, int8 | 2.200 | 0.002 | 1.100 | 0.800 |" in as_markdown(results)
    assert "| 0.008 (0.004) |" in as_markdown(results)


def test_what_was_simulated_is_not_simulated_again(tmp_path: Path) -> None:
    done = result("0.3M", "int8", 2e-3, 1.25)
    add_result(tmp_path / "results", done)
    assert simulated([done.trial], tmp_path / "results") == [done] == read_results(tmp_path / "results")


def test_the_curves_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="`make experiments` installs it")
    draw([result("0.3M", "int8", 2e-3, 2.2), result("6M", "int8", 1e-3, 2.0)], tmp_path / "losses.svg")
    assert (tmp_path / "losses.svg").read_text().count('id="axes_') == 2


@pytest.mark.parametrize(("name", "question"), SIMULATED.items())
def test_the_document_has_a_place_and_a_picture_for_it(name: str, question: str) -> None:
    text = DOCUMENT.read_text("utf-8")
    assert f"## {question}" in text and f"generated: experiment {name}" in text
    assert (PICTURES / f"{name}.svg").is_file()


def test_every_way_is_among_the_trials() -> None:
    for is_quick in (False, True):
        ways = {each.way for name in PLANS for each in trials(name, is_quick=is_quick)}
        assert ways == set(WAYS)
    assert {each.size for each in trials("same-samples", ["6M"], is_quick=False)} == {"6M"}


@pytest.mark.slow
def test_one_round_learns_and_gradients_of_as_many_samples_learn_less() -> None:
    torch.set_num_threads(1)
    untrained, local = (loss for _, loss in simulate(Trial("0.3M", "int8", 2e-3, 1)).losses)
    in_step = simulate(Trial("0.3M", "gradients", 8e-3, 1)).last
    assert local < 0.75 * untrained and local < in_step


@pytest.mark.slow
def test_a_round_with_muon_learns_more_than_one_with_adamw_from_the_same_samples() -> None:
    torch.set_num_threads(1)
    adamw, muon = (
        simulate(each).last for each in (Trial("0.3M", "int8", 2e-3, 2), Trial("0.3M", "int8-muon", 4e-3, 2))
    )
    assert muon < 0.97 * adamw
