"""Rows that need a swarm: speed, energy, confinement, pause, other programs, death, precisions, memory, compilation."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.availability.rules import AvailabilityRules
from core.client.computer_watch import ComputerWatch
from core.client.session import Session
from core.engine.worker_command import worker_environment
from core.errors import ErrorKind
from core.observers.computer import ComputerObserver
from core.protocol.commands import DryRun, Publish
from core.protocol.events import Confined, FitMeasured, Progress, RoundFinished, RunFound, Warned
from core.run.spec.collaboration import Mode
from core.run.spec.recipe import Precision
from tests.bench.setup import NotMeasured
from tests.gpu.ground import NOISE_BYTES, SETTLING_SECONDS, Ground
from tests.gpu.runs import with_micro_batch
from tests.gpu.squeezed_worker import STEPS, WORKER
from tests.gpu.swarm import family_of, worker_process
from tests.gpu.table import Figure, Untried
from tests.support.checkout import ROOT
from tests.support.client_harness import FrontEnd, ruled
from tests.support.consents import consent_to
from tests.support.real_peers import LOOPBACK, PATIENCE_SECONDS, Peer

MIN_SHARES: dict[Mode, float] = {"gradients": 0.95, "local-sgd": 0.97}
MAX_PAUSED_SECONDS, MAX_KILLED_SECONDS, MAX_YIELD_SECONDS = 3.0, 5.0, 15.0
_WATCHED_SECONDS = 10.0
_HOG_SECONDS = 60.0
_GPU_RULE = AvailabilityRules(battery=False, power_saver=False, metered=False, games=False, memory_pressure=None)
_PRECISIONS: tuple[Precision, ...] = ("bf16", "fp16", "fp32")
_NOT_COMPILED = "torch.compile does not work here, so training goes on without it: "


def throughput(ground: Ground, mode: Mode) -> Figure:
    """A volunteer's samples a second, with a second peer on this computer's CPU, beside those of a plain loop."""
    numbers = {
        "micro_batch": ground.size.micro_batch,
        "seconds": ground.size.plain_seconds,
        "step_every": 1 if mode == "local-sgd" else 50,
    }
    manifest = with_micro_batch(ground.runs.small(1000, mode), ground.size.micro_batch)
    before = ground.ask("plain", manifest=manifest, numbers=numbers)["samples_per_second"]
    if not ground.is_toy:
        ground.plain[mode] = before
    speed = ground.swarm(mode).speed(ground.size.epochs[mode].measured)
    waits = f"{speed.stalled_share:.0%} of the time it waited, {speed.longest_stall_seconds:.1f} s at the longest"
    rounds = f"{speed.averaged} of {speed.rounds} rounds averaged"
    where = f"{speed.during_rounds:.1f} during rounds, {speed.between_rounds:.1f} between them"
    words = f"{speed.samples_per_second:.1f} of {before:.1f} samples/s: {where}; {waits}; {rounds}"
    if ground.is_toy:
        return Figure(f"{words} (of which a toy computes 300 at the most)")
    share = speed.samples_per_second / before
    return Figure(f"{share:.3f} ({words})", f"≥ {MIN_SHARES[mode]}", share >= MIN_SHARES[mode])


def energy(ground: Ground) -> Figure:
    """Watts by the energy counter and by the power that the driver tells; joules for each sample."""
    gpu, front = ground.gpu, ground.swarm("gradients").volunteer
    joules, began, watts = gpu.joules, time.monotonic(), list[float]()
    samples = front.session.contributed_samples
    while time.monotonic() - began < _WATCHED_SECONDS:
        _await_progress(front, 1)
        watts.append(gpu.watts)
    seconds, spent = time.monotonic() - began, gpu.joules - joules
    computed, mean = front.session.contributed_samples - samples, sum(watts) / len(watts)
    words = f"{spent / seconds:.0f} W by the counter, {mean:.0f} W as told, {spent / max(1, computed):.2f} J a sample"
    return Figure(words, "within 15 %", abs(spent / seconds - mean) <= 0.15 * mean)


def _await_progress(front: FrontEnd, reports: int) -> Session:
    """Wait for so many more reports."""
    told = len(front.happened(Progress))
    return front.until(lambda _: len(front.happened(Progress)) >= told + reports)


def confinement(ground: Ground) -> Figure:
    """The worker that trains is confined, on the device as on a CPU."""
    front = ground.swarm("gradients").volunteer
    confined = front.session.confined
    assert confined is not None and front.session.training is not None
    gaps = ", ".join(confined.gaps) or "none"
    return Figure(
        f"trains on {front.session.training.device}; gaps: {gaps}", "confined", "everything" not in confined.gaps
    )


def two_workers(ground: Ground) -> Figure:
    """A second volunteer on the same GPU: both train, and average with each other."""
    gpu, swarm = ground.gpu, ground.swarm("local-sgd")
    first = swarm.volunteer
    alone = first.session.progress.samples_per_second or 0.0 if first.session.progress else 0.0
    second = swarm.join(ground.device.label, max(1, ground.size.micro_batch // 2))
    try:
        met = second.until(lambda session: any(each.ok and each.peers >= 3 for each in session.rounds))
        now = _await_progress(first, 10).progress
        both = [each.samples_per_second or 0.0 for each in (now, met.progress) if each is not None]
        used = (gpu.used_bytes - ground.idle_bytes) / 1e9
    finally:
        second.client.leave()
        second.client.close()
    return Figure(
        f"{both[0]:.0f} + {both[1]:.0f} samples/s, {used:.1f} GB (one alone: {alone:.0f})", "both average", True
    )


def pause(ground: Ground) -> Figure:
    """From the person's pause until the GPU has nothing of ours; the next row, which kills the worker, has it go on."""
    gpu, front = ground.gpu, ground.swarm("local-sgd").volunteer
    family, used, began = family_of(front), gpu.used_bytes, time.monotonic()
    front.client.pause()
    front.until(lambda session: session.phase == "paused")
    waited = gpu.seconds_until_free(ground.idle_bytes + NOISE_BYTES, family, MAX_KILLED_SECONDS)
    seconds = time.monotonic() - began
    left = (gpu.used_bytes - ground.idle_bytes) / 2**20
    words = f"{seconds:.1f} s, {left:.0f} MiB left of {(used - ground.idle_bytes) / 2**20:.0f}"
    return Figure(words, f"≤ {MAX_PAUSED_SECONDS:.0f} s", waited is not None and seconds <= MAX_PAUSED_SECONDS)


