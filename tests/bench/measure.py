"""Measure what a plan asks for, one after the other, and tell every figure as soon as it is known."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from statistics import mean, median
from typing import TypeVar

import psutil

from tests.bench.crowd.crowd import Crowds, crowd_deeds
from tests.bench.defences.defences_cost import DefencesMeasured, defences_deeds
from tests.bench.experts.cut import cut_host_deeds
from tests.bench.experts.kill import killed_host_deeds
from tests.bench.experts.memory import host_memory_deeds
from tests.bench.experts.rows import ExpertsMeasured, experts_deeds
from tests.bench.fleet.watching import FleetMeasured, fleet_deeds, steering_deeds
from tests.bench.gpu_pacing import GpuPacingMeasured, gpu_pacing_deeds
from tests.bench.gpu_yield import GpuYieldMeasured, gpu_yield_deeds
from tests.bench.liars.gradient_liars import GradientLiars, gradient_liars_deeds
from tests.bench.local_sgd.rows import LocalSgdMeasured, local_sgd_deeds
from tests.bench.machine import load
from tests.bench.peers.confinement_cost import ConfinementMeasured, confinement_deeds
from tests.bench.peers.faults import FAULTS, FaultsMeasured, fault_deeds
from tests.bench.peers.home_lines import HomeLinesMeasured, home_line_deeds, line_codec_deeds
from tests.bench.peers.join_latency import Joining, joinings
from tests.bench.peers.pair import KINDS, PATIENCE_EPOCHS, START_SECONDS, Kind
from tests.bench.peers.pair_run import Leaving, Training, pair_life
from tests.bench.peers.plain_pair import plain_samples_per_second
from tests.bench.plan import Plan
from tests.bench.setup import Ground, NotMeasured
from tests.bench.upload_limit import UploadLimitMeasured, upload_limit_deeds
from tests.bench.window.measure import WindowMeasured, wayland_deeds, window_deeds
from tests.bench.window.virtual_screen import a_wayland_screen, an_x11_screen

LEAVING_MOMENTS = (0.5, 0.1)  # while nothing is averaged, and while the epoch before still is

_Result = TypeVar("_Result")


@dataclass
class Measured:
    """All figures; ``shares`` are of the plain loops' speed before and after, ``why_not`` what went wrong."""

    shares: dict[Kind, list[float]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    trainings: dict[Kind, list[Training]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    leavings: dict[Kind, list[Leaving]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    joinings_ours: list[Joining] = field(default_factory=list)
    joinings_bare: list[Joining] = field(default_factory=list)
    faults: FaultsMeasured = field(default_factory=FaultsMeasured)
    confinement: ConfinementMeasured = field(default_factory=ConfinementMeasured)
    defences: DefencesMeasured = field(default_factory=DefencesMeasured)
    home_lines: HomeLinesMeasured = field(default_factory=HomeLinesMeasured)
    upload_limit: UploadLimitMeasured = field(default_factory=UploadLimitMeasured)
    gpu_pacing: GpuPacingMeasured = field(default_factory=GpuPacingMeasured)
    gpu_yield: GpuYieldMeasured = field(default_factory=GpuYieldMeasured)
    gradient_liars: GradientLiars = field(default_factory=GradientLiars)
    crowds: Crowds = field(default_factory=Crowds)
    experts: ExpertsMeasured = field(default_factory=ExpertsMeasured)
    local_sgd: LocalSgdMeasured = field(default_factory=LocalSgdMeasured)
    fleet: FleetMeasured = field(default_factory=FleetMeasured)
    window: WindowMeasured = field(default_factory=WindowMeasured)
    why_not: list[str] = field(default_factory=list)


def measure(plan: Plan, ground: Ground) -> Measured:
    """The whole plan; what cannot be measured is told and left out."""
    measured = Measured()
    if plan.wants_peers:
        ground = _measure_peers(plan, ground, measured)
    if "home_line" in plan.rows:
        _do_all(home_line_deeds(ground, plan.line_rounds, measured.home_lines), measured)
    if "line_codecs" in plan.rows:
        _do_all(line_codec_deeds(ground, plan.codec_rounds, measured.home_lines), measured)
    if "upload_limit" in plan.rows:
        _do_all(upload_limit_deeds(ground, measured.upload_limit), measured)
    if "gpu_pacing" in plan.rows:
        _do_all(gpu_pacing_deeds(measured.gpu_pacing), measured)
    if "gpu_yield" in plan.rows:
        _do_all(gpu_yield_deeds(ground, plan.window_pauses, measured.gpu_yield), measured)
    if "gradient_liars" in plan.rows:
        _do_all(gradient_liars_deeds(ground, plan.liar_rounds, measured.gradient_liars), measured)
    if "crowd" in plan.rows:
        _do_all(crowd_deeds(ground, plan.crowd_sizes, plan.crowd_epoch_seconds, measured.crowds), measured)
    if "experts" in plan.rows:
        _do_all(experts_deeds(ground, plan.expert_steps, measured.experts), measured)
    if "experts_kill" in plan.rows:
        _do_all(killed_host_deeds(ground, measured.experts), measured)
    if "experts_cut" in plan.rows:
        _do_all(cut_host_deeds(ground, measured.experts), measured)
    if "experts_memory" in plan.rows:
        _do_all(host_memory_deeds(ground, plan.expert_seconds, measured.experts), measured)
    _do_all(local_sgd_deeds(plan, ground, measured.local_sgd), measured)
    if "fleet" in plan.rows:
        _do_all(fleet_deeds(ground, round(plan.window_seconds), measured.fleet), measured)
    if "steering" in plan.rows:
        _do_all(steering_deeds(ground, measured.fleet), measured)
    if plan.wants_window:
        _tried("window", measured, partial(_measure_window, plan, ground, measured))
    return measured


def _measure_window(plan: Plan, ground: Ground, measured: Measured) -> None:
    if plan.wants_x11:
        with an_x11_screen() as screen:
            _do_all(window_deeds(plan, ground, screen, measured.window), measured)
    if plan.wants_wayland:
        with a_wayland_screen() as screen:
            _do_all(wayland_deeds(plan, ground, screen, measured.window), measured)


def _do_all(deeds: Mapping[str, Callable[[], object]], measured: Measured) -> None:
    for row, deed in deeds.items():
        figures = _tried(row, measured, deed)
        tell(f"{row}: {figures}")


def _measure_peers(plan: Plan, ground: Ground, measured: Measured) -> Ground:
    """Whatever is measured of peers alone; the ground for a pair as fast as they are."""
    plain = plain_samples_per_second(ground, plan.plain_seconds)
    ground = ground.with_target(plain)
    target = ground.manifest.collaboration.target_batch_size
    tell(f"plain loops: {plain:.0f} samples/s; so {target} samples are {ground.epoch_seconds:.0f} s")
    if "join" in plan.rows:
        # alone, the organiser has half of the speed, and so epochs as long as a pair's
        joined = _tried("join", measured, partial(joinings, ground.with_target(plain / 2), plan.joinings))
        measured.joinings_ours, measured.joinings_bare = joined or ([], [])
        for name, times in (("workerbee", measured.joinings_ours), ("bare", measured.joinings_bare)):
            tell(f"join, {name}: {_stages(times)}")
    if plan.wants_pairs:
        _measure_pairs(plan, ground, measured, plain)
    ground = ground.with_target(plain)
    if "confinement" in plan.rows:
        _do_all(confinement_deeds(ground, plan.joinings, plan.epochs, measured.confinement), measured)
    if "defences" in plan.rows:
        _do_all(defences_deeds(ground, plan.joinings, plan.epochs, measured.defences), measured)
    _measure_faults(plan, ground, measured)
    return ground


def _measure_faults(plan: Plan, ground: Ground, measured: Measured) -> None:
    """Each fault of ours and of the bare scripts, in turn."""
    for name in FAULTS:
        if name in plan.rows:
            for way, deed in fault_deeds(name, ground, measured.faults).items():
                tell(f"{name}, {way}: {_tried(f'{name}, {way}', measured, deed)}")


def _measure_pairs(plan: Plan, ground: Ground, measured: Measured, plain: float) -> None:
    """Every kind in turn, again and again, and the plain loops between them."""
    for number in range(plan.rounds):
        shift = number % len(KINDS)
        for kind in KINDS[shift:] + KINDS[:shift]:
            leave_after = _moment(plan, kind, number)
            if leave_after is None and not plan.wants_training:
                continue
            deed = partial(_live, kind, plan, ground.with_target(plain), leave_after)
            life = _tried(kind, measured, deed)
            before, plain = plain, _plain_after(plan, ground, measured) or plain
            if life is not None:
                _note(kind, life, mean((before, plain)), measured)


def _moment(plan: Plan, kind: Kind, number: int) -> float | None:
    """When one of the pair goes in that round, as a share of an epoch; ``None`` where none does."""
    moments = LEAVING_MOMENTS[: plan.leavings if kind == "workerbee" else min(1, plan.leavings)]
    return moments[number] if number < len(moments) else None


def _live(kind: Kind, plan: Plan, ground: Ground, leave_after: float | None) -> tuple[Training, Leaving | None]:
    seconds = START_SECONDS + (plan.epochs + 10) * PATIENCE_EPOCHS * ground.epoch_seconds
    return pair_life(kind, ground.shortened(seconds), plan.epochs, leave_after)


def _plain_after(plan: Plan, ground: Ground, measured: Measured) -> float | None:
    if not plan.wants_plain:
        return None
    return _tried("plain loops", measured, partial(plain_samples_per_second, ground, plan.plain_seconds))


def _note(kind: Kind, life: tuple[Training, Leaving | None], plain: float, measured: Measured) -> None:
    training, leaving = life
    share = training.samples_per_second / plain
    measured.shares[kind].append(share)
    measured.trainings[kind].append(training)
    tell(
        f"{kind}: {training.samples_per_second:.0f} of {plain:.0f} samples/s ({share:.2f}) "
        f"in {training.epochs} epochs; longest stall {training.stall_seconds:.2f} s; "
        f"gradient rounds averaged {training.rounds_averaged} of {training.rounds}"
    )
    if leaving is not None:
        measured.leavings[kind].append(leaving)
        tell(f"{kind}, one goes: {leaving}")


def _tried(what: str, measured: Measured, deed: Callable[[], _Result]) -> _Result | None:
    try:
        return deed()
    except (NotMeasured, OSError, psutil.Error) as error:
        measured.why_not.append(f"{what}: {error}")
        tell(f"NOT MEASURED, {what}: {error}")
        return None


def _stages(times: list[Joining]) -> str:
    """Where the time goes: medians of when each stage was reached."""
    if not times:
        return "none"
    names = [name for name, _ in times[0].stages]
    stages = [f"{name} {median(dict(each.stages)[name] for each in times):.1f}" for name in names]
    everyone = " ".join(f"{each.seconds:.1f}" for each in times)
    return f"{', '.join(stages)}, first sample {median(each.seconds for each in times):.1f} s ({everyone})"


def tell(words: str) -> None:
    """A line for whoever waits, with the time and the machine's load."""
    print(f"{time.strftime('%H:%M:%S')} (load {load()}) {words}", file=sys.stderr, flush=True)
