"""What experts on other computers cost and bring: three hosts and two trainers, on loopback and on lines.

Each trainer has a trunk of its own, and samples of its own; the experts learn from both. Tokens per second are those of
the trunks, of both together: each counts once, however many experts it is sent to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

from tests.bench.setup import Ground, NotMeasured, told_as_not_measured
from tests.bench.table import NO_FIGURE, Row, figure_row, own_row
from tests.support.environment.network_namespaces import internet, why_not
from tests.support.environment.slow_link import Line
from tests.support.real_peers import LineProcess, PeerGroup, peer_group

SCRIPT = "tests.bench.experts.mixture_peers"
HOSTS = 3
LOOPBACK = "loopback"
LISTEN = "/ip4/127.0.0.1/tcp/0"
LINES = {f"{mbits} Mbit/s": Line(0.0, 0.0, mbits * 1e6) for mbits in (1000, 100, 20)}
SEEDS = (1, 2, 3)
"""Of the samples of the first trainer."""
SECOND_TRAINER = 100  # added to the seed of its samples
LINE_STEPS = 300  # for a speed on a line, where a step takes as long as its tokens
LIMIT_SECONDS = 1800.0

Script = LineProcess[dict[str, Any]]
Start = Callable[..., Script]
"""Start a process of a seed, a role and addresses; each on a computer of its own, if there are lines."""


@dataclass(frozen=True)
class Trained:
    """The held-out loss after all steps, by seed, and the tokens per second of these."""

    losses: tuple[float, ...]
    tokens_per_second: float

    @property
    def loss(self) -> float:
        """The geometric mean."""
        return geometric_mean(self.losses)


def seconds_row(what: str, seconds: float | None, most: float) -> Row:
    """A row of a time that must be no longer than that."""
    return figure_row(what, seconds, "{:.1f} s", f"≤ {most:.0f} s", lambda it: it <= most)


@dataclass(frozen=True)
class Lost:
    """Of the ``steps`` that an expert had taken when its host was killed, the last ones that are ``lost`` with it.

    They were taken in so many ``seconds``.
    """

    lost: int
    steps: int
    seconds: float


@dataclass
class ExpertsMeasured:
    """``hosted`` is by the name of the line; ``standstill`` is the longest step since a host was killed, in seconds.

    ``lost`` is what its experts had learned since others got their copies. ``cut_standstill`` is the same of a host
    whose line went dead, and ``forgetting`` the time until no trainer asked it any more.
    ``host_growth`` is a host's memory at the end of an hour, as a multiple of that in its first minutes.
    """

    hosted: dict[str, Trained] = field(default_factory=dict)
    whole: Trained | None = None
    trunk: Trained | None = None
    standstill: float | None = None
    lost: tuple[Lost, ...] = ()
    cut_standstill: float | None = None
    forgetting: float | None = None
    host_growth: float | None = None


def experts_deeds(ground: Ground, steps: int, measured: ExpertsMeasured) -> Mapping[str, Callable[[], object]]:
    """How all are measured, in so many steps each; each gives its figures, and notes them down."""
    lines: dict[str, Line | None] = {LOOPBACK: None, **LINES}
    hosted = {f"experts, {name}": partial(_hosted, ground, steps, name, line, measured) for name, line in lines.items()}
    return {"experts, one process": partial(_in_one_process, ground, steps, measured), **hosted}


def experts_rows(measured: ExpertsMeasured) -> list[Row]:
    """Loss against the trunk's, and speed by line."""
    hosted, trunk = measured.hosted.get(LOOPBACK), measured.trunk
    return [
        _loss_row(hosted, trunk),
        own_row(
            "experts elsewhere: tokens/s ÷ the same model in one process, by line",
            _speeds(measured) or NO_FIGURE,
            "measured",
            True if measured.whole is not None and len(measured.hosted) == 1 + len(LINES) else None,
        ),
    ]


def _loss_row(hosted: Trained | None, trunk: Trained | None) -> Row:
    what = "experts on three hosts: held-out loss ÷ that of the same trunk without experts, at the same samples"
    if hosted is None or trunk is None:
        return own_row(what, NO_FIGURE, "< 1", None)
    ratio = hosted.loss / trunk.loss
    return own_row(what, f"{ratio:.2f} ({hosted.loss:.3f} ÷ {trunk.loss:.3f})", "< 1", ratio < 1)