def yields(ground: Ground) -> Figure:
    """From another program's first computation on the GPU until the owner's rules have freed it."""
    gpu, front = ground.gpu, ground.swarm("gradients").volunteer
    gpus = frozenset({ground.device.index})
    watch = ComputerWatch(lambda: ComputerObserver(front.folders.data, gpus), lambda: _GPU_RULE)
    try:
        with _another_program(ground) as pid, ruled(front, watch, lambda: _GPU_RULE):
            began = time.monotonic()
            time.sleep(SETTLING_SECONDS)
            if pid not in gpu.pids:
                raise Untried("the driver does not tell which processes compute (a container, or WSL)")
            front.until(lambda session: session.is_held and session.phase == "paused")
            seconds = time.monotonic() - began
            rule = front.session.pause.rule if front.session.pause else None
    finally:
        ground.end_swarms()
    words = f"{seconds:.1f} s, because of “{rule.subject if rule else ''}”"
    return Figure(words, f"≤ {MAX_YIELD_SECONDS:.0f} s", seconds <= MAX_YIELD_SECONDS)


@contextmanager
def _another_program(ground: Ground) -> Iterator[int]:
    command = [sys.executable, "-m", "tests.gpu.gpu_hog", ground.device.label, str(_HOG_SECONDS)]
    environment = worker_environment()  # so that CUDA numbers the GPUs as for a worker
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as hog:
        assert hog.stdout is not None
        pid = int(hog.stdout.readline())
        try:
            if hog.stdout.readline().strip() != "on":
                raise NotMeasured("the other program cannot compute on the GPU")
            yield pid
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def killed(ground: Ground) -> Figure:
    """From the worker's death by SIGKILL until the GPU has nothing of it."""
    gpu, front = ground.gpu, ground.swarm("local-sgd").volunteer
    family = family_of(front)
    worker_process(front).kill()
    seconds = gpu.seconds_until_free(ground.idle_bytes + NOISE_BYTES, family, 4 * MAX_KILLED_SECONDS)
    left = (gpu.used_bytes - ground.idle_bytes) / 2**20
    ground.end_swarms()
    words = f"{left:.0f} MiB left" if seconds is None else f"{seconds:.1f} s, {left:.0f} MiB left"
    return Figure(words, f"≤ {MAX_KILLED_SECONDS:.0f} s", seconds is not None and seconds <= MAX_KILLED_SECONDS)


