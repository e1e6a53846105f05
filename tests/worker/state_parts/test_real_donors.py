"""A newcomer's base weights from several real donors at once, of whom one lies, one hangs, and one never ends."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from core.worker.swarm.state_parts.line_share import SHARE
from tests.support.peers.state_peers import MEASURED
from tests.support.real_peers import LineProcess, PeerGroup

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(600)]

ROLES = "donor,liar,hanging,flooding,newcomer"
NUMBERS = 500_000  # three megabytes of weights and momentum
STATE_BYTES = 6  # a number: the weight, and its momentum in bfloat16


def is_from(role: str, said: dict[str, Any]) -> bool:
    """Whether it is a donor of that role that says where it is found."""
    return said.get("role") == role


def started(group: PeerGroup, folder: Path, roles: str) -> LineProcess[dict[str, Any]]:
    """Peers of these roles, which keep their files in that folder."""
    words = (roles, str(folder), str(NUMBERS), "/ip4/127.0.0.1/tcp/0")
    return group.script("peers", "tests.support.peers.state_peers", *words)


def test_a_newcomer_gets_the_very_weights_although_others_lie_hang_and_flood(group: PeerGroup, tmp_path: Path) -> None:
    script = started(group, tmp_path, f"quick,{ROLES}")
    script.until(lambda said: "ready" in said)
    donors = {role: script.until(partial(is_from, role)) for role in ROLES.split(",")[:-1]}
    script.stdin.write(b"\n")
    script.stdin.flush()
    got = script.until(lambda said: "seconds" in said)
    assert {said["root"] for said in donors.values()} == {got["root"]}
    assert (got["steps"], got["epoch"]) == (12, 12)
    assert got["received"] < 1.5 * STATE_BYTES * NUMBERS
    log = (tmp_path / "newcomer" / "log").read_text()
    assert f"of {len(donors)} donors have a state of 12 parts" in log
    assert all(f"the donor {donors[role]['peer']} is left out: part" in log for role in ("liar", "flooding"))
    assert log.count("is left out") == 2


def test_donors_of_other_weights_than_were_signed_are_refused_and_named_although_they_are_most(
    group: PeerGroup, tmp_path: Path
) -> None:
    roles = "donor,forger,forger,newcomer-sure"
    script = started(group, tmp_path, roles)
    script.until(lambda said: "ready" in said)
    donor = script.until(partial(is_from, "donor"))
    first = script.until(partial(is_from, "forger"))
    second = script.until(partial(is_from, "forger"), since=1 + script.said.index(first))
    script.stdin.write(b"\n")
    script.stdin.flush()
    got = script.until(lambda said: "seconds" in said)
    assert first["root"] == second["root"] != donor["root"] == got["root"]
    refused = [said["refused"] for said in script.said if "refused" in said]
    assert refused and {peer for peer, _why in refused} <= {first["peer"], second["peer"]}
    assert all(f"after {got['steps']} outer steps are not those that were signed" in why for _peer, why in refused)


def test_the_untrained_state_of_another_newcomer_is_no_lie_in_a_run_that_was_taken_back(
    group: PeerGroup, tmp_path: Path
) -> None:
    roles = "taken-back,untrained,newcomer"
    script = started(group, tmp_path, roles)
    script.until(lambda said: "ready" in said)
    script.until(partial(is_from, "untrained"))
    script.stdin.write(b"\n")
    script.stdin.flush()
    script.until(lambda said: said.get("offered") is True)
    assert not [said for said in script.said if "refused" in said or "seconds" in said]


def test_two_newcomers_together_get_their_share_of_a_measured_line(group: PeerGroup, tmp_path: Path) -> None:
    roles = "measured,newcomer,newcomer-2"
    script = started(group, tmp_path, roles)
    donor = script.until(partial(is_from, "measured"))
    for place in (0, 1 + script.said.index(script.until(lambda said: "ready" in said))):
        script.until(lambda said: "ready" in said, since=place)
    script.stdin.write(b"\n\n")
    script.stdin.flush()
    first = script.until(lambda said: "seconds" in said)
    second = script.until(lambda said: "seconds" in said, since=1 + script.said.index(first))
    assert donor["root"] == first["root"] == second["root"]
    both_bits = 2 * 8 * STATE_BYTES * NUMBERS
    assert max(first["seconds"], second["seconds"]) > 0.9 * both_bits / (SHARE * MEASURED)
