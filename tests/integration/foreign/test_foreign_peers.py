"""Scripts that have never heard of us train with us: they in our run, and we in theirs."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import tomli_w

from core.protocol.events import AnyEvent, Evaluated, RoundFinished
from core.protocol.peers import PeersSeen
from installer import lightning
from tests.support.real_peers import LineProcess, PeerGroup, averaged, tiny

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

Script = LineProcess[dict[str, Any]]
SCRIPTS = {
    "plain": ("tests.integration.foreign.hivemind_scripts", ("train",), sys.executable),
    "lightning": ("tests.integration.foreign.lightning_peer", (), str(lightning.PYTHON)),
}
PATIENCE_SECONDS = 240.0
SAME_EPOCHS = 2  # in which the parameters must be found equal
LOSS_TOLERANCE = 1e-3  # of an epoch's way: two sums of the same numbers differ in their last digits


def begin(group: PeerGroup, kind: str, *address: str) -> Script:
    """Such a script, in the run of that address or in one of its own; it trains."""
    folder = group.script_folder(kind)
    module, words, python = SCRIPTS[kind]
    script = group.cold.script(kind, module, *words, str(folder), *address, python=python)
    script.until(lambda said: "peer_id" in said)
    return script


def run_file(folder: Path) -> Path:
    """Their run, as somebody who wants to help has written it down."""
    tables = msgspec.to_builtins(tiny())
    for table in tables.values():
        if isinstance(table, dict):
            table.update({name: "none" for name, value in table.items() if value is None})
    path = folder / "run.toml"
    path.write_text(tomli_w.dumps(tables), encoding="utf-8")
    return path


def have_averaged(ours: LineProcess[AnyEvent], script: Script) -> None:
    """Each says that the other was in a round, and ours sees who that was."""
    since = len(ours.said)
    script.until(lambda said: said.get("round") == 2, since=len(script.said))
    ours.wait_for(RoundFinished, averaged, since=since)
    theirs = script.until(lambda said: "peer_id" in said)["peer_id"]
    ours.wait_for(PeersSeen, lambda seen: any(peer.peer_id == theirs for peer in seen.peers))


def agree(ours: LineProcess[AnyEvent], script: Script) -> None:
    """Some epochs end with the same parameters here and there: the held-out sums have the same loss.

    Not every epoch: ours may look between the step and the averaging of the parameters.
    """
    deadline, here = time.monotonic() + PATIENCE_SECONDS, len(ours.said)
    while len(same := list(same_epochs(ours.all(Evaluated, here), script))) < SAME_EPOCHS:
        assert time.monotonic() < deadline, f"the same in {same}"
        ours.wait_for(Evaluated, since=len(ours.said))


def same_epochs(evaluated: list[Evaluated], script: Script) -> Iterator[int]:
    """Those of ours after which the script has had our very loss."""
    theirs = [said["loss"] for said in script.said if "loss" in said]
    before = math.nan
    for event in evaluated:
        loss = math.nan if event.loss is None else event.loss
        nearest = min((abs(loss - each) for each in theirs), default=math.inf)
        if nearest <= LOSS_TOLERANCE * abs(loss - before):
            yield event.epoch
        before = loss


@pytest.mark.parametrize("kind", SCRIPTS)
def test_a_script_that_knows_nothing_of_us_trains_in_our_run(group: PeerGroup, kind: str) -> None:
    organiser = group.organiser()
    script = begin(group, kind, organiser.posted)
    have_averaged(organiser, script)
    agree(organiser, script)


@pytest.mark.parametrize(
    ("kind", "network"), [("plain", "direct"), pytest.param("lightning", "client", marks=pytest.mark.faults)]
)
def test_a_volunteer_trains_in_the_run_of_a_script_that_knows_nothing_of_us(
    group: PeerGroup, kind: str, network: Any, tmp_path: Path
) -> None:
    script = begin(group, kind)
    address = script.until(lambda said: "address" in said)["address"]
    volunteer = group.client(address, "volunteer", network, recipe=run_file(tmp_path))
    have_averaged(volunteer, script)
    agree(volunteer, script)
