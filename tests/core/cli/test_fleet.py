"""`workerbee fleet` with a worker that recites what an observer's worker tells, and `fleet --replay` without any."""

from __future__ import annotations

import json
import time
import urllib.request
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from core.cli.output.fleet_view import fleet_picture
from core.fleet.history import FleetHistory
from core.fleet.log import FleetLog, read_log
from core.fleet.snapshot import FleetSnapshot
from core.protocol.events import RunScored
from core.protocol.peers import FleetHealth, PeerPower, PeersSeen, SuspectsSeen
from core.protocol.types import Event
from core.run.run_file import parse_run_file, template
from core.run.signed_scores import Score
from tests.core.cli.terminal import Terminal
from tests.core.fleet.exposition_format import parse
from tests.core.fleet.made_up_fleets import HOSTILE, NOON, POORLY, peer, run_found, snapshot
from tests.support.cli_process import ADDRESS, LIMIT_SECONDS, LINK, Play, Result, failing, found, reciting, workerbee
from tests.support.computer.loopback import free_port
from tests.support.environment.x11_desktop import wait_for


def plain(event: Event) -> dict[str, Any]:
    """The event as the worker writes it."""
    written: dict[str, Any] = json.loads(msgspec.json.encode(event, enc_hook=str))
    return written


def fleet_of(*events: Event, state: str = "open") -> Play:
    """A swarm with one run, whose observer tells of that before it has finished its search."""
    first, end = found(plain(run_found(state=state)))["join"][0]
    return {"join": [[first, *map(plain, events), end]]}


SEEN = PeersSeen(peers=(peer(0, name="Ada"), peer(1, name=HOSTILE[:40]), peer(2)), loss=1.25)


def once(folder: Path, *words: str, play: Play | None = None) -> Result:
    """`workerbee fleet --once`."""
    worker = reciting(folder, play or fleet_of(SEEN, SuspectsSeen(suspects=(), blocked=("12D3KooWblocked",))))
    return workerbee(folder, "fleet", ADDRESS, "--once", *words, worker=worker)


def test_a_peer_that_computes_less_than_a_sample_a_second_is_not_told_as_idle(tmp_path: Path) -> None:
    slow = msgspec.structs.replace(peer(0, name="Ada"), samples_per_second=0.054)
    done = once(tmp_path, play=fleet_of(PeersSeen(peers=(slow,))))
    (row,) = [line for line in done.out.splitlines() if "Ada" in line]
    assert "0.054/s" in row


def test_once_as_json_is_one_snapshot(tmp_path: Path) -> None:
    done = once(tmp_path, "--json")
    (line,) = done.out.splitlines()
    seen = msgspec.json.decode(line, type=FleetSnapshot)
    assert (done.code, seen.run_id, seen.totals.peers, seen.totals.outgoing, seen.epoch) == (0, "sums", 3, 1, 3)
    assert seen.blocked == ("12D3KooWblocked",)
    assert abs(seen.at - time.time()) < 60


def test_once_for_people_shows_sums_and_every_peer(tmp_path: Path) -> None:
    score = RunScored(latest=Score(epoch=3, loss=1.125, at=NOON))
    done = once(tmp_path, play=fleet_of(SEEN, score, state="paused"))
    assert done.code == 0, done.err
    for words in ("Sums", "paused", "3 (2 direct, 1 outgoing)", "300 of 1,000", "3 × CPU, 0/s", "Ada", "1.12"):
        assert words in done.out, (words, done.out)
    assert "30/s" not in done.out and "30/s" in once(tmp_path).out
    assert "15 whole, 3 partial, 6 failed" in done.out
    assert "\x1b" not in done.out and "\u202e" not in done.out


