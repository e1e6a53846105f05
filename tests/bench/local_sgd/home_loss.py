"""What two volunteers on home lines learn in the same time: by local SGD, and by gradients in their best case.

A keeper on a fast line, as for the row ``home_line``. Volunteers have a pace, so that what they compute in a second is
the same in both modes, and does not depend on what else the machine does; two swarms are watched at a time.
"""

from __future__ import annotations

import contextlib
import time
from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import msgspec

from core.protocol.events import Evaluated, Progress, RoundFinished
from core.run.manifest import RunManifest
from core.run.spec.collaboration import Collaboration
from core.run.spec.optimizer import AdamW
from tests.bench.local_sgd.loss_curve import LossCurve, Reported
from tests.bench.local_sgd.recorded_peers import RecordedPeer, RecordedPeers
from tests.bench.peers.home_lines import HOME, home_run, is_whole
from tests.bench.setup import Ground, NotMeasured, told_as_not_measured
from tests.support.environment.network_namespaces import internet, why_not

PACE = 80.0  # samples a second of each volunteer
LOCAL = "local-sgd"
LOCAL_ROUND_SECONDS, LOCAL_RATE = 30.0, 1e-3
EPOCH_SECONDS = (10.0, 20.0, 40.0)
GRADIENTS_RATE = 3e-3
GRADIENTS: dict[str, Any] = {
    "grad_compression": "float16",
    "state_averaging_compression": "float16",
    "average_state_every": 5,
    # an overlapped step comes an epoch late: fewer steps that are in time teach more
    "delay_grad_averaging": False,
    "delay_optimizer_step": False,
    "delay_state_averaging": False,
}


@dataclass
class HomeLossMeasured:
    """A curve of each run, by its name; `LOCAL` is one, the others are epochs of gradients."""

    curves: dict[str, LossCurve] = field(default_factory=dict)


def home_loss_runs() -> dict[str, RunManifest]:
    """All runs, by name. The samples of an epoch, or of a round, take so many seconds at the volunteers' pace."""
    gradients = {
        f"gradients, {seconds:.0f} s": _run(GRADIENTS_RATE, seconds, mode="gradients", **GRADIENTS)
        for seconds in EPOCH_SECONDS
    }
    local = _run(LOCAL_RATE, LOCAL_ROUND_SECONDS, mode="local-sgd", delta_codec="int8", overlap="delayed")
    return {LOCAL: local} | gradients


def _run(rate: float, seconds: float, **options: Any) -> RunManifest:
    target = round(2 * PACE * seconds)
    collaboration = Collaboration(target_batch_size=target, batch_size_per_step=16, **options)
    return msgspec.structs.replace(home_run(), optimizer=AdamW(learning_rate=rate), collaboration=collaboration)


def home_loss_deeds(ground: Ground, seconds: float, measured: HomeLossMeasured) -> Mapping[str, Callable[[], object]]:
    """How all runs are watched for so many seconds each, two at a time; each gives its curves, and notes them down."""
    runs = list(home_loss_runs().items())

    def measure(pair: Mapping[str, RunManifest]) -> Mapping[str, LossCurve]:
        curves = _live(pair, seconds, ground)
        measured.curves |= curves
        return curves

    pairs = [dict(runs[first : first + 2]) for first in range(0, len(runs), 2)]
    return {" and ".join(pair): partial(measure, pair) for pair in pairs}


def _live(runs: Mapping[str, RunManifest], seconds: float, ground: Ground) -> dict[str, LossCurve]:
    if reason := why_not():
        raise NotMeasured(reason)
    with told_as_not_measured(), contextlib.ExitStack() as ends:
        begun = {name: (ends.enter_context(_swarm(name, run, ground)), time.monotonic()) for name, run in runs.items()}
        time.sleep(seconds)
        return {name: heard(volunteers, began, seconds) for name, (volunteers, began) in begun.items()}


@contextlib.contextmanager
def _swarm(name: str, manifest: RunManifest, ground: Ground) -> Iterator[list[RecordedPeer]]:
    """The two volunteers of a run, who have begun to train; a keeper is there, too."""
    group = RecordedPeers(ground.folder / f"home-loss-{name.replace(', ', '-').replace(' ', '')}")
    group.pace = PACE
    with contextlib.closing(group), internet() as net:
        organiser = group.at(net.host()).organiser(manifest=manifest, train=False)
        homes = [group.at(net.host(line=HOME)) for _ in range(2)]
        for home, name in zip(homes, ("one", "other"), strict=True):
            home.newcomer(organiser.posted, name, "client")
        volunteers = group.started[1:]
        for each in volunteers:
            each.agree()
        yield volunteers


def heard(volunteers: Sequence[RecordedPeer], began: float, seconds: float) -> LossCurve:
    """What both have said in so many seconds since ``began``, on the monotonic clock."""
    spans = [[bisect(each.heard_at, began + after) for after in (0.0, seconds)] for each in volunteers]
    said = [each.said[first:last] for each, (first, last) in zip(volunteers, spans, strict=True)]
    reported = [
        Reported(each.heard_at[place] - began, number, event.loss)
        for number, (each, (first, _)) in enumerate(zip(volunteers, spans, strict=True))
        for place, event in enumerate(said[number], first)
        if isinstance(event, Evaluated) and event.loss is not None
    ]
    progress = [[event for event in events if isinstance(event, Progress)] for events in said]
    ended = [event for events in said for event in events if isinstance(event, RoundFinished)]
    return LossCurve(
        seconds=seconds,
        reported=tuple(sorted(reported, key=lambda each: each.seconds)),
        samples_per_second=sum(each[-1].contributed_samples - each[0].contributed_samples for each in progress)
        / seconds,
        stall_seconds=max(event.stalled_seconds for events in progress for event in events),
        rounds=len(ended),
        whole=sum(map(is_whole, ended)),
    )
