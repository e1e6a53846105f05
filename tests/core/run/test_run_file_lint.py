"""What a run file may say, and probably should not, is told with figures."""

from __future__ import annotations

import msgspec
import pytest

from core.run.run_file import parse_run_file, template
from core.run.run_file_lint import lint
from core.run.spec.recipe import ArithmeticGPT
from tests.core.run.run_files import changed, in_local_sgd, with_local_updates


def test_the_template_is_right_and_gives_no_hints() -> None:
    assert lint(parse_run_file(template())) == ()


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ("target_batch_size = 32768", "target_batch_size = 5119", "20 × batch_size_per_step"),
        ("layers = 2\nwidth = 64", "layers = 24\nwidth = 1024", "download"),
        ("layers = 2\nwidth = 64", "layers = 12\nwidth = 1024", "plain hivemind peers give up"),
        ("layers = 2\nwidth = 64", "layers = 24\nwidth = 1024", "stand still"),
        ("layers = 2\nwidth = 64", "layers = 8\nwidth = 320", "float16"),
        ('allreduce_timeout = "none"', "allreduce_timeout = 0.5", "everybody gives up"),
        ('license = "Apache-2.0"', "", "license is empty"),
        ("after_seconds = 21600", "after_seconds = 600", "away for longer"),
    ],
)
def test_what_is_allowed_but_unwise_is_a_hint(old: str, new: str, hint: str) -> None:
    text = changed(old, new).replace("keys = []", f'keys = ["12D3KooW{44 * "a"}"]')
    assert any(hint in each for each in lint(parse_run_file(text)))


@pytest.mark.parametrize(
    ("mode", "remedies"),
    [
        ("local-sgd", "target_batch_size or max_round_seconds."),
        ("gradients", "target_batch_size or average_state_every."),
    ],
)
def test_what_helps_against_averaging_longer_than_a_round_is_an_option_of_that_mode(mode: str, remedies: str) -> None:
    large = ArithmeticGPT(layers=12, width=1024, heads=8)
    run = msgspec.structs.replace(parse_run_file(in_local_sgd(mode=f'"{mode}"')), recipe=large)
    (hint,) = (hint for hint in lint(run) if " lasts only about " in hint)
    assert hint.endswith(remedies)


def test_sparse_changes_with_momentum_are_a_hint() -> None:
    sparse = {"delta_codec": '"topk"', "outer_lr": "1.0"}
    assert any("outer_momentum = 0.0" in hint for hint in lint(parse_run_file(in_local_sgd(**sparse))))
    plain = lint(parse_run_file(in_local_sgd(**sparse, outer_momentum="0.0")))
    assert not any("topk" in hint for hint in plain)


def test_steps_of_muon_after_few_samples_each_are_a_hint() -> None:
    def hints(micro_batch: int, **collaboration: str) -> str:
        text = in_local_sgd(batch_size_per_step=str(micro_batch), **collaboration)
        return "\n".join(lint(parse_run_file(text.replace('name = "adamw"', 'name = "muon"'))))

    assert "A step of Muon computes as much as training on" in hints(8)
    assert "Muon" not in hints(400)
    assert "Muon" not in hints(8, mode='"gradients"')  # there it is one step an epoch


def test_options_without_effect_on_local_updates_are_hints() -> None:
    hints = lint(parse_run_file(with_local_updates(grad_compression='"float16"')))
    for option in ("offload_optimizer = true", 'grad_compression = "float16"'):
        assert any(f"{option} has no effect" in hint for hint in hints)
    assert not any("no effect" in hint for hint in lint(parse_run_file(with_local_updates(offload_optimizer="false"))))


def test_a_run_that_stands_still_to_average_is_a_hint() -> None:
    text = template()
    for delay in ("delay_grad_averaging", "delay_optimizer_step", "delay_state_averaging"):
        text = text.replace(f"{delay} = true", f"{delay} = false")
    assert any("stands still" in each for each in lint(parse_run_file(text)))


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"overlap": '"none"'}, "stands still for 13 s after each round"),
        ({"batch_size_per_step": "64", "inner_steps_min": "50"}, "each takes about 6 steps in a round of 4096 samples"),
        (
            {"max_round_seconds": "9.0", "batch_size_per_step": "4096", "inner_steps_min": "100"},
            "leaves a good home GPU time for about",
        ),
        ({"weight_cap": "40.0"}, "may count as much as 40 others"),
    ],
)
def test_options_of_local_sgd_that_waste_what_volunteers_compute_are_hints(options: dict[str, str], hint: str) -> None:
    """Each of them alone; with a model of ten million parameters, so that an exchange takes some seconds."""

    def hints(**options: str) -> str:
        run = parse_run_file(in_local_sgd(**{"overlap": '"delayed"', **options}))
        return "\n".join(lint(msgspec.structs.replace(run, recipe=ArithmeticGPT(layers=5, width=512, heads=8))))

    assert hint in hints(**options) and hint not in hints()


@pytest.mark.parametrize(
    ("layers", "mirror", "is_told"), [(12, "", True), (12, "https://example.org/m", False), (2, "", False)]
)
def test_a_large_model_without_a_mirror_is_a_hint(layers: int, mirror: str, is_told: bool) -> None:
    run = parse_run_file(in_local_sgd(overlap='"delayed"', mirror=f'"{mirror}"'))
    large = msgspec.structs.replace(run, recipe=ArithmeticGPT(layers=layers, width=1024, heads=8))
    assert any("publish --mirror" in hint for hint in lint(large)) == is_told