def test_what_the_peers_draw_and_its_price_is_shown_and_how_many_do_not_tell(tmp_path: Path) -> None:
    drawing = PeersSeen(peers=(peer(0, power=PeerPower(watts=412, joules=4_320_000)), peer(1), peer(2)))
    done = once(tmp_path, "--price", "0.30", "--log", "fleet.log", play=fleet_of(drawing))
    assert "412 W of the 1 of 3 peers that tell, 1.2 kWh so far" in done.out, done
    assert "at 0.30 a kWh: 0.36 so far" in done.out
    again = workerbee(tmp_path, "fleet", "--replay", "fleet.log", "--price", "7")
    assert "1.2 kWh so far" in again.out and "at 7.00 a kWh: 8.40 so far" in again.out
    silent = once(tmp_path, "--price", "0.30")
    assert "no peer tells what it draws" in silent.out and "a kWh" not in silent.out
    assert "energy" not in once(tmp_path).out


def test_a_terminal_shows_a_live_picture_until_q_and_log_page_and_metrics_are_written(
    terminals: list[Terminal], tmp_path: Path
) -> None:
    port = free_port()
    words = ["fleet", ADDRESS, "--log", "fleet.log", "--page", "page", "--metrics", str(port)]
    terminals.append(Terminal(tmp_path, words, reciting(tmp_path, fleet_of(SEEN))))
    terminals[0].wait_for("3 (2 direct, 1 outgoing)")
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
        assert parse(answer.read())["workerbee_epoch"].samples == {frozenset({("run", "sums")}): 3.0}
    terminals[0].type("q")
    assert terminals[0].end() == 0 and terminals[0].is_as_before
    assert [each.totals.peers for each in read_log(tmp_path / "fleet.log")] == [3]
    names = {path.name for path in (tmp_path / "page").iterdir()}
    assert names == {"index.html", "status.json", "loss.svg", "speed.svg", "peers.svg"}


def test_a_swarm_that_is_lost_after_it_was_seen_is_told_and_looked_for_again(
    terminals: list[Terminal], tmp_path: Path
) -> None:
    play = fleet_of(SEEN)
    failed = {"event": "failed", "problem": "nobody_answers", "detail": "The line is cut."}
    play["join"][0] += [{"when": str(tmp_path / "fleet.log")}, failed, {"exit": 1}]
    words = ["fleet", ADDRESS, "--log", "fleet.log"]
    terminals.append(Terminal(tmp_path, words, reciting(tmp_path, play)))
    terminals[0].wait_for("The line is cut.")
    terminals[0].type("q")
    assert terminals[0].end() == 0 and terminals[0].is_as_before


def test_a_page_that_cannot_be_written_is_told_and_the_fleet_is_shown_all_the_same(tmp_path: Path) -> None:
    done = once(tmp_path, "--page", "/proc/page")
    assert done.code == 0 and "Ada" in done.out
    assert "/proc/page" in done.err and "Traceback" not in done.err


def test_a_run_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    done = once(tmp_path, "--json", play=failing("nobody_answers"))
    assert done.code != 0 and json.loads(done.out)["problem"] == "nobody_answers"


