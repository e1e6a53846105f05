"""`workerbee block` writes a list for the process that publishes, and nothing else; `peers` shows what was told."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from core.cli.output.peer_table import show_peers, show_suspects
from core.files.json_file import JsonFile
from core.files.locks import BLOCK_LIST_FILE, PeerFiles
from core.protocol.peers import PeerSeen, Suspect
from core.run.manifest import RunManifest
from core.security.identity import Identity
from tests.support.cli_process import workerbee
from tests.support.peers.fake_worker import manifest

LIAR = Identity.create().peer_id


def published(folder: Path, *runs: str) -> Path:
    """The organiser's folders of these runs, and one of a run whose publishing failed before it had begun."""
    organiser = folder / "home" / "data" / "organiser"
    for run in runs:
        (organiser / run).mkdir(parents=True)
        JsonFile[RunManifest](PeerFiles(organiser / run).manifest_file, RunManifest).write(manifest(run))
    (organiser / "failed").mkdir(parents=True)
    return organiser


def test_a_peer_is_blocked_for_some_time_shown_and_blocked_no_longer(tmp_path: Path) -> None:
    file = published(tmp_path, "sums") / "sums" / BLOCK_LIST_FILE
    done = workerbee(tmp_path, "block", LIAR, "--for", "2h")
    assert done.code == 0 and f"{LIAR} is blocked from sums until" in done.out, done
    (block,) = json.loads(file.read_text())["blocks"]
    assert block["until"] == pytest.approx(time.time() + 7200, abs=120)
    assert file.stat().st_mode & 0o077 == 0
    assert LIAR in workerbee(tmp_path, "block").out
    lifted = workerbee(tmp_path, "block", LIAR, "--lift").out
    assert "Nobody is blocked" in lifted and f"{LIAR} is no longer blocked from sums." in lifted
    assert f"{LIAR} was not blocked from sums." in workerbee(tmp_path, "block", LIAR, "--lift").out


@pytest.mark.parametrize(
    ("runs", "words", "why"),
    [
        ((), (LIAR,), "No run was published from here."),
        (("one", "two"), (LIAR,), "Several runs were published from here: one, two."),
        (("one",), (LIAR, "--run", "../one"), "was published from here"),
        (("one",), ("12D3KooWnobody",), "The peer id is 14 characters long"),
        (("one",), (LIAR, "--for", "soon"), "is not a time; write it as 45s, 10m, 1h30m or 7d"),
        (("one",), (LIAR, "--for", "1h", "--lift"), "Argument"),
    ],
)
def test_what_cannot_be_blocked_is_refused_in_words(
    tmp_path: Path, runs: tuple[str, ...], words: tuple[str, ...], why: str
) -> None:
    organiser = published(tmp_path, *runs)
    done = workerbee(tmp_path, "block", *words)
    assert done.code != 0 and why in done.err, done
    assert not list(organiser.rglob(BLOCK_LIST_FILE))


def text_of(*shown: object, width: int = 160) -> str:
    """What is printed."""
    stream = io.StringIO()
    console = Console(file=stream, width=width, markup=False)
    show, *values = shown
    show(console, *values)  # type: ignore[operator]
    return stream.getvalue()


def test_strangers_words_are_harmless_in_the_tables_and_counts_are_told_with_how_many_there_are() -> None:
    peer = PeerSeen(
        peer_id=LIAR, epoch=3, samples=1200, samples_per_second=9.5, client_mode=True, name="[bold]\x1b[31mx"
    )
    table = text_of(show_peers, (peer,))
    assert LIAR in table and "\x1b" not in table and "outgoing" in table
    suspects = (Suspect(peer_id=LIAR, named_by=2, rounds=7, refused_states=1),)
    table = text_of(show_suspects, suspects, (peer,) * 3, "sums")
    assert "2 of 3" in table and "workerbee block PEER --run sums" in table
    assert "None of 3 peers names anybody." in text_of(show_suspects, (), (peer,) * 3, "sums")
    assert "0.054/s" in text_of(show_peers, (msgspec.structs.replace(peer, samples_per_second=0.054),))
    assert "Nobody reports progress." in text_of(show_peers, ())


@pytest.mark.parametrize("show", [show_peers, show_suspects])
def test_a_peer_id_can_be_copied_whole_and_is_never_cut(show: Callable[..., None]) -> None:
    peer = PeerSeen(peer_id=LIAR, epoch=3, samples=1200, samples_per_second=9.5, client_mode=True)
    suspects = (Suspect(peer_id=LIAR, named_by=2, rounds=7, refused_states=1, found_out=1, worse=3, tries=5),)
    values = ((peer,),) if show is show_peers else (suspects, (peer,), "sums")
    assert all(LIAR in text_of(show, *values, width=width).split() for width in (40, 80, 110))
