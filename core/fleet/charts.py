"""Line charts of a fleet as SVG: an image with title and description, in the page and as a file of its own."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from core.fleet.style import CHART_FILE_STYLE

WIDTH, HEIGHT = 360, 200  # of the drawing, in units; about a phone's width, so that its letters are legible there
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 10, 10, 22
_MOST_POINTS = 240  # of a line; more than one to a pixel says nothing
_GAP_SECONDS = 600.0  # without any point, which a line does not bridge; one stands for six minutes at the most

Samples = Sequence[tuple[float, float]]
"""Points of a line: the time in seconds since 1970, and a finite value."""


@dataclass(frozen=True)
class Line:
    """One curve of a chart; ``has_dots`` where its points are few, and each counts."""

    label: str
    samples: Samples
    has_dots: bool = False


@dataclass(frozen=True)
class Chart:
    """A chart of one or two lines over time; ``key`` names its file, ``form`` writes a value."""

    key: str
    title: str
    lines: tuple[Line, ...]
    form: Callable[[float], str]
    starts_at_zero: bool = True

    @property
    def description(self) -> str:
        """What there is to see, in words."""
        told = [self._told(line) for line in self.lines if line.samples]
        return " ".join(told) or "Nothing was seen yet."

    def svg(self, style: str = "") -> str:
        """The drawing; ``style`` is a stylesheet of its own, where no page has one for it."""
        samples = [sample for line in self.lines for sample in line.samples]
        drawing = _Frame.of(samples, self.starts_at_zero).drawn(self) if samples else ""
        own_style = f"<style>{style}</style>" if style else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            f'aria-labelledby="{self.key}-title {self.key}-desc">'
            f'<title id="{self.key}-title">{escape(self.title)}</title>'
            f'<desc id="{self.key}-desc">{escape(self.description)}</desc>{own_style}{drawing}</svg>'
        )

    def file(self) -> bytes:
        """The drawing as a file."""
        return self.svg(CHART_FILE_STYLE).encode()

    def _told(self, line: Line) -> str:
        values = [value for _, value in line.samples]
        began, ended = clock(line.samples[0][0]), clock(line.samples[-1][0])
        return (
            f"{line.label}: {self.form(values[-1])} at {ended} UTC; since {began} UTC "
            f"between {self.form(min(values))} and {self.form(max(values))}."
        )


@dataclass(frozen=True)
class _Frame:
    """What part of time and values a drawing shows."""

    began: float
    ended: float
    low: float
    high: float

    @classmethod
    def of(cls, samples: Samples, starts_at_zero: bool) -> _Frame:
        times, values = [at for at, _ in samples], [value for _, value in samples]
        low, high = (0.0 if starts_at_zero else min(values)), max(values)
        if high <= low:
            low, high = (low, low + 1.0) if starts_at_zero else (low - 0.5, high + 0.5)
        return cls(min(times), max(max(times), min(times) + 60.0), low, high)

    def drawn(self, chart: Chart) -> str:
        right, bottom = WIDTH - _RIGHT, HEIGHT - _BOTTOM
        axis = f'<path class="axis" d="M{_LEFT} {_TOP}V{bottom}H{right}"/>'
        values = [self.low + (self.high - self.low) * part / 2 for part in range(3)]
        numbers = "".join(
            f'<text x="{_LEFT - 4}" y="{self._y(value) + 4:.0f}" text-anchor="end">{escape(chart.form(value))}</text>'
            for value in values
        )
        times = (
            f'<text x="{_LEFT}" y="{HEIGHT - 6}">{clock(self.began)}</text>'
            f'<text x="{right}" y="{HEIGHT - 6}" text-anchor="end">{clock(self.ended)} UTC</text>'
        )
        kinds = zip(chart.lines, ("first", "second"), strict=False)
        return axis + numbers + times + "".join(self._line(line, kind) for line, kind in kinds)

    def _line(self, line: Line, kind: str) -> str:
        places = [(self._x(at), self._y(value)) for at, value in thinned(line.samples)]
        pieces = _pieces(thinned(line.samples)) if not line.has_dots else [range(len(places))]
        drawn = "".join(
            f'<polyline class="{kind}" points="{" ".join(f"{places[i][0]:.1f},{places[i][1]:.1f}" for i in piece)}"/>'
            for piece in pieces
            if len(piece) > 1
        )
        alone = range(len(places)) if line.has_dots else [piece[0] for piece in pieces if len(piece) == 1]
        dots = (f'<circle class="{kind}" cx="{places[i][0]:.1f}" cy="{places[i][1]:.1f}" r="2.5"/>' for i in alone)
        return drawn + "".join(dots)

    def _x(self, at: float) -> float:
        return _LEFT + (WIDTH - _RIGHT - _LEFT) * (at - self.began) / (self.ended - self.began)

    def _y(self, value: float) -> float:
        return HEIGHT - _BOTTOM - (HEIGHT - _BOTTOM - _TOP) * (value - self.low) / (self.high - self.low)


def clock(at: float) -> str:
    """The time of day in UTC, such as ``19:30``; ``at`` is in seconds since 1970."""
    return time.strftime("%H:%M", time.gmtime(at))


def thinned(samples: Samples) -> Samples:
    """At most `_MOST_POINTS` of them, each the mean of its neighbours in time."""
    if len(samples) <= _MOST_POINTS:
        return samples
    size = math.ceil(len(samples) / _MOST_POINTS)
    pieces = [samples[place : place + size] for place in range(0, len(samples), size)]
    return [
        (sum(at for at, _ in piece) / len(piece), sum(value for _, value in piece) / len(piece)) for piece in pieces
    ]


def _pieces(samples: Samples) -> list[range]:
    """The places of samples between which there is no gap."""
    starts = [0] + [
        place for place in range(1, len(samples)) if samples[place][0] - samples[place - 1][0] > _GAP_SECONDS
    ]
    return [range(start, end) for start, end in zip(starts, [*starts[1:], len(samples)], strict=True) if end > start]