def _speeds(measured: ExpertsMeasured) -> str:
    whole = measured.whole
    if whole is None:
        return ""
    shares = {name: each.tokens_per_second / whole.tokens_per_second for name, each in measured.hosted.items()}
    return " · ".join(f"{name} {share:.2f}" for name, share in shares.items())


def _in_one_process(ground: Ground, steps: int, measured: ExpertsMeasured) -> tuple[Trained, Trained]:
    with told_as_not_measured(), peer_group(ground.folder / "experts-one-process") as group:
        measured.whole, measured.trunk = (
            _together(_trained(starter(group, steps)(seed, role)) for first in SEEDS for seed in trainer_seeds(first))
            for role in ("whole", "trunk")
        )
    return measured.whole, measured.trunk


def _hosted(ground: Ground, steps: int, name: str, line: Line | None, measured: ExpertsMeasured) -> object:
    folder = ground.folder / f"experts-{name.replace('/', ' ').replace(' ', '-')}"
    if line is None:
        with told_as_not_measured():
            measured.hosted[name] = _together(_on_loopback(folder / str(seed), steps, seed) for seed in SEEDS)
        return measured.hosted[name]
    with told_as_not_measured(), peer_group(folder) as group:
        if reason := why_not():
            raise NotMeasured(reason)
        with internet() as net:

            def start(seed: int, role: str, *addresses: str) -> Script:
                host = net.host(line=line)
                at_host = starter(group.at(host), min(steps, LINE_STEPS), f"{host.ip}/tcp/31337")
                return at_host(seed, role, *addresses)

            measured.hosted[name] = _lived(start, SEEDS[0])
            return measured.hosted[name]


def _on_loopback(folder: Path, steps: int, seed: int) -> Trained:
    with peer_group(folder) as group:
        return _lived(starter(group, steps), seed)


def _together(each: Iterable[Trained]) -> Trained:
    """Of several seeds: all losses, and the median speed."""
    trained = list(each)
    losses = tuple(loss for it in trained for loss in it.losses)
    return Trained(losses, median(it.tokens_per_second for it in trained))


def starter(group: PeerGroup, steps: int, listen: str = LISTEN) -> Start:
    """How processes that take so many steps are started in that group; a name tells role, seed and how many it knows.

    No two of a group have the same.
    """

    def start(seed: int, role: str, *addresses: str) -> Script:
        name = f"{role}-{seed}-{len(addresses)}"
        return group.script(name, SCRIPT, role, str(group.folder / name), str(steps), str(seed), listen, *addresses)

    return start


def started_hosts(start: Start, seed: int, role: str = "host") -> tuple[list[Script], list[str]]:
    """Three hosts, who learn of each other by the first one's address, and the addresses of all."""
    hosts: list[Script] = []
    addresses: list[str] = []
    for _ in range(HOSTS):
        hosts.append(start(seed, role, *addresses))
        addresses.append(hosts[-1].until(lambda said: "address" in said, seconds=LIMIT_SECONDS)["address"])
    return hosts, addresses


def started(start: Start, seed: int, role: str = "host") -> tuple[list[Script], tuple[Script, ...]]:
    """The hosts, of that role, and two trainers."""
    hosts, addresses = started_hosts(start, seed, role)
    return hosts, tuple(start(each, "remote", *addresses) for each in trainer_seeds(seed))


def trainer_seeds(seed: int) -> tuple[int, int]:
    """Of the samples of each trainer, where the first one's are of that seed."""
    return seed, seed + SECOND_TRAINER


def _lived(start: Start, seed: int) -> Trained:
    _, trainers = started(start, seed)
    trained = [_trained(each) for each in trainers]
    losses = tuple(loss for each in trained for loss in each.losses)
    return Trained(losses, sum(each.tokens_per_second for each in trained))


def _trained(script: Script) -> Trained:
    told = script.until(lambda said: "loss" in said, seconds=LIMIT_SECONDS)
    return Trained((told["loss"],), told["tokens_per_second"])
