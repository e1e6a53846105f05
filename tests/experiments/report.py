"""A table and a picture for each experiment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core.files.documents import FOLDER
from installer.docs.markdown import table
from tests.experiments.execute import Outcome
from tests.support.checkout import ROOT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOCUMENT = FOLDER / "experiments.md"
PICTURES = ROOT / "resources" / "pictures" / "experiments"

HEADINGS = (
    "",
    "an epoch",
    "samples an epoch",
    "samples/s",
    "sent an epoch",
    "longest stall",
    "loss",
    "epochs",
)


def rows_of(outcomes: Sequence[Outcome]) -> list[tuple[str, ...]]:
    """One for each trial; the loss is the one after the last epoch that all trials have."""
    shared = min(outcome.last - outcome.first for outcome in outcomes)
    return [
        (
            outcome.trial.name,
            f"{outcome.epoch_seconds:.1f} s",
            f"{outcome.samples_per_epoch:,.0f}",
            f"{outcome.samples_per_epoch / outcome.epoch_seconds:,.0f}",
            f"{outcome.sent_bytes_per_epoch / 1e6:.2f} MB",
            f"{outcome.longest_stall:.2f} s",
            f"{outcome.losses[0][2]:.3f} → {outcome.losses[-1][2]:.3f}",
            str(shared),
        )
        for outcome in outcomes
    ]


def as_markdown(outcomes: Sequence[Outcome]) -> str:
    """The table of an experiment, for the document and for the terminal."""
    return table(HEADINGS, rows_of(outcomes))


def draw(outcomes: Sequence[Outcome], path: Path) -> None:
    """The loss over time and over epochs, side by side."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 3.2), layout="constrained")
    by_time, by_epoch = figure.subplots(1, 2, sharey=True)
    for outcome in outcomes:
        seconds, epochs, losses = zip(*outcome.losses, strict=True)
        by_time.plot(seconds, losses, label=outcome.trial.name)
        by_epoch.plot([epoch - outcome.first for epoch in epochs], losses, label=outcome.trial.name)
    by_time.set(xlabel="seconds", ylabel="loss on what nobody trains on")
    by_epoch.set(xlabel="epochs")
    by_epoch.legend(frameon=False)
    save_figure(figure, path)


def save_figure(figure: Figure, path: Path) -> None:
    """Write it as an SVG with text as text; the same figure is the same bytes, on white, also in a dark window."""
    from matplotlib import rc_context

    path.parent.mkdir(parents=True, exist_ok=True)
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": path.stem}):
        figure.savefig(path, metadata={"Date": None})
