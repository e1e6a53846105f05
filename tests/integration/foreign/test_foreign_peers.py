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

from core.protocol.events import AnyEvent, Evaluated, Progress, RoundFinished
from core.protocol.peers import PeersSeen
from installer import lightning
from tests.support.fault_injection import freeze
from tests.support.peers.learning_rows import local_sgd_run
from tests.support.real_peers import PATIENCE_SECONDS, LineProcess, Peer, PeerGroup, averaged, tiny

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

Script = LineProcess[dict[str, Any]]
SCRIPTS = {
    "plain": ("tests.integration.foreign.hivemind_scripts", ("train",), sys.executable),
    "lightning": ("tests.integration.foreign.lightning_peer", (), str(lightning.PYTHON)),
}
ROUNDS = 3  # in a row
SAME_EPOCHS = 2  # in which the parameters must be found equal
SILENT_SECONDS = 20.0  # an exchange is given up after 15 s of silence
SOON_SECONDS = 2.0  # before the end of an epoch; a group is open for 3 s
LOSS_TOLERANCE = 1e-3  # of an epoch's way: two sums of the same numbers differ in their last digits


def begin(group: PeerGroup, kind: str, *address: str, home: str = "") -> Script:
    """Such a script, in the run of that address or in one of its own; it trains."""
    home = home or kind
    folder = group.script_folder(home)
    module, words, python = SCRIPTS[kind]
    script = group.cold.script(home, module, *words, str(folder), *address, python=python)
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
    theirs = peer_id_of(script)
    ours.wait_for(PeersSeen, lambda seen: any(peer.peer_id == theirs for peer in seen.peers))


def agree(ours: LineProcess[AnyEvent], script: Script) -> None:
    """Some epochs end with the same parameters here and there: the held-out sums have the same loss.

    Not every epoch: ours may look between the step and the averaging of the parameters.
    """
    deadline, here = time.monotonic() + PATIENCE_SECONDS, len(ours.said)
    while len(same := list(same_epochs(ours.all(Evaluated, here), script))) < SAME_EPOCHS:
        assert time.monotonic() < deadline, f"the same in {same}; {failed_rounds(ours, here)}; {script.said[-40:]}"
        ours.wait_for(Evaluated, since=len(ours.said))


def failed_rounds(ours: LineProcess[AnyEvent], since: int) -> list[RoundFinished]:
    """Those of ours that were not whole, for whoever reads why a test has failed."""
    return [each for each in ours.all(RoundFinished, since) if not each.ok]


def peer_id_of(script: Script) -> str:
    """As it has told it when it began."""
    return str(script.until(lambda said: "peer_id" in said)["peer_id"])


def goes_silent(script: Script, ours: LineProcess[AnyEvent]) -> None:
    """The script stands still at the ends of epochs, until ours has had no answer of it in the midst of an exchange."""
    theirs, since = peer_id_of(script), len(ours.said)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not any(theirs in each.unreached for each in ours.all(RoundFinished, since)):
        assert time.monotonic() < deadline, "each exchange with it was whole, or none began"
        ours.wait_for(Progress, averages_soon, since=len(ours.said), seconds=PATIENCE_SECONDS)
        freeze(script.family, SILENT_SECONDS)


def averages_soon(event: Progress) -> bool:
    """Whether the members of the next round's group are about to find each other."""
    return event.next_step_seconds is not None and event.next_step_seconds < SOON_SECONDS


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


def whole_rounds(peer: Peer, since: int) -> None:
    """Wait until it has averaged what it has changed with one other peer some times in a row since it has said that."""
    while True:
        rounds = [each for each in peer.all(RoundFinished, since) if each.kind == "changes"][-ROUNDS:]
        if len(rounds) == ROUNDS and all(averaged(each) and each.peers == 2 for each in rounds):
            return
        peer.wait_for(RoundFinished, since=len(peer.said))


@pytest.mark.faults
def test_a_script_that_averages_gradients_under_the_id_of_a_run_with_local_sgd_is_no_part_of_it(
    group: PeerGroup,
) -> None:
    """Its samples would end the others' rounds, and without it they would have no quorum."""
    organiser = group.organiser(manifest=msgspec.structs.replace(local_sgd_run(), run=tiny().run))
    volunteer = group.volunteer(organiser.posted, "volunteer")
    scripts = [begin(group, "plain", organiser.posted, home=home) for home in ("one", "other")]
    for script in scripts:
        script.until(lambda said: said.get("round") == 2)
    for peer in (organiser, volunteer):
        whole_rounds(peer, len(peer.said))
        seen = peer.wait_for(PeersSeen, since=len(peer.said))
        assert {each.peer_id for each in seen.peers} == {organiser.peer_id, volunteer.peer_id}
        first, *_, last = (event.loss for event in peer.all(Evaluated))
        assert first is not None and last is not None and last < first


@pytest.mark.parametrize("kind", ["plain", pytest.param("lightning", marks=pytest.mark.faults)])
def test_a_script_that_knows_nothing_of_us_trains_in_our_run(group: PeerGroup, kind: str) -> None:
    organiser = group.organiser()
    script = begin(group, kind, organiser.posted)
    have_averaged(organiser, script)
    agree(organiser, script)


@pytest.mark.faults
def test_a_script_that_did_not_answer_for_a_while_trains_in_our_run_again(group: PeerGroup) -> None:
    """Left out as a reducer, as one of ours would be, it would go on sending parts of other sizes, for ten minutes."""
    organiser = group.organiser()
    script = begin(group, "plain", organiser.posted)
    have_averaged(organiser, script)
    goes_silent(script, organiser)
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
