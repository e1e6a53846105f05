"""The rows about local SGD: what is measured for them, and how each is made of its figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from tests.bench.local_sgd.codec_speed import CODECS, CodecSpeed, measure_codecs
from tests.bench.local_sgd.gpt2 import HOME, Gpt2, measure_gpt2
from tests.bench.local_sgd.home_loss import LOCAL, HomeLossMeasured, home_loss_deeds
from tests.bench.local_sgd.liars import Liars, measure_liars
from tests.bench.local_sgd.loss_curve import lowest
from tests.bench.local_sgd.memory import Memory, measure_memory
from tests.bench.local_sgd.newcomer import CUT_SHARE, Newcomer, measure_newcomer
from tests.bench.local_sgd.roots import Roots, measure_roots
from tests.bench.local_sgd.slow_peer import TIMES_SLOWER, SlowPeerMeasured, slow_peer_deeds
from tests.bench.plan import Plan
from tests.bench.setup import Ground
from tests.bench.table import NO_FIGURE, Row, own_row

MIN_ENCODED, MIN_DECODED = 400.0, 1000.0  # millions of numbers a second
MIN_OTHERS_SHARE = 0.98
MAX_BYTES = 9.0  # a parameter
MIN_TIMES_FASTER = 2.5
MAX_AGAIN = 0.35
MAX_TIME_SHARE = 0.5
MAX_EXCHANGE = 1.3  # times what the line takes for the bytes
MAX_LIED_TO = 1.10  # of the loss without a lie

_Figures = TypeVar("_Figures")


@dataclass
class LocalSgdMeasured:
    """All figures; ``None`` and empty where they were not measured."""

    codecs: dict[str, CodecSpeed] = field(default_factory=dict)
    memory: Memory | None = None
    slow_peer: SlowPeerMeasured = field(default_factory=SlowPeerMeasured)
    roots: Roots | None = None
    newcomer: Newcomer | None = None
    gpt2: Gpt2 | None = None
    liars: Liars | None = None
    home_loss: HomeLossMeasured = field(default_factory=HomeLossMeasured)


def local_sgd_deeds(plan: Plan, ground: Ground, measured: LocalSgdMeasured) -> Mapping[str, Callable[[], object]]:
    """How the plan's rows are measured; each gives its figures, and notes them down."""

    def noted(name: str, measure: Callable[[], _Figures]) -> _Figures:
        figures = measure()
        setattr(measured, name, figures)
        return figures

    slow_peer = slow_peer_deeds(ground, plan.slow_peer_rounds, measured.slow_peer)
    deeds: dict[str, Mapping[str, Callable[[], object]]] = {
        "home_loss": home_loss_deeds(ground, plan.home_loss_seconds, measured.home_loss),
        "codec": {"codec": partial(noted, "codecs", measure_codecs)},
        "local_sgd_memory": {
            "local_sgd_memory": partial(noted, "memory", partial(measure_memory, ground, plan.memory_rounds))
        },
        "slow_peer": {f"slow_peer, {name}": deed for name, deed in slow_peer.items()},
        "roots": {"roots": partial(noted, "roots", partial(measure_roots, ground, plan.root_rounds))},
        "newcomer": {"newcomer": partial(noted, "newcomer", partial(measure_newcomer, ground, plan.newcomer_numbers))},
        "gpt2": {"gpt2": partial(noted, "gpt2", partial(measure_gpt2, ground, plan.gpt2_rounds))},
        "liars": {"liars": partial(noted, "liars", partial(measure_liars, ground, plan.liar_rounds))},
    }
    return {what: deed for row, its in deeds.items() if row in plan.rows for what, deed in its.items()}