@pytest.mark.parametrize(
    "words",
    [
        (),
        (ADDRESS, "--at", "90m"),
        ("--replay", "x", ADDRESS),
        ("--replay", "x", "--once"),
        ("--replay", "x", "--at", "noon"),
        ("--replay", "x", "--metrics", "9464"),
        (ADDRESS, "--once", "--metrics", "9464"),
        (ADDRESS, "--metrics", "80"),
        (ADDRESS, "--once", "--json", "--price", "0.30"),
        (ADDRESS, "--price", "0"),
        (ADDRESS, "--price", "cheap"),
        ("--replay", "missing.log"),
    ],
)
def test_what_does_not_go_together_or_is_not_there_is_refused_in_words(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = workerbee(tmp_path, "fleet", *words)
    assert done.code == 2 and "Traceback" not in done.err, done


def test_a_log_shows_the_fleet_of_any_moment_of_the_past(tmp_path: Path) -> None:
    log = FleetLog(tmp_path / "fleet.log")
    for number in range(4):
        log.add(snapshot(*map(peer, range(number + 1)), at=NOON + 3600 * number))
    when = datetime.fromtimestamp(NOON + 1.5 * 3600).isoformat(sep=" ")
    done = workerbee(tmp_path, "fleet", "--replay", "fleet.log", "--at", when, "--json", "--page", "page")
    assert msgspec.json.decode(done.out, type=FleetSnapshot) == snapshot(peer(0), peer(1), at=NOON + 3600)
    assert json.loads((tmp_path / "page" / "status.json").read_text())["at"] == NOON + 3600
    assert "4 (3 direct, 1 outgoing)" in workerbee(tmp_path, "fleet", "--replay", "fleet.log").out
    early = workerbee(tmp_path, "fleet", "--replay", "fleet.log", "--at", "2001-01-01 12:00")
    assert early.code == 2 and "begins later" in early.err


def test_a_large_fleet_fits_into_a_small_terminal() -> None:
    from io import StringIO

    from rich.console import Console

    stream = StringIO()
    seen = snapshot(*(peer(number, device=f"GPU {number}") for number in range(1000)))
    Console(file=stream, width=80, height=24, markup=False).print(fleet_picture(seen, FleetHistory([seen]), 24))
    lines = stream.getvalue().splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80
    assert lines[-1].startswith("and 99") and lines[-1].endswith(" more")


@pytest.mark.parametrize(("width", "left_out"), [(60, "device connection"), (76, "device"), (80, "")])
def test_a_narrow_terminal_shows_fewer_columns_of_peers_and_cuts_none(width: int, left_out: str) -> None:
    from io import StringIO

    from rich.console import Console

    stream = StringIO()
    seen = snapshot(*(peer(number, name="Ada", device="NVIDIA GeForce RTX 4090") for number in range(3)))
    Console(file=stream, width=width, markup=False).print(fleet_picture(seen, FleetHistory([seen]), 40))
    heading, *rows = stream.getvalue().splitlines()[-4:]
    headings = ("peer", "name", "device", "epoch", "samples", "samples/s", "connection")
    assert [each for each in headings if each not in heading.split()] == left_out.split()
    assert len(rows) == 3 and all("10/s" in row for row in rows) and "…" not in heading


def test_why_rounds_were_not_whole_and_whether_newcomers_come_in_is_shown() -> None:
    from io import StringIO

    from rich.console import Console

    shown = {}
    for name, health in (("poorly", POORLY), ("unknown", FleetHealth()), ("well", FleetHealth(reached=2))):
        stream = StringIO()
        seen = msgspec.structs.replace(snapshot(peer(0), peer(1)), health=health)
        Console(file=stream, width=140, height=40, markup=False).print(fleet_picture(seen, FleetHistory([seen]), 40))
        shown[name] = stream.getvalue()
    assert "no other peer was found in time: 3 peers" in shown["poorly"] and "\x1b" not in shown["poorly"]
    assert "1 of 3 peers could connect" in shown["poorly"] and "--announce" in shown["poorly"]
    assert "nobody has tried yet" in shown["unknown"] and "2 of 2 peers could connect" in shown["well"]


def test_an_organiser_answers_prometheus_from_its_own_process(terminals: list[Terminal], tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_bytes(template().encode())
    run_id = parse_run_file(template()).run.id
    published = {"event": "published", "addresses": [ADDRESS], "link": LINK, "revision": 1}
    play = {"publish": [[published, plain(PeersSeen(peers=(peer(0), peer(1)), loss=1.25))]]}
    port = free_port()
    words = ["publish", "run.toml", "--no-train", "--metrics", str(port)]
    terminals.append(Terminal(tmp_path, words, reciting(tmp_path, play)))

    def seen() -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
                families = parse(answer.read())
        except OSError:  # it does not listen yet, or has not seen its fleet
            return False
        assert families["workerbee_peers"].samples[frozenset({("run", run_id), ("connection", "direct")})] == 2.0
        (about,) = families["workerbee_run_info"].samples
        assert ("organiser", ADDRESS.rpartition("/")[2]) in about
        return True

    wait_for(seen, "the organiser's figures", LIMIT_SECONDS)
    terminals[0].type("q")
    assert terminals[0].end() == 0
