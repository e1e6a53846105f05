"""Who leaves a run that is brought to a stop, who is too old for it, and whom the others leave out for that."""

from __future__ import annotations

import pytest
from hivemind.p2p import PeerID

from core.run.steering.control_value import ControlValue, Order, OrderState
from core.version import own_version
from core.worker.roles.steering.follower import is_dismissed, version_error
from core.worker.roles.steering.outdated import outdated_peers
from core.worker.swarm import ActivityRecord
from core.worker.swarm.dht.progress_reports import PeerReport


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


def test_a_run_that_asks_for_a_newer_version_says_which_one_it_needs() -> None:
    assert own_version() != "from source"
    error = version_error(ControlValue(run_id="sums", minimum_version="999.0"))
    assert str(error).startswith("It needs 999.0; this is ")
    for fine in ("", "0.0.1", own_version()):
        assert not version_error(ControlValue(run_id="sums", minimum_version=fine))


def test_whoever_says_an_older_version_is_left_out_and_who_says_none_is_not() -> None:
    peers = {name: PeerID(b"\x12\x20" + name * 32) for name in (b"a", b"b", b"c")}
    reports = {name: PeerReport(peer, 0, 0, 1.0, 0.0, True) for name, peer in peers.items()}
    versions = {b"a": "0.9.3", b"b": "0.10", b"c": ""}
    activities = {name: ActivityRecord(version=version) for name, version in versions.items()}
    assert outdated_peers(activities, reports, "0.10.0") == {peers[b"a"].to_base58()}
