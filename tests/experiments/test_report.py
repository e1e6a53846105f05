"""The arithmetic of an experiment: what an epoch took, taught and sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.protocol.events import AnyEvent, Evaluated
from installer.docs.regions import with_region
from tests.bench.peers.metrics import Track
from tests.bench.peers.peer_process import Seen
from tests.bench.peers.test_metrics import progress
from tests.experiments.execute import Outcome
from tests.experiments.experiments import EXPERIMENTS, Trial
from tests.experiments.report import DOCUMENT, PICTURES, as_markdown, draw


def outcome(*trial_names: str) -> list[Outcome]:
    """Of trials in which one peer did two epochs of ten seconds."""
    events: list[tuple[float, AnyEvent]] = [
        (0.0, progress(3, 50, 9.0, 1_000_000)),
        (1.0, Evaluated(epoch=3, loss=2.0, accuracy=0.0)),
        (10.0, progress(4, 150, 0.25, 2_000_000)),
        (11.0, Evaluated(epoch=4, loss=1.5, accuracy=0.0)),
        (20.0, progress(5, 250, 0.5, 5_000_000)),
        (20.5, Evaluated(epoch=5, loss=1.25, accuracy=0.0)),
        (30.0, progress(6, 350, 8.0, 9_000_000)),
    ]
    track = Track(tuple(Seen(at, event) for at, event in events))
    return [Outcome(Trial(name), (track,), 3, 5) for name in trial_names]


def test_a_row_says_what_an_epoch_took_and_taught() -> None:
    (row,) = [line for line in as_markdown(outcome("exact")).splitlines() if line.startswith("| exact")]
    assert row == "| exact | 10.0 s | 100 | 10 | 2.00 MB | 0.50 s | 2.000 → 1.250 | 2 |"


def test_the_curves_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="`make experiments` installs it")
    picture = tmp_path / "pictures" / "loss.svg"
    draw(outcome("exact", "halves"), picture)
    assert picture.read_text().count('id="axes_') == 2


def test_the_document_has_a_place_and_a_picture_for_every_experiment() -> None:
    text = DOCUMENT.read_text("utf-8")
    for name, experiment in EXPERIMENTS.items():
        text = with_region(text, f"experiment {name}", f"All about {name}.")
        text = with_region(text, f"experiment {name}", f"All anew about {name}.")
        assert f"## {experiment.question}" in text and (PICTURES / f"{name}.svg").is_file()
    assert text.count("All anew about ") == len(EXPERIMENTS) and "All about " not in text
    with pytest.raises(ValueError, match="the moon"):
        with_region(text, "the moon", "")


def test_every_experiment_compares_at_least_two_runs() -> None:
    for experiment in EXPERIMENTS.values():
        assert len({trial.name for trial in experiment.trials}) == len(experiment.trials) >= 2
