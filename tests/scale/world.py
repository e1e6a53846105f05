"""What is known, or assumed, of volunteers, their lines and the run that they help; each number with its origin."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import msgspec

from core.run.manifest import RunManifest
from core.run.requirements import estimate_requirements
from core.run.run_file import load_run_file
from core.run.spec.collaboration import Collaboration, Mode
from tests.support.checkout import ROOT

JOIN_SECONDS = 5.7  # measured (benchmarks.md, two peers): join → first contributed sample
THREE_DONORS = 2.76  # measured (benchmarks.md, the newcomer): times as fast as from one
LINE_EFFICIENCY = (
    0.9  # measured (benchmarks.md, networks): 53 MB over 20 Mbit/s in 19 and 29 s; the line alone takes 21
)
GHOST_SECONDS = 16.3  # measured (benchmarks.md, after a fault): so long a bare peer waits for one that was killed
GHOST_MEMORY_SECONDS = 60.0  # measured (benchmarks.md, equal base weights): so long a killed peer counts as a member
MAX_GROUP = 128  # core/worker/swarm/patches/group_checks.py, which needs hivemind and is not loaded here
REPORT_BYTES, MOST_REPORTS = 909, 1800  # core/worker/swarm/dht/bounded_storage.py: 2 MiB under a key hold 1,800 of them
REPORT_HOLDERS = 5  # hivemind's num_replicas
# core/worker/swarm/progress/progress_estimate.py with a run's defaults: looks of more peers than that are seldomer
REFRESH_SECONDS, FEW_PEERS, MOST_REFRESH_SECONDS = 10.0, 10, 30.0
_EXAMPLE = ROOT / "examples" / "home-gpt2-small.toml"


@dataclass(frozen=True)
class Volunteer:
    """A computer: bits/s of its line, samples/s, whether others can reach it."""

    upload: float
    download: float
    speed: float
    is_reachable: bool


@dataclass(frozen=True)
class World:
    """A swarm of about so many ``volunteers`` at any time; times are in seconds, lines in bits per second.

    The length of a session was measured (sahajBERT, DeDLOC: 4 h on average), the rest is assumed: whoever leaves is
    replaced at once, a fifth leaves without a goodbye, uploads are spread evenly by their logarithm, downloads are
    five times as fast, a quarter of all can be reached, and the fastest GPU is ten times as fast as the slowest.
    ``session_seconds`` of ``None`` is a swarm that nobody leaves.
    """

    volunteers: int
    mode: Mode
    sent_bytes: float
    state_bytes: float
    round_seconds: float = 600.0
    matchmaking_seconds: float = 15.0
    timeout_seconds: float = 900.0
    is_overlapped: bool = True
    session_seconds: float | None = 4 * 3600.0
    vanishing_share: float = 0.2
    uploads: tuple[float, float] = (10e6, 100e6)
    download_ratio: float = 5.0
    reachable_share: float = 0.25
    speeds: tuple[float, float] = (1.0, 10.0)
    keeper_line: float = 1e9
    efficiency: float = LINE_EFFICIENCY

    def volunteer(self, random: Random) -> Volunteer:
        """Somebody who comes."""
        upload = _between(self.uploads, random)
        return Volunteer(
            upload=upload * self.efficiency,
            download=upload * self.download_ratio * self.efficiency,
            speed=_between(self.speeds, random),
            is_reachable=random.random() < self.reachable_share,
        )

    @property
    def mean_speed(self) -> float:
        """The expected samples/s of a volunteer."""
        least, most = self.speeds
        return least if least == most else (most - least) / math.log(most / least)

    @property
    def keeper(self) -> Volunteer:
        """The organiser's peer, which computes nothing and can be reached."""
        line = self.keeper_line * self.efficiency
        return Volunteer(upload=line, download=line, speed=0.0, is_reachable=True)

    @property
    def report_bytes(self) -> float:
        """What everybody reads of all others' progress in one look, as far as there is room for it."""
        return REPORT_BYTES * min(self.volunteers, MOST_REPORTS)

    @property
    def refresh_seconds(self) -> float:
        """How long after its last look a peer looks at everybody's progress at the latest."""
        return min(REFRESH_SECONDS * max(1.0, self.volunteers / FEW_PEERS), MOST_REFRESH_SECONDS)

    @property
    def holder_upload(self) -> float:
        """Bits/s that a peer sends which holds these reports: each look asks one of the holders."""
        return self.volunteers * self.report_bytes * 8 / self.refresh_seconds / REPORT_HOLDERS


def home_swarm(volunteers: int, mode: Mode, **fields: float | tuple[float, float] | None) -> World:
    """A run of GPT-2 small with 124 million parameters in that mode, as ``examples/home-gpt2-small.toml`` has it.

    With gradients these are sent in halves every epoch, and weights in halves every fifth.
    """
    needs = estimate_requirements(_manifest(_EXAMPLE, mode))
    world = World(volunteers, mode, sent_bytes=needs.traffic_bytes / 2, state_bytes=needs.download_bytes)
    return replace(world, **fields)  # type: ignore[arg-type]


def _manifest(path: Path, mode: Mode) -> RunManifest:
    manifest = load_run_file(path)
    if mode == "local-sgd":
        return manifest
    gradients = Collaboration(
        target_batch_size=manifest.collaboration.target_batch_size,
        grad_compression="float16",
        state_averaging_compression="float16",
        average_state_every=5,
    )
    return msgspec.structs.replace(manifest, collaboration=gradients)


def _between(bounds: tuple[float, float], random: Random) -> float:
    """A number whose logarithm is spread evenly."""
    least, most = bounds
    return least if least == most else least * (most / least) ** random.random()
