"""The organiser collects experts: from whoever hosts them, and only what has changed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import core.worker.hosting.collector as collector_module
from core.errors import ErrorKind
from core.records.published.checkpoint_history import CheckpointHistory
from core.worker.experts.block import ExpertId, ExpertShape
from core.worker.experts.collected import CollectedExperts
from core.worker.experts.hosted_expert import HostedExpert
from core.worker.hosting.collector import ExpertCollector
from core.worker.swarm import ExpertStanding, NoStateError
from tests.worker.experts.test_collected import file_of
from tests.worker.experts.test_expert_file import HIDDEN, RUN_ID, SPEC, endless, learn

ONE, OTHER = ExpertId(1, 0), ExpertId(1, 1)


class Hosts:
    """Stands for the calls of two experts and their hosts; those in ``failing`` send nothing of use."""

    def __init__(self) -> None:
        self.experts = {each: HostedExpert(each, HIDDEN, SPEC) for each in (ONE, OTHER)}
        self.host = {ONE: "a", OTHER: "b"}
        self.failing: dict[str, bytes | None] = {}
        self.fetched: list[ExpertId] = []

    def standing(self, expert: ExpertId) -> ExpertStanding:
        """Its host and steps, as they are announced."""
        return ExpertStanding(self.host.get(expert, ""), steps=self.experts[expert].steps)

    def signed_state_of(self, expert: ExpertId, shape: ExpertShape) -> bytes:
        """Its file, if its host sends it."""
        assert shape == self.experts[expert].shape
        self.fetched.append(expert)
        if self.host[expert] in self.failing:
            if (data := self.failing[self.host[expert]]) is None:
                raise NoStateError("busy")
            return data
        return file_of(self.experts[expert])


class Channel:
    """Stands for the worker's channel; it is left at the first pause."""

    def __init__(self) -> None:
        self.said, self.leaving = list[Any](), Leaving()

    def emit(self, event: Any) -> None:
        """Keep it."""
        self.said.append(event)


class Leaving(threading.Event):
    """Nobody waits in a test; what is to happen in a pause happens in ``in_pause``."""

    in_pause: Callable[[], None] = staticmethod(lambda: None)

    def wait(self, timeout: float | None = None) -> bool:
        """A pause."""
        self.in_pause()
        return self.is_set()


class Organiser:
    """One that collects from these hosts, at once, into a folder."""

    def __init__(self, folder: Path) -> None:
        self.hosts, self.channel = Hosts(), Channel()
        self.kept = CollectedExperts(folder / "collected", RUN_ID, HIDDEN, SPEC)
        self.started = 0
        self.collector = ExpertCollector(
            self.hosts,
            [ONE, OTHER],
            self.hosts.experts[ONE].shape,
            self.kept,
            CheckpointHistory(folder / "checkpoint.safetensors"),
            self.channel,  # type: ignore[arg-type]
            self._start,
        )

    def _start(self, _name: str, run: Callable[[], None]) -> threading.Thread:
        self.started += 1
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        return thread


@pytest.fixture
def organiser(tmp_path: Path) -> Organiser:
    """With a folder of its own."""
    return Organiser(tmp_path)


def test_all_experts_are_collected_and_again_only_those_that_have_learned(organiser: Organiser) -> None:
    hosts = organiser.hosts
    learn(hosts.experts[ONE], 2)
    organiser.collector.run(10)
    assert hosts.fetched == [ONE, OTHER]
    learn(hosts.experts[OTHER], 1)
    organiser.collector.run(20)
    assert hosts.fetched == [ONE, OTHER, OTHER]
    assert organiser.kept.epochs() == {ONE: [20], OTHER: [20]}
    assert organiser.kept.read(OTHER, 20)["expand.bias"].equal(hosts.experts[OTHER].state()["expand.bias"])
    assert organiser.channel.said == []


def test_an_expert_that_has_moved_to_another_host_is_fetched_there(organiser: Organiser) -> None:
    organiser.collector.run(10)
    organiser.hosts.host[ONE] = "b"
    organiser.collector.run(20)
    assert organiser.hosts.fetched == [ONE, OTHER, ONE]


@pytest.mark.parametrize("sent", [None, b"", b"\x08" + bytes(20), endless()])
def test_whose_host_is_away_busy_or_sends_something_else_keeps_its_last_state(
    organiser: Organiser, sent: bytes | None
) -> None:
    organiser.collector.run(10)
    for each in organiser.hosts.experts.values():
        learn(each, 1)
    organiser.hosts.failing = {"a": sent}
    organiser.collector.run(20)
    assert organiser.kept.epochs() == {ONE: [10], OTHER: [20]}
    del organiser.hosts.host[OTHER]
    organiser.hosts.failing = {}
    organiser.collector.run(30)
    assert organiser.kept.epochs() == {ONE: [30], OTHER: [20]}


def test_a_busy_host_is_asked_again_after_a_pause_and_meanwhile_not_for_another_expert(organiser: Organiser) -> None:
    organiser.hosts.host[OTHER] = "a"
    organiser.hosts.failing = {"a": None}
    organiser.channel.leaving.in_pause = organiser.hosts.failing.clear
    organiser.collector.run(10)
    assert organiser.hosts.fetched == [ONE, ONE, OTHER]
    assert organiser.kept.epochs() == {ONE: [10], OTHER: [10]}


def test_it_collects_with_every_checkpoint_and_once_a_minute_where_an_expert_has_its_first_host(
    organiser: Organiser, monkeypatch: pytest.MonkeyPatch
) -> None:
    organiser.hosts.host = {}
    organiser.collector.collect(1, False)
    assert organiser.started == 0
    organiser.hosts.host = {ONE: "a"}
    organiser.collector.collect(2, False)
    organiser.collector.collect(3, False)
    assert organiser.started == 1 and organiser.kept.epochs() == {ONE: [2]}
    organiser.hosts.host[OTHER] = "b"
    organiser.collector.collect(4, False)
    assert organiser.started == 1, "a minute has not passed"
    organiser.collector.collect(5, True)
    assert organiser.kept.epochs() == {ONE: [5], OTHER: [5]}
    monkeypatch.setattr(collector_module, "OFF_SCHEDULE_SECONDS", 0.0)
    organiser.collector.collect(6, False)
    assert organiser.started == 2, "no expert is new"


def test_where_the_run_holds_it_is_collected_twice_and_no_older_copy_takes_the_place_of_what_is_there(
    organiser: Organiser,
) -> None:
    one, other = organiser.hosts.experts.values()
    learn(one, 3)
    learn(other, 1)
    organiser.channel.leaving.in_pause = lambda: learn(other, 1) if other.steps < 2 else None
    copy = HostedExpert(ONE, HIDDEN, SPEC)
    learn(copy, 2)
    organiser.collector.collect_last(7)
    assert organiser.kept.read(OTHER, 7)["expand.bias"].equal(other.state()["expand.bias"]) and other.steps == 2
    organiser.hosts.experts[ONE], organiser.hosts.host[ONE] = copy, "b"
    organiser.collector.run(7)
    assert organiser.kept.read(ONE, 7)["expand.bias"].equal(one.state()["expand.bias"])
    organiser.collector.run(8)
    assert organiser.kept.read(ONE, 8)["expand.bias"].equal(copy.state()["expand.bias"])


def test_a_disk_that_takes_nothing_is_told(organiser: Organiser) -> None:
    organiser.kept.folder.write_bytes(b"a file where the folder is to be")
    organiser.collector.run(10)
    (warned,) = organiser.channel.said
    assert warned.problem == ErrorKind.FOLDER_NOT_WRITABLE.key
