"""Who leaves a run that is brought to a stop, who is too old for it, and whom the others leave out for that."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hivemind.p2p import PeerID

from core.errors import ErrorKind
from core.protocol.events import AnyEvent
from core.run.steering.authority import RunAuthority
from core.run.steering.control_value import ControlValue, Order, OrderState
from core.version import own_version
from core.worker.access.gate import RunGate
from core.worker.roles.participation import RunParticipation
from core.worker.roles.peer_monitor import PeerMonitor
from core.worker.roles.steering.follower import SteeringFollower, is_dismissed, version_error
from core.worker.roles.steering.found_run import FoundRun, steered
from core.worker.roles.steering.outdated import outdated_peers
from core.worker.swarm import ACTIVITY, ActivityRecord, FoundManifests, Swarm
from core.worker.swarm.dht.progress_reports import PeerReport
from tests.support.real_peers import RUN_ID, tiny


@pytest.mark.parametrize(
    ("state", "epoch", "leaves"),
    [
        ("running", 9, False),
        ("paused", 9, False),
        ("draining", 6, False),
        ("draining", 7, True),
        ("draining", 8, True),
        ("ended", 0, True),
    ],
)
def test_a_peer_leaves_an_ended_run_at_once_and_one_that_drains_after_the_epoch(
    state: OrderState, epoch: int, leaves: bool
) -> None:
    control = ControlValue(run_id="sums", order=Order(state=state, at_epoch=7))
    assert is_dismissed(control, epoch) is leaves


@pytest.mark.parametrize("state", ["ended", "draining"])
def test_who_is_needed_at_the_end_holds_and_leaves_afterwards(state: OrderState) -> None:
    peer: Any = Standing()
    needed = iter([True, True, False])
    control = ControlValue(run_id="sums", order=Order(state=state, at_epoch=7))
    follower = SteeringFollower(
        lambda: control, peer, lambda control: None, peer, is_organiser=False, is_needed=lambda: next(needed)
    )
    for _ in range(2):
        follower.look()
        assert peer.is_held and not peer.leaving.is_set()
    follower.look()
    assert peer.leaving.is_set()


class Standing:
    """Stands for a peer that trains, and for its channel."""

    local_epoch, epoch_seconds = 27, None

    def __init__(self) -> None:
        self.leaving, self.said, self.is_held = threading.Event(), list[AnyEvent](), False
        self.required = list[str]()

    def hold(self, is_held: bool) -> None:
        self.is_held = is_held

    def require_version(self, minimum: str) -> None:
        self.required.append(minimum)

    def plan(self, edits: object) -> None:
        pass

    def emit(self, event: AnyEvent) -> None:
        self.said.append(event)

    def leave(self) -> None:
        self.leaving.set()


@pytest.mark.parametrize("is_organiser", [False, True])
def test_every_peer_begins_anew_for_a_rollback_and_none_for_one_that_it_has_obeyed(is_organiser: bool) -> None:
    back = ControlValue(run_id="sums").rolled_back(20, 64 * "a", 2e9)
    noticed = back.noticed("Back at noon.", 2e9)
    for obeyed, problems in ((None, [ErrorKind.RUN_ROLLED_BACK.key]), (back.rollback, [])):
        peer: Any = Standing()
        SteeringFollower(
            lambda: noticed, peer, lambda control: None, peer, is_organiser=is_organiser, rollback=obeyed
        ).look()
        assert [each.problem for each in peer.said] == problems
        assert peer.leaving.is_set() == bool(problems)


def test_a_run_that_asks_for_a_newer_version_says_which_one_it_needs() -> None:
    assert own_version() != "from source"
    error = version_error(ControlValue(run_id="sums", minimum_version="999.0"))
    assert str(error).startswith("It needs 999.0; this is ")
    for fine in ("", "0.0.1", own_version()):
        assert not version_error(ControlValue(run_id="sums", minimum_version=fine))


@pytest.mark.parametrize(("minimum", "leaves"), [("999.0", True), (own_version(), False), ("", False)])
@pytest.mark.parametrize("is_organiser", [False, True])
def test_a_volunteer_that_is_too_old_leaves_and_says_why_and_the_organiser_stays(
    minimum: str, leaves: bool, is_organiser: bool
) -> None:
    peer: Any = Standing()
    control = ControlValue(run_id="sums", number=1, minimum_version=minimum)
    SteeringFollower(lambda: control, peer, lambda control: None, peer, is_organiser=is_organiser).look()
    has_left = leaves and not is_organiser
    assert [each.problem for each in peer.said] == [ErrorKind.WORKERBEE_TOO_OLD.key] * has_left
    assert peer.leaving.is_set() == has_left
    assert peer.required == [minimum], "whom its rounds leave out"


def test_a_run_for_which_this_workerbee_is_too_old_is_refused_with_that_reason() -> None:
    swarm, found = cast(Swarm, None), FoundManifests()
    runs = [FoundRun(tiny(), control=ControlValue(run_id=RUN_ID, minimum_version=minimum)) for minimum in ("", "999.0")]
    assert list(steered(runs, swarm, found)) == runs[:1]
    assert found.refused[RUN_ID].problem is ErrorKind.WORKERBEE_TOO_OLD
    assert str(found.refused[RUN_ID].detail).startswith("It needs 999.0")


def test_whoever_says_an_older_version_is_left_out_and_who_says_none_is_not() -> None:
    peers = {name: PeerID(b"\x12\x20" + name * 32) for name in (b"a", b"b", b"c")}
    reports = {name: PeerReport(peer, 0, 0, 1.0, 0.0, True) for name, peer in peers.items()}
    versions = {b"a": "0.9.3", b"b": "0.10", b"c": ""}
    activities = {name: ActivityRecord(version=version) for name, version in versions.items()}
    assert outdated_peers(activities, reports, "0.10.0") == {peers[b"a"].to_base58()}


def test_whom_a_minimum_version_bars_from_our_rounds_is_never_the_leader_nor_ourselves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And nobody, where the run asks for no version."""
    leader, own, old, new = (PeerID(b"\x12\x20" + name * 32) for name in (b"a", b"b", b"c", b"d"))
    swarm: Any = SimpleNamespace(peer_id=own.to_base58(), dht=None)
    barred = list[frozenset[str]]()
    monitor: Any = PeerMonitor.__new__(PeerMonitor)
    monitor._swarm, monitor._run_id, monitor._believed = swarm, RUN_ID, frozenset()
    monitor.gate = RunGate(swarm, tiny(), RunAuthority.of(tiny(), leader.to_base58()), b"")
    monitor._block_list = SimpleNamespace(poll=lambda authority: frozenset())
    reports = {bytes([key]): PeerReport(peer, 0, 0, 1.0, 0.0, True) for key, peer in enumerate((leader, own, old, new))}
    monitor._optimizer = SimpleNamespace(
        averagers=(),
        tracker=SimpleNamespace(reports=reports),
        bar=lambda peers: barred.append(monitor.gate.also_barred),
    )
    activities = {key: ActivityRecord(version="0.12" if key == b"\x03" else "0.9") for key in reports}
    monkeypatch.setattr(type(ACTIVITY), "read", lambda *_args, **_options: activities)
    for minimum in ("0.10", ""):
        participation: Any = SimpleNamespace(_peer_monitor=monitor)
        RunParticipation.require_version(participation, minimum)
        monitor._obey(frozenset())
    assert barred == [{old.to_base58()}, frozenset()]


