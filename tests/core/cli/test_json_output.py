"""`--json`: a JSON object a line on stdout and nothing else, for every command and for errors too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.run.run_file import template
from tests.support.cli_process import ADDRESS, LINK, Result, failing, fake, found, reciting, run_found, workerbee

PUBLISHED = {"event": "published", "addresses": [ADDRESS], "link": LINK, "revision": 1}
TRAINING = {"event": "training_started", "device": "cpu", "epoch": 0, "parameters": 10}
PROGRESS = {
    "event": "progress", "epoch": 8, "samples": 40, "target": 100, "samples_per_second": 5.0,
    "swarm_samples_per_second": 5.0, "peers": 2, "clients": 0, "loss": 1.5, "contributed_samples": 40,
}  # fmt: skip


def objects(result: Result) -> list[dict[str, Any]]:
    """Every line of stdout, each of which must be an object that says what it is."""
    lines = [json.loads(line) for line in result.out.splitlines()]
    assert all(line["event"] for line in lines)
    return lines


def test_run_new_and_check_print_one_object(tmp_path: Path) -> None:
    (written,) = objects(workerbee(tmp_path, "run", "new", "mine.toml", "--json"))
    assert written == {"event": "run_file_written", "file": "mine.toml"}
    (checked,) = objects(workerbee(tmp_path, "run", "check", "mine.toml", "--json"))
    assert (checked["event"], checked["file"]) == ("run_file_checked", "mine.toml")
    assert checked["parameters"] > 0 and checked["download_bytes"] > 0 and isinstance(checked["hints"], list)
    assert checked["rounds"] == []
    (on_a_line,) = objects(workerbee(tmp_path, "run", "check", "mine.toml", "--line", "20/100", "--json"))
    assert [each["volunteers"] for each in on_a_line["rounds"]] == [2, 8, 32]
    assert all(0 < each["training_share"] <= 1 and each["rounds_per_day"] > 0 for each in on_a_line["rounds"])


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("run", "check", "missing.toml"), "run_file_wrong"),
        (("run", "fly"), "usage"),
        (("publish", "missing.toml"), "run_file_wrong"),
        (("swarm", "missing.toml"), "run_file_wrong"),
        (("engine", "make"), "usage"),
        (("help", "nonsense"), "usage"),
        (("join", "hello", "--yes"), "address_unreadable"),
        (("inspect", "hello"), "address_unreadable"),
    ],
)
def test_an_error_is_the_event_failed(tmp_path: Path, words: tuple[str, ...], problem: str) -> None:
    result = workerbee(tmp_path, *words, "--json")
    (failed,) = objects(result)
    assert (failed["event"], failed["problem"]) == ("failed", problem)
    assert result.code != 0 and "workerbee: " in result.err


def test_a_swarms_events_have_the_name_of_their_peer(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(template())
    play = {"publish": [[PUBLISHED]], **found(run_found())}
    play["join"].append([TRAINING, PROGRESS])
    words = ("swarm", "run.toml", "--peers", "3", "--epochs", "3", "--json")
    result = workerbee(tmp_path, *words, worker=reciting(tmp_path, play))
    assert result.code == 0, result
    told = {(line["peer"], line["event"]) for line in objects(result)}
    assert {("organiser", "published"), ("volunteer 1", "progress"), ("volunteer 2", "left")} <= told
    assert "volunteer 2: Helped for 8 epochs" in result.err


def test_a_swarm_that_fails_ends_with_the_event_failed(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(template())
    result = workerbee(tmp_path, "swarm", "run.toml", "--json", worker=reciting(tmp_path, failing("port_taken", "So.")))
    last = objects(result)[-1]
    assert result.code == 7
    assert (last["event"], last["problem"], last["detail"]) == ("failed", "port_taken", "The organiser: So.")
    assert "peer" not in last


def test_a_dry_run_that_fails_is_a_warning(tmp_path: Path) -> None:
    play = found(run_found()) | {"dry_run": [[{"event": "failed", "problem": "fit_unknown"}, {"exit": 0}]]}
    result = workerbee(tmp_path, "inspect", ADDRESS, "--device", "cpu", "--json", worker=reciting(tmp_path, play))
    assert result.code == 0
    warned = [line["problem"] for line in objects(result) if line["event"] == "warned"]
    assert warned == ["fit_unknown"]


def test_reset_lists_what_it_deletes(tmp_path: Path) -> None:
    history = tmp_path / "home" / "data" / "history.db"
    history.parent.mkdir(parents=True)
    history.write_bytes(b"x" * 1000)
    (refused,) = objects(workerbee(tmp_path, "reset", "--json"))
    assert (refused["event"], refused["problem"]) == ("failed", "usage")
    assert history.exists()
    (deleted,) = objects(workerbee(tmp_path, "reset", "--yes", "--json"))
    assert deleted == {
        "event": "reset",
        "deleted": True,
        "categories": [{"category": "history", "bytes": 1000, "paths": [str(history)]}],
    }
    assert not history.exists()
    (nothing,) = objects(workerbee(tmp_path, "reset", "--yes", "--json"))
    assert nothing == {"event": "reset", "deleted": False, "categories": []}


def test_engine_and_help_print_one_object(tmp_path: Path) -> None:
    (engine,) = objects(workerbee(tmp_path, "engine", "--json"))
    assert (engine["event"], engine["build"]) == ("engine", "checkout")
    (removed,) = objects(workerbee(tmp_path, "engine", "remove", "--json"))
    assert (removed["event"], removed["bytes"]) == ("engine_removed", 0)
    (document,) = objects(workerbee(tmp_path, "help", "security", "--json"))
    assert (document["event"], document["topic"]) == ("document", "security") and document["markdown"]


def test_doctors_findings_are_objects_too(tmp_path: Path) -> None:
    result = workerbee(tmp_path, "doctor", "--json", worker=fake(tmp_path, "die_before_hello"))
    findings = {line["subject"]: line for line in objects(result) if line["event"] == "finding"}
    assert findings["engine"]["state"] == "bad" and findings["engine"]["advice"]
    assert {"Python", "disk", "clock"} <= findings.keys()
    assert result.code == 7


@pytest.mark.parametrize(
    "command",
    ["join", "inspect", "publish", "swarm", "demo", "doctor", "reset", "forget", "help", "run new", "run check",
     "engine", "engine make", "engine remove"],
)  # fmt: skip
def test_the_help_of_every_command_explains_the_switch(tmp_path: Path, command: str) -> None:
    result = workerbee(tmp_path, *command.split(), "--help")
    assert result.code == 0 and "--json" in result.out and "JSON object" in " ".join(result.out.split())