def precisions(ground: Ground) -> Figure:
    """Three peers of a tiny model on the device, each computing in another precision, average with each other."""
    ground.clear()
    target = round(3 * 300 * ground.size.matchmaking_seconds)
    runs = [with_micro_batch(ground.tiny_runs.small(target, precision=each), 10) for each in _PRECISIONS]
    wishes = {"device": ground.device.label, "threads": 1}
    organiser = ground.peers.organiser("precision-organiser", runs[0], **wishes)
    peers = [organiser]
    try:
        for precision, run in zip(_PRECISIONS[1:], runs[1:], strict=True):
            peers.append(ground.peers.newcomer(organiser.posted, f"precision-{precision}", manifest=run))
        for peer in peers[1:]:
            peer.send(consent_to(peer.wait_for(RunFound), **wishes))
        for peer in peers:
            peer.wait_for(
                RoundFinished, lambda event: event.ok and event.peers == len(_PRECISIONS), seconds=PATIENCE_SECONDS
            )
        losses = [peer.wait_for(Progress, lambda event: event.loss is not None).loss for peer in peers]
    finally:
        for peer in reversed(peers):
            peer.end()
    figures = ", ".join(f"{each} {loss:.3f}" for each, loss in zip(_PRECISIONS, losses, strict=True))
    return Figure(f"losses while training: {figures}", "one round of all three", True)


def out_of_memory(ground: Ground) -> Figure:
    """The GPU's allocator has no more room in mid-run: the worker goes on with fewer samples at a time."""
    ground.gpu  # noqa: B018 - Untried without one
    ground.clear()
    peer = Peer(ground.folder / "squeezed", is_warm=False, worker=WORKER)
    try:
        peer.send(_alone(ground))
        words = peer.wait_for(Warned, lambda event: event.problem == ErrorKind.OUT_OF_MEMORY.key).detail
        done = peer.all(Progress)[-1].contributed_samples if peer.all(Progress) else 0
        peer.wait_for(Progress, lambda event: event.contributed_samples > done + 10 * ground.size.micro_batch)
    finally:
        peer.end()
    return Figure(f"{ground.size.micro_batch} samples for {STEPS} micro-batches; then: {words}", "goes on", True)


def compilation(ground: Ground) -> Figure:
    """A compiled model trains in a confined worker, which must start compilers and load what they make."""
    ground.gpu  # noqa: B018 - Untried without one
    ground.clear()
    peer = Peer(ground.folder / "compiled", is_warm=False, worker=ground.worker)
    try:
        began = time.monotonic()
        peer.send(_alone(ground, is_compiled=True))
        gaps = peer.wait_for(Confined).gaps
        peer.wait_for(Progress, lambda event: event.contributed_samples > 20 * ground.size.micro_batch)
        seconds = time.monotonic() - began
        rate = peer.all(Progress)[-1].samples_per_second or 0.0
        log = (peer.home / "logs" / "worker.log").read_text(errors="replace")
    finally:
        peer.end()
    if _NOT_COMPILED in log:
        raise NotMeasured(log.partition(_NOT_COMPILED)[2].strip()[:200])
    return Figure(f"{seconds:.0f} s until it trains, {rate:.0f} samples/s", "confined", "everything" not in gaps)


def _alone(ground: Ground, *, is_compiled: bool = False) -> Publish:
    manifest = with_micro_batch(ground.runs.small(10**6, compile=is_compiled), ground.size.micro_batch)
    where = ground.folder / f"alone-{time.monotonic_ns()}"
    return Publish(manifest=manifest, home=str(where), listen=(LOOPBACK,), device=ground.device.label)  # type: ignore[arg-type]


def dry_run(ground: Ground) -> Figure:
    """What a dry run finds within a limit of memory, beside the largest micro-batch that is really computed in it."""
    ground.clear()
    most = 16 if ground.is_toy else 4096
    manifest = with_micro_batch(ground.runs.small(4 * most), most)
    limit = min(8_000_000_000, round(0.8 * (ground.device.memory_free_bytes or 0)))
    peer = Peer(Path(ground.folder / "dry-run"), is_warm=ground.is_toy, worker=ground.worker)
    try:
        peer.send(DryRun(manifest=manifest, device=ground.device.label, threads=1, memory_limit_bytes=limit))
        found = peer.wait_for(FitMeasured).micro_batch
    finally:
        peer.end()
    numbers = {"found": found, "most": most, "limit_bytes": limit}
    largest = ground.ask("largest", manifest=manifest, numbers=numbers)["largest"]
    if ground.is_toy:
        return Figure(f"{found} samples, which are computed", "are computed", 0 < found == largest)
    words = f"{found} samples; {largest} fit into {limit / 1e9:.0f} GB"
    return Figure(words, "the same, or half", largest / 2 <= found <= largest)