@pytest.mark.parametrize("volunteers_version", ["0.10.0", "0.11", ""])
def test_who_reports_in_a_volunteers_name_and_says_an_older_version_has_nobody_left_out(
    volunteers_version: str,
) -> None:
    """In an open run anybody may sign a report in any peer's name, with a key of its own."""
    volunteer, old, stranger = (PeerID(b"\x12\x20" + name * 32) for name in (b"v", b"o", b"s"))
    named = {b"liar": volunteer, b"other liar": volunteer, b"volunteer": volunteer, b"old": old, b"stranger": stranger}
    reports = {key: PeerReport(peer, 0, 0, 1.0, 0.0, True) for key, peer in named.items()}
    versions = {b"liar": "0.9.3", b"other liar": "0.1", b"volunteer": volunteers_version, b"old": "0.9.3"}
    activities = {key: ActivityRecord(version=version) for key, version in versions.items()}
    assert outdated_peers(activities, reports, "0.10.0") == {old.to_base58()}
    del activities[b"volunteer"]  # which is not read yet, or says nothing of itself
    assert outdated_peers(activities, reports, "0.10.0") == {old.to_base58()}


def test_who_says_an_older_version_without_a_report_has_nobody_left_out() -> None:
    assert outdated_peers({b"liar": ActivityRecord(version="0.1")}, {}, "0.10.0") == frozenset()
