"""What the lines of homes cost two volunteers who train by local SGD: with a line of 4 Mbit/s, and without one.

1.78 million parameters on 4 Mbit/s are 124 million on 280 Mbit/s, or 8.9 million on 20.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import msgspec

from core.protocol.events import Progress, RoundFinished
from core.run.manifest import RunManifest
from core.run.requirements import estimate_requirements
from core.run.run_file import parse_run_file, template
from core.run.spec.collaboration import Collaboration, DeltaCodec
from core.run.spec.data import SumsData
from core.run.spec.optimizer import AdamW
from core.run.spec.recipe import ArithmeticGPT
from tests.bench.setup import Ground, NotMeasured, told_as_not_measured
from tests.bench.table import Row, figure_row
from tests.support.environment.network_namespaces import internet, why_not
from tests.support.environment.slow_link import Line
from tests.support.real_peers import Peer, peer_group

HOME = Line(delay_seconds=0.025, lost_share=0.0, bits_per_second=4e6)
MIN_SHARE = 0.95
MAX_STALL_SECONDS = 0.2
CODEC: DeltaCodec = "int8"  # where nothing else is said
MAX_BYTES: Mapping[DeltaCodec, float] = {CODEC: 1.06, "fp16": 2.06, "int4": 0.60, "topk": 0.05}
"""What a volunteer may send by each codec, a parameter and round."""
OTHER_CODECS = tuple(each for each in MAX_BYTES if each != CODEC)
LIMIT_SECONDS = 600.0


@dataclass(frozen=True)
class HomeLine:
    """What two volunteers together have computed in a second, and the worst of both otherwise."""

    samples_per_second: float
    stall_seconds: float
    sent_bytes: float
    """Bytes that one has sent for each parameter and round, everything included."""
    rounds: int
    whole_rounds: int


@dataclass
class HomeLinesMeasured:
    """The figures with and without the line, of one run each."""

    figures: dict[str, HomeLine] = field(default_factory=dict)


def home_line_deeds(ground: Ground, rounds: int, measured: HomeLinesMeasured) -> Mapping[str, Callable[[], HomeLine]]:
    """How both are measured, in so many rounds each; each gives its figures, and notes them down."""

    def measure(name: str, line: Line | None) -> HomeLine:
        measured.figures[name] = _live(name, line, rounds, ground)
        return measured.figures[name]

    return {"none": lambda: measure("none", None), "home": lambda: measure("home", HOME)}


def home_line_rows(measured: HomeLinesMeasured) -> list[Row]:
    """How much of the computing counts, how long the loop stands still, and what is sent."""
    free, home = measured.figures.get("none"), measured.figures.get("home")
    share = home.samples_per_second / free.samples_per_second if home and free else None
    rounds = f"{home.whole_rounds} of {home.rounds} rounds whole" if home else "not measured"
    where = f"local SGD, two volunteers on 4 Mbit/s, int8, {rounds}"
    return [
        figure_row(
            f"{where}: samples/s ÷ without a line", share, "{:.2f}", f"≥ {MIN_SHARE}", lambda it: it >= MIN_SHARE
        ),
        figure_row(
            "the same: longest time that a loop stands still",
            home.stall_seconds if home else None,
            "{:.2f} s",
            f"≤ {MAX_STALL_SECONDS} s",
            lambda it: it <= MAX_STALL_SECONDS,
        ),
        figure_row(
            "the same: bytes that a volunteer sends, a parameter and round",
            home.sent_bytes if home else None,
            "{:.2f}",
            f"≤ {MAX_BYTES[CODEC]}",
            lambda it: it <= MAX_BYTES[CODEC],
        ),
    ]


def line_codec_deeds(ground: Ground, rounds: int, measured: HomeLinesMeasured) -> Mapping[str, Callable[[], HomeLine]]:
    """How each of the other codecs is measured on such lines, in so many rounds."""

    def measure(name: DeltaCodec) -> HomeLine:
        measured.figures[name] = _live(name, HOME, rounds, ground, name)
        return measured.figures[name]

    return {name: partial(measure, name) for name in OTHER_CODECS}


def line_codec_rows(measured: HomeLinesMeasured) -> list[Row]:
    """What is sent by each of them."""
    return [_line_codec_row(name, measured.figures.get(name)) for name in OTHER_CODECS]


def _line_codec_row(name: DeltaCodec, figures: HomeLine | None) -> Row:
    rounds = f"{figures.whole_rounds} of {figures.rounds} rounds whole" if figures else "not measured"
    return figure_row(
        f"local SGD, two volunteers on 4 Mbit/s, {name}, {rounds}: bytes that one sends, a parameter and round",
        figures.sent_bytes if figures else None,
        "{:.3f}",
        f"≤ {MAX_BYTES[name]}",
        lambda it: it <= MAX_BYTES[name],
    )


def home_run(delta_codec: DeltaCodec = CODEC) -> RunManifest:
    """Sums of three digits; a round takes two cores about twenty seconds."""
    run = parse_run_file(template())
    return msgspec.structs.replace(
        run,
        recipe=ArithmeticGPT(layers=4, width=192, heads=4),
        data=SumsData(digits=3),
        optimizer=AdamW(learning_rate=1e-3),
        collaboration=Collaboration(
            mode="local-sgd",
            target_batch_size=10_000,
            batch_size_per_step=16,
            delta_codec=delta_codec,
            overlap="delayed",
        ),
    )


def _live(name: str, line: Line | None, rounds: int, ground: Ground, delta_codec: DeltaCodec = CODEC) -> HomeLine:
    """A keeper on a fast line, and two volunteers behind lines such as that; measured after the first whole round."""
    if reason := why_not():
        raise NotMeasured(reason)
    manifest = home_run(delta_codec)
    with told_as_not_measured(), peer_group(ground.folder / f"home-line-{name}") as group, internet() as net:
        organiser = group.at(net.host()).organiser(manifest=manifest, train=False)
        volunteers = [
            group.at(net.host(line=line)).newcomer(organiser.posted, each, "client") for each in ("one", "other")
        ]
        for each in volunteers:
            each.agree()
        return _watched(volunteers, rounds, estimate_requirements(manifest).trained_parameters)


def _watched(volunteers: Sequence[Peer], rounds: int, parameters: int) -> HomeLine:
    """From the first round in which all three were, for so many more of each."""
    firsts = [_after_round(each, is_whole) for each in volunteers]
    before, began = [each.all(Progress)[-1] for each in volunteers], time.monotonic()
    lasts = list(firsts)
    for _ in range(rounds):
        lasts = [_after_round(each, lambda _: True, last) for each, last in zip(volunteers, lasts, strict=True)]
    seconds, after = time.monotonic() - began, [each.all(Progress)[-1] for each in volunteers]
    computed = sum(each.contributed_samples for each in after) - sum(each.contributed_samples for each in before)
    said = [each.said[first:last] for each, first, last in zip(volunteers, firsts, lasts, strict=True)]
    progress = [[event for event in events if isinstance(event, Progress)] for events in said]
    ended = [event for events in said for event in events if isinstance(event, RoundFinished)]
    return HomeLine(
        samples_per_second=computed / seconds,
        stall_seconds=max(event.stalled_seconds for events in progress for event in events),
        sent_bytes=max(events[-1].sent_bytes - events[0].sent_bytes for events in progress) / rounds / parameters,
        rounds=len(ended),
        whole_rounds=sum(map(is_whole, ended)),
    )


def _after_round(peer: Peer, is_meant: Callable[[RoundFinished], bool], since: int = 0) -> int:
    """The place in what it has said of the first progress after the first such round from ``since`` on."""
    ended = peer.wait_for(RoundFinished, is_meant, since=since, seconds=LIMIT_SECONDS)
    place = next(number for number, said in enumerate(peer.said[since:], since) if said is ended)
    following = peer.wait_for(Progress, since=place)
    return next(number for number, said in enumerate(peer.said[place:], place) if said is following)


def is_whole(event: RoundFinished) -> bool:
    """Whether the keeper and both volunteers were in it, and nothing was missing."""
    return event.ok and event.peers == 3 and not event.reason