def local_sgd_rows(measured: LocalSgdMeasured) -> Mapping[str, Callable[[], list[Row]]]:
    """How each row about local SGD is made."""
    return {
        "home_loss": lambda: _home_loss(measured.home_loss),
        "codec": lambda: _codecs(measured.codecs),
        "local_sgd_memory": lambda: [_memory(measured.memory)],
        "slow_peer": lambda: [_slow_peer(measured.slow_peer)],
        "roots": lambda: [_roots(measured.roots)],
        "newcomer": lambda: _newcomer(measured.newcomer),
        "gpt2": lambda: [_gpt2(measured.gpt2)],
        "liars": lambda: [_liars(measured.liars)],
    }


def _codecs(speeds: Mapping[str, CodecSpeed]) -> list[Row]:
    return [_codec(name, speeds.get(name)) for name in CODECS]


def _codec(name: str, speed: CodecSpeed | None) -> Row:
    """Only the default has a target."""
    what = f"{name}: millions of numbers encoded / decoded in a second on one thread (in parts of 4 million)"
    has_target = name == "int8"
    must = f"≥ {MIN_ENCODED:.0f} / {MIN_DECODED:,.0f}" if has_target else NO_FIGURE
    if speed is None:
        return own_row(what, NO_FIGURE, must, None)
    shown = f"{speed.encode:,.0f} / {speed.decode:,.0f} ({speed.long_encode:,.0f} / {speed.long_decode:,.0f})"
    is_fast = speed.encode >= MIN_ENCODED and speed.decode >= MIN_DECODED
    return own_row(what, shown, must, is_fast or not has_target)


def _memory(memory: Memory | None) -> Row:
    what = "a volunteer's memory beyond the plain loop's, local SGD, int8: bytes a parameter, at the most (median)"
    must = f"≤ {MAX_BYTES:.0f}"
    if memory is None:
        return own_row(what, NO_FIGURE, must, None)
    whole = f"{memory.volunteer_most:.1f} − {memory.plain_most:.1f}, {memory.parameters / 1e6:.0f} million parameters"
    shown = f"{memory.beyond_most:.1f} ({memory.beyond_median:.1f}); {whole}"
    return own_row(what, shown, must, memory.beyond_most <= MAX_BYTES)


def _slow_peer(measured: SlowPeerMeasured) -> Row:
    what = f"samples/s of three peers beside one that is {TIMES_SLOWER:.0f} times slower ÷ without it, local SGD"
    free, slowed = measured.figures.get("without"), measured.figures.get("with")
    must = f"≥ {MIN_OTHERS_SHARE}"
    if free is None or slowed is None or not free.samples_per_second:
        return own_row(what, NO_FIGURE, must, None)
    share = slowed.samples_per_second / free.samples_per_second
    stalls = f"longest stall {slowed.stall_seconds:.2f} s, without it {free.stall_seconds:.2f} s"
    shown = f"{share:.2f} ({slowed.whole_rounds} of {slowed.rounds} rounds whole; {stalls})"
    return own_row(what, shown, must, share >= MIN_OTHERS_SHARE)


def _roots(roots: Roots | None) -> Row:
    what = "rounds of local SGD after which all who took the step have equal base weights, or were repaired in the next"
    if roots is None or roots.counts.share is None:
        return own_row(what, NO_FIGURE, "all", None)
    counts, happened = roots.counts, ", ".join(f"{n} × {name}" for name, n in sorted(roots.happenings.items()))
    shown = (
        f"{counts.equal} equal, {counts.repaired} repaired, {counts.unrepaired} not; {counts.alone} of one peer; "
        f"{roots.seconds / 60:.0f} min: {happened}"
    )
    return own_row(what, shown, "all", counts.unrepaired == 0 and counts.astray == 0)


