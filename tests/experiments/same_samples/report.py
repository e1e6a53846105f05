"""The table and the curves of what was simulated: for each size of the model, the best learning rate of each way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from installer.docs.markdown import table
from tests.experiments.same_samples.trials import FULL_ROUNDS, NAMES, SIZES, WAYS, Curve, Trial, Way

NO_FIGURE = "–"


@dataclass(frozen=True)
class Result:
    """A trial and what came of it."""

    trial: Trial
    curve: Curve


@dataclass(frozen=True)
class Group:
    """What is compared: one size of the model, trained for so many rounds' samples."""

    size: str
    rounds: int = FULL_ROUNDS

    def results(self, of: Iterable[Result]) -> list[Result]:
        """Those in it."""
        return [each for each in of if (each.trial.size, each.trial.rounds) == (self.size, self.rounds)]


def groups(results: Sequence[Result]) -> list[Group]:
    """All there are, the smaller model first, then the fewer samples."""
    found = {Group(each.trial.size, each.trial.rounds) for each in results}
    return sorted(found, key=lambda group: (list(SIZES).index(group.size), group.rounds))


def best(results: Sequence[Result], group: Group, way: Way) -> Result | None:
    """That of the learning rate with the lowest last loss; ``None`` where that was not tried."""
    tried = [each for each in group.results(results) if each.trial.way == way]
    return min(tried, key=lambda each: each.curve.last, default=None)


def excess(results: Sequence[Result], group: Group, way: Way, than: Way) -> float | None:
    """How much higher the best loss of ``way`` is than that of another one, as a share of the latter."""
    one, other = best(results, group, way), best(results, group, than)
    return one.curve.last / other.curve.last - 1 if one and other else None


def as_markdown(results: Sequence[Result]) -> str:
    """A row for each group and way: the best held-out loss, and how it compares with every step and gradients."""
    headings = ("parameters", "samples", "", "held-out loss", "rate (others tried)", "÷ every step", "÷ gradients")
    rows = [row for group in groups(results) for way in WAYS if (row := _row(results, group, way)) is not None]
    return table(headings, rows)


def _row(results: Sequence[Result], group: Group, way: Way) -> tuple[str, ...] | None:
    found = best(results, group, way)
    if found is None:
        return None
    rate = found.trial.learning_rate
    others = {each.trial.learning_rate for each in group.results(results) if each.trial.way == way} - {rate}
    tried = f" ({', '.join(f'{other:g}' for other in sorted(others))})" if others else ""
    compared = (excess(results, group, way, "every-step"), excess(results, group, way, "gradients"))
    shares = (NO_FIGURE if each is None else f"{1 + each:.3f}" for each in compared)
    told = (SIZES[group.size].parameters, f"{found.trial.samples:,}", NAMES[way])
    return *told, f"{found.curve.last:.3f}", f"{rate:g}{tried}", *shares


def draw(results: Sequence[Result], path: Path) -> None:
    """The best curve of each way over samples, one picture beside the other for the groups."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    drawn = groups(results)
    figure = Figure(figsize=(3.0 + 3.0 * len(drawn), 3.2), layout="constrained")
    for axes, group in zip(figure.subplots(1, len(drawn), sharey=True, squeeze=False)[0], drawn, strict=True):
        for number, way in enumerate(WAYS):
            if found := best(results, group, way):
                samples, losses = zip(*found.curve.losses[1:], strict=True)
                axes.plot(samples, losses, label=NAMES[way], color=f"C{number}")
        axes.set(title=f"{SIZES[group.size].parameters} parameters", xlabel="samples")
    figure.axes[0].set(ylabel="loss on what nobody trains on")
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside right upper", frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": path.stem}):
        figure.savefig(path, metadata={"Date": None})
