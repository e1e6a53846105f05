"""What volunteers choose to tell of themselves: who is named in a model's card, who is no longer, and from where."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from core.fleet.snapshot import FleetSnapshot
from core.protocol.events import CheckpointSaved
from core.protocol.types import Disclosure
from core.records.published.contributors import NamedPeer
from tests.support.cli_process import workerbee
from tests.support.real_peers import LOOK_SECONDS, PATIENCE_SECONDS, RUN_ID, LineProcess, Peer, PeerGroup

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(1500)]

AGREES = Disclosure(may_be_named=True)
HOSTILE = "`[x](http://e.example) |<b>\u202e"
EXPORT_SECONDS = 300


def agreeing(folder: Path, is_so: Callable[[dict[str, int]], bool]) -> dict[str, int]:
    """The samples of whoever the organiser may name, by name, as soon as that is so."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    found: dict[str, int] = {}
    while time.monotonic() < deadline:
        file = folder / "contributors.json"
        kept = msgspec.json.decode(file.read_bytes(), type=dict[str, NamedPeer]) if file.exists() else {}
        found = {each.name: each.samples for each in kept.values()}
        if is_so(found):
            return found
        time.sleep(LOOK_SECONDS)
    pytest.fail(f"that has not come: {found}")


def volunteer(group: PeerGroup, organiser: Peer, name: str, disclosure: Disclosure) -> Peer:
    """Somebody who trains, and tells that."""
    peer = group.seeker(organiser.posted, name[:3])
    peer.agree(name, disclosure=disclosure)
    return peer


def card(group: PeerGroup, folder: Path, tmp_path: Path) -> str:
    """The model card of an export from a copy of the run's folder, as on another computer."""
    copy, model = tmp_path / "copy", tmp_path / "model"
    shutil.copytree(folder, copy)
    words = ("export", str(copy), "--to", str(model))
    done = workerbee(tmp_path, *words, worker=[sys.executable, "-m", "core.worker"], limit_seconds=EXPORT_SECONDS)
    assert done.code == 0, done.err
    return (model / "README.md").read_text("utf-8")


def test_a_card_names_who_agreed_with_their_samples_nobody_else_and_nobody_who_withdraws(
    group: PeerGroup, tmp_path: Path
) -> None:
    organiser = group.organiser()
    folder = organiser.home / "data" / "organiser" / RUN_ID
    ada = volunteer(group, organiser, "Ada", Disclosure(may_be_named=True, country="DE"))
    volunteer(group, organiser, "Ben", Disclosure())
    hostile = volunteer(group, organiser, HOSTILE, AGREES)
    shown = HOSTILE.removesuffix("\u202e")
    agreeing(folder, lambda found: found.keys() == {"Ada", shown} and min(found.values()) > 0)
    assert (folder / "contributors.json").stat().st_mode & 0o777 == 0o600
    organiser.wait_for(CheckpointSaved)

    told = card(group, folder, tmp_path)
    contributors = told.partition("## Contributors")[2].partition("## Licence")[0]
    kept = agreeing(tmp_path / "copy", lambda found: True)
    assert f"- {kept['Ada']:,} samples: `Ada`\n" in contributors
    assert f"- {kept[shown]:,} samples: `{shown.replace('`', chr(39))}`\n" in contributors
    assert "Ben" not in told and contributors.count("\n- ") == 2

    command = [sys.executable, "-m", "core.cli", "fleet", organiser.posted, "--json"]
    watcher = LineProcess(
        command,
        tmp_path / "watch.log",
        lambda line: msgspec.json.decode(line, type=FleetSnapshot),
        WORKERBEE_HOME=str(tmp_path / "somebody"),
    )
    try:
        fleet = watcher.until(lambda each: len(each.totals.countries) > 0 and len(each.peers) == 4)
    finally:
        watcher.end()
    assert [(each.name, each.peers) for each in fleet.totals.countries] == [("DE", 1)]
    assert {peer.name: peer.country for peer in fleet.peers} == {"Ada": "DE", "Ben": "", shown: "", "": ""}

    assert hostile.leave() == 0
    assert ada.leave() == 0
    volunteer(group, organiser, "Ada", Disclosure())
    agreeing(folder, lambda found: found.keys() == {shown})
