"""Live one plan: the organiser publishes, the volunteers join, things go wrong, and all leave in the end."""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.protocol.events import Progress, Published
from tests.bench.local_sgd.root_counts import RootCounts, root_counts
from tests.soak.faults import revive
from tests.soak.leaks import LeftOver
from tests.soak.peers import Member, Place
from tests.soak.plan import KINDS, Fault, Plan, plan_of
from tests.soak.resource_usage import Census
from tests.soak.timeline import Story
from tests.soak.volunteer_schedule import Life
from tests.support.environment.network_namespaces import Host, internet, why_not

NETWORKS = ("auto", "client", "direct")
HEALING_SECONDS = 300.0  # generous: until the last of all helps again
LOOK_SECONDS = 20.0


@dataclass
class Outcome:
    """What there is to tell. ``stories`` begin with the organiser's; ``left_over`` should be empty.

    ``roots`` counts the rounds of local SGD after which all had equal base weights; with gradients there are none.
    """

    plan: Plan
    seconds: float
    has_networks: bool
    stories: list[Story]
    census: Census
    marks: list[list[str]]
    not_done: list[Fault]
    left_over: list[str] = field(default_factory=list)
    surprises: list[str] = field(default_factory=list)
    roots: RootCounts = field(default_factory=lambda: root_counts({}))


def live(seed: int, volunteers: int, minutes: float, run_file: Path, folder: Path) -> Outcome:
    """Live the plan of that seed; everybody's folder is below that one."""
    has_networks = not why_not()
    kinds = [kind for kind in KINDS if has_networks or kind != "line cut"]
    plan = plan_of(seed, volunteers, minutes * 60.0, kinds)
    before = LeftOver()
    with tempfile.TemporaryDirectory(prefix="soak-", ignore_cleanup_errors=True) as temporary:
        with _hosts(1 + volunteers, has_networks) as hosts:
            outcome = Soak(plan, run_file, folder, Path(temporary), hosts).live(has_networks)
        pids = [process.pid for process in outcome.census.watched]
        outcome.left_over += before.now(folder, Path(temporary), pids)
    return outcome


class Soak:
    """Everybody who takes part."""

    def __init__(self, plan: Plan, run_file: Path, folder: Path, temporary: Path, hosts: Sequence[Host | None]) -> None:
        self._plan = plan
        self._census = Census(f"{os.getpid()}-")
        listen = f"{hosts[0].ip}/tcp/31337" if hosts[0] else "/ip4/127.0.0.1/tcp/0"
        words = ("publish", str(run_file), "--listen", listen, "--checkpoint-every", "5")
        self._organiser = Member(Place(folder / "organiser", temporary, hosts[0]), *words)
        self._places = [Place(folder / f"volunteer-{number}", temporary, host) for number, host in enumerate(hosts[1:])]
        self._lives: list[Life] = []

    @property
    def _everybody(self) -> list[Member]:
        return [self._organiser, *(life.member for life in self._lives)]

    def live(self, has_networks: bool) -> Outcome:
        """From the first word to the last goodbye; whatever happens, nothing of anybody is left."""
        try:
            self._begin_lives(self._publish())
            began = time.monotonic()
            self._watch(began)
            ended = time.monotonic()
            stories = [_story(member, ended) for member in self._everybody]
            for member in reversed(self._everybody):
                member.leave()
        finally:
            self._end_all()
        return Outcome(
            self._plan,
            ended - began,
            has_networks,
            stories,
            self._census,
            [[start.mark for start in member.starts] for member in self._everybody],
            [fault for life in self._lives for fault in life.not_done],
            [each for member in self._everybody for each in member.left_over],
            [each for member in self._everybody for each in member.surprises],
            root_counts({name: moves for member in self._everybody for name, moves in member.moves().items()}),
        )

    def _publish(self) -> str:
        """The address to share, once the organiser trains."""
        self._organiser.start()
        published = self._organiser.says(lambda event: isinstance(event, Published))
        assert isinstance(published, Published)
        self._organiser.says(lambda event: isinstance(event, Progress))
        return published.addresses[0]

    def _begin_lives(self, address: str) -> None:
        self._lives = [
            Life(
                Member(place, "join", address, "--yes", "--always", "--network", network_of(number)), self._plan, number
            )
            for number, place in enumerate(self._places)
        ]
        for life in self._lives:
            life.begin()

    def _watch(self, began: float) -> None:
        """Until all is over, and everybody helps again; who never does is told by its story."""
        until = began + self._plan.seconds
        while time.monotonic() < until or any(life.is_alive() for life in self._lives):
            self._census.look()
            _rest(LOOK_SECONDS)
        deadline = time.monotonic() + HEALING_SECONDS
        while time.monotonic() < deadline and not all(map(self._helps, self._lives)):
            _rest(1.0)
        self._census.look()

    def _helps(self, life: Life) -> bool:
        revive(life.member)
        return is_healed(_story(life.member, time.monotonic()))

    def _end_all(self) -> None:
        for life in self._lives:
            life.end()
        for member in reversed(self._everybody):
            for start in member.starts:
                with contextlib.suppress(AssertionError):
                    start.end()


def network_of(number: int) -> str:
    """How that volunteer takes part: one after the other by itself, outwards only, and directly."""
    return NETWORKS[number % len(NETWORKS)]


def is_healed(story: Story) -> bool:
    """Whether it has helped since whatever has happened to it last."""
    over = [each.ended or story.end for each in story.suffered]
    return story.helped(max(over, default=0.0)) is not None


def _story(member: Member, end: float) -> Story:
    return Story(member.name, member.seen, tuple(member.suffered), end)


@contextlib.contextmanager
def _hosts(count: int, has_networks: bool) -> Iterator[list[Host | None]]:
    """A computer for everybody, where there can be any."""
    if not has_networks:
        yield [None] * count
        return
    with internet() as net:
        yield [net.host() for _ in range(count)]


def _rest(seconds: float) -> None:
    threading.Event().wait(seconds)