def _newcomer(measured: Newcomer | None) -> list[Row]:
    what = "a newcomer's base weights from three donors of 4 Mbit/s ÷ from one, as a speed"
    after = f"the same: what comes after a cut of 30 s at {CUT_SHARE:.0%} / after it was killed there, of the whole"
    must, at_most = f"≥ {MIN_TIMES_FASTER}", f"≤ {MAX_AGAIN:.0%}"
    if measured is None:
        return [own_row(what, NO_FIGURE, must, None), own_row(after, NO_FIGURE, at_most, None)]
    faster, is_equal = measured.from_one / measured.from_three, measured.roots == 1
    size = f"{measured.state_bytes / 1e6:.0f} MB in {measured.from_one:.0f} s and in {measured.from_three:.0f} s"
    cut, kill = measured.after_cut, measured.after_kill
    shown = f"{faster:.2f} ({size}; {'equal weights' if is_equal else 'DIFFERENT weights'})"
    return [
        own_row(what, shown, must, faster >= MIN_TIMES_FASTER and is_equal),
        own_row(after, f"{cut:.1%} / {kill:.1%}", at_most, max(cut, kill) <= MAX_AGAIN and is_equal),
    ]


def _gpt2(measured: Gpt2 | None) -> Row:
    megabits = HOME.bits_per_second / 1e6
    what = (
        f"GPT-2 small, two volunteers on {megabits:.0f} Mbit/s, int8: longest exchange ÷ what the line takes (median)"
    )
    must = f"≤ {MAX_EXCHANGE}, all whole, equal weights, loss falls"
    if measured is None or not measured.exchanges:
        return own_row(what, NO_FIGURE, must, None)
    first, last = measured.losses
    shown = (
        f"{measured.worst:.2f} ({measured.usual:.2f}); {measured.whole_rounds} of {measured.rounds} rounds whole, "
        f"{'equal' if measured.is_equal else 'DIFFERENT'} weights; loss {first:.1f} to {last:.1f}; "
        f"longest stall {measured.stall_seconds:.2f} s; {measured.parameters / 1e6:.0f} million parameters"
    )
    is_well = measured.is_equal and measured.whole_rounds == measured.rounds and last < first
    return own_row(what, shown, must, is_well and measured.worst <= MAX_EXCHANGE)


def _home_loss(measured: HomeLossMeasured) -> list[Row]:
    """Local SGD against those epochs of gradients that came lowest."""
    local, others = measured.curves.get(LOCAL), {name: each for name, each in measured.curves.items() if name != LOCAL}
    what = "local SGD, two volunteers on 4 Mbit/s, int8: held-out loss"
    after, must = "the same: time to the best loss of gradients ÷ all of it", f"≤ {MAX_TIME_SHARE}"
    if local is None or not others:
        return [own_row(what, NO_FIGURE, "lower", None), own_row(after, NO_FIGURE, must, None)]
    best = lowest(list(others.values()))
    every = ", ".join(f"{each.last:.3f} ({name.removeprefix('gradients, ')})" for name, each in others.items())
    shown = f"{local.last:.3f}; gradients in float16, by the length of an epoch: {every}"
    reached = local.reaches(best.last)
    share = reached / local.seconds
    return [
        own_row(f"{what} after {local.seconds / 60:.0f} minutes", shown, "lower", local.last < best.last),
        own_row(after, f"{share:.2f} ({reached:.0f} of {local.seconds:.0f} s)", must, share <= MAX_TIME_SHARE),
    ]


def _liars(measured: Liars | None) -> Row:
    what = "one liar of three (−1,000 times its change, a billion samples): the others' loss ÷ without the lie"
    must = f"≤ {MAX_LIED_TO:.2f}"
    if measured is None:
        return own_row(what, NO_FIGURE, must, None)
    ratio, losses = measured.lied_to_loss / measured.honest_loss, (measured.lied_to_loss, measured.honest_loss)
    named = "named, and nobody else" if measured.is_named else "NOT rightly named"
    weights = "equal" if measured.is_equal else "DIFFERENT"
    left = " and ".join(f"{loss:.0%}" for loss in losses)
    shown = f"{ratio:.2f} ({left} of the untrained after {measured.rounds} rounds; {named}; {weights} weights)"
    return own_row(what, shown, must, ratio <= MAX_LIED_TO and measured.is_named and measured.is_equal)
