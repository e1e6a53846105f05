"""The command line, as a real process with a worker that plays its part."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
import pytest

from core.engine.worker_command import command_of
from core.protocol.events import Failed, FitMeasured, Left, Progress, RunFound
from core.run.manifest import RunManifest
from core.run.run_file import template
from tests.support.checkout import ROOT
from tests.support.cli_process import (
    ADDRESS,
    LIMIT_SECONDS,
    LINK,
    Play,
    Result,
    argv,
    environment,
    failing,
    fake,
    found,
    peak_memory_bytes,
    reciting,
    run_found,
    workerbee,
)
from tests.support.peers import fake_worker

ENGINE_SECONDS = 240  # that a busy computer may take to load torch and hivemind
EVIL = "\x1b]0;owned\x07\x1b[2Jnice\r\x9b31m\u202ename[bold red]"


def assert_says(result: Result, code: int, *sentences: str) -> None:
    """It failed with that code, in words that people can use."""
    assert result.code == code, result
    assert "Traceback" not in result.out + result.err
    for sentence in sentences:
        assert sentence in result.err


@pytest.mark.parametrize(
    "words",
    [
        ("fly",),
        ("join",),
        ("join", ADDRESS, "--fast"),
        ("join", ADDRESS, "--yes", "--epochs", "0"),
        ("join", ADDRESS, "--yes", "--epochs", "3", "--for", "10m"),
        ("join", ADDRESS, "--yes", "--for", "soon"),
        ("join", ADDRESS, "--yes", "--network", "carrier-pigeon"),
        ("join", ADDRESS, "--yes", "--no-train", "--role", "both"),
        ("publish",),
        ("run", "check"),
    ],
)
def test_a_usage_error_is_a_sentence_with_advice(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert_says(workerbee(tmp_path, *words), 2, "workerbee --help")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("contributions", "--csv", "nowhere/table.csv"), "nowhere/table.csv: No such file or directory."),
        (("receipts", "export", "nowhere/mine.json"), "nowhere/mine.json: No such file or directory."),
        (("receipts", "verify", "mine.json", "--key", "abc"), "'abc' is not a key of 32 hexadecimal digits."),
        (("join", ADDRESS, "--invitation", "nowhere"), "nowhere cannot be read: No such file or directory."),
        (("catalogue", "sign", "list.toml", "--days", "4000"), "'4000' is more than 3650 days."),
        (("pause", "--for", "400d"), "'400d' is too long: a pause lasts 366 days at the most."),
        (("pauses", "--days", "1e9"), "'1e9' is not a number above 0, and a million at the most."),
        (("forget", "sums"), "No organiser of “sums” is known here. No other is, either."),
    ],
)
def test_a_file_or_a_name_that_is_none_is_named_with_the_reason(
    tmp_path: Path, words: tuple[str, ...], reason: str
) -> None:
    result = workerbee(tmp_path, *words)
    assert_says(result, 2, reason)
    assert "WORKERBEE_HOME" not in result.err and "--recipe" not in result.err and "Errno" not in result.err


def test_what_is_logged_is_not_for_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where the folder should be")
    result = workerbee(tmp_path, "runs")
    assert (result.out, result.err) == ("No run was published from here.\n", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no file that is always full")
def test_a_full_disk_below_the_output_is_no_accident(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        command = subprocess.run(
            argv(["help"], ()), env=environment(tmp_path), stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert command.returncode == 7 and command.stderr.startswith("workerbee: The disk is full."), command.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_command_without_its_usual_streams_does_its_work(tmp_path: Path, closed: str) -> None:
    quoted = shlex.join(argv(["run", "new", "run.toml", "--json"], ()))
    done = subprocess.run(
        ["sh", "-c", f"{quoted} {closed}"], cwd=tmp_path, env=environment(tmp_path), capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert (tmp_path / "run.toml").is_file()


@pytest.mark.parametrize("words", [("help",), ("contributions",), ("join", ADDRESS, "--yes", "--samples", "50")])
def test_who_reads_only_the_first_line_ends_the_command_quietly(tmp_path: Path, words: tuple[str, ...]) -> None:
    command = subprocess.Popen(
        argv(words, fake(tmp_path, "good")),
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        text=True,
    )
    assert command.stdout is not None
    command.stdout.close()
    _, told = command.communicate(timeout=LIMIT_SECONDS)
    assert command.returncode == 141 and "unexpected" not in told, told


def test_without_a_command_there_is_help(tmp_path: Path) -> None:
    result = workerbee(tmp_path)
    assert (result.code, result.err) == (0, "")
    assert "publish" in result.out and "doctor" in result.out


def test_the_version_is_told(tmp_path: Path) -> None:
    assert workerbee(tmp_path, "--version").out.startswith("workerbee ")


def test_a_text_that_is_no_address_ends_with_3(tmp_path: Path) -> None:
    assert_says(workerbee(tmp_path, "join", "hello", "--yes"), 3, "cannot be read", "“hello”", "12D3KooW")


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        ("nobody_answers", 4),
        ("no_such_run", 5),
        ("manifest_refused", 6),
        ("organiser_changed", 6),
        ("clock_wrong", 7),
        ("out_of_memory", 7),
    ],
)
def test_what_the_worker_fails_with_is_the_exit_code(tmp_path: Path, problem: str, code: int) -> None:
    worker = reciting(tmp_path, failing(problem, "It was like this."))
    assert_says(workerbee(tmp_path, "inspect", ADDRESS, worker=worker), code)


def test_a_worker_that_leaves_by_itself_has_not_done_its_work(tmp_path: Path) -> None:
    worker = reciting(tmp_path, {"join": [[{"event": "left"}, {"exit": 0}]]})
    assert_says(workerbee(tmp_path, "inspect", ADDRESS, worker=worker), 7, "worker.log")


def test_an_engine_that_does_not_start_ends_with_7_and_names_the_log(tmp_path: Path) -> None:
    result = workerbee(tmp_path, "join", ADDRESS, "--yes", worker=fake(tmp_path, "die_before_hello"))
    assert_says(result, 7, "engine", "worker.log", "workerbee engine make")


def test_a_swarm_without_a_run_ends_with_5(tmp_path: Path) -> None:
    worker = reciting(tmp_path, found())
    assert_says(workerbee(tmp_path, "inspect", ADDRESS, worker=worker), 5, "publishes no such run")


def test_another_run_than_the_wished_one_ends_with_5(tmp_path: Path) -> None:
    assert_says(workerbee(tmp_path, "join", ADDRESS, "--yes", "--run", "other"), 5, "other")


def test_of_several_runs_one_must_be_named(tmp_path: Path) -> None:
    worker = reciting(tmp_path, found(run_found(id="one"), run_found(id="two")))
    assert_says(workerbee(tmp_path, "join", ADDRESS, "--yes", worker=worker), 2, "one: ", "two: ", "--run ID")


def test_of_two_organisers_the_one_whom_the_address_vouches_for_is_meant(tmp_path: Path) -> None:
    stranger = {**run_found(name="Not this one"), "organiser": "12D3KooWstranger", "vouched": False}
    play = found(stranger, run_found())
    play["join"].append([{"event": "failed", "problem": "out_of_memory"}])
    result = workerbee(tmp_path, "join", ADDRESS, "--yes", worker=reciting(tmp_path, play))
    assert_says(result, 7)
    assert "Not this one" not in result.out and "Vouched for by the address" in result.out


@pytest.mark.parametrize("state", ["paused", "finished"])
def test_a_run_that_is_not_open_is_not_joined(tmp_path: Path, state: str) -> None:
    worker = reciting(tmp_path, found(run_found(state=state, notice="Thank you all")))
    assert_says(workerbee(tmp_path, "join", ADDRESS, "--yes", worker=worker), 5, state, "Thank you all")


def test_a_device_that_does_not_exist_ends_with_2(tmp_path: Path) -> None:
    result = workerbee(tmp_path, "join", ADDRESS, "--yes", "--device", "cuda:63")
    assert_says(result, 2, "does not have the device", "cpu")


def test_a_folder_that_cannot_be_written_ends_with_7(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("in the way")
    assert_says(workerbee(tmp_path, "join", ADDRESS, "--yes"), 7, "cannot be written", "home")


def test_nothing_starts_without_consent_where_nobody_can_be_asked(tmp_path: Path) -> None:
    result = workerbee(tmp_path, "join", ADDRESS, stdin="y\n")
    assert_says(result, 2, "--yes")
    assert not (tmp_path / "journal").exists()


def test_join_trains_to_its_limit_and_sums_up(tmp_path: Path) -> None:
    result = workerbee(tmp_path, "join", LINK, "--yes", "--samples", "50")
    assert result.code == 0
    assert [line for line in result.err.splitlines() if " cannot see anything here" not in line] == []
    assert "Others will see" in result.out and "IP address" in result.out
    assert "1 of 1 rounds averaged with others" in result.out.splitlines()[-1]


def test_a_time_limit_is_kept(tmp_path: Path) -> None:
    result = workerbee(tmp_path, "join", ADDRESS, "--yes", "--for", "1s")
    assert result.code == 0 and result.out.splitlines()[-1].startswith("Helped for 1 epoch")


def test_a_copied_terminal_line_is_an_address_too(tmp_path: Path) -> None:
    result = workerbee(tmp_path, "join", "--yes", "--samples", "10", "--initial_peers", ADDRESS, ADDRESS)
    assert result.code == 0, result


def test_json_is_events_and_nothing_else(tmp_path: Path) -> None:
    result = workerbee(tmp_path, "join", ADDRESS, "--yes", "--samples", "50", "--json")
    assert result.code == 0
    assert any(isinstance(event, RunFound) for event in result.events)
    assert any(isinstance(event, Progress) for event in result.events)
    assert isinstance(result.events[-1], Left)
    assert "Helped for" in result.err


def test_who_trains_waits_for_room_on_a_full_disk_and_who_only_looks_is_told(tmp_path: Path) -> None:
    worker = fake(tmp_path, "fail_with_a_full_disk", "good")
    result = workerbee(tmp_path, "join", ADDRESS, "--yes", "--samples", "10", "--always", worker=worker)
    assert result.code == 0, result
    assert "The disk is full (/data: No space left on device); attempt 1 starts in 2 s." in result.out
    looking = workerbee(tmp_path, "inspect", ADDRESS, worker=fake(tmp_path, "fail_with_a_full_disk"))
    assert_says(looking, 7, "The disk is full.", "/data: No space left on device.")


def test_json_tells_a_failure_once(tmp_path: Path) -> None:
    result = workerbee(tmp_path, "join", ADDRESS, "--yes", "--json", worker=fake(tmp_path, "fail_for_good"))
    failures = [event for event in result.events if isinstance(event, Failed)]
    assert [failure.problem for failure in failures] == ["nobody_answers"]
    assert_says(result, 4, "Nobody answers")


def test_json_tells_a_failure_that_no_worker_has_told(tmp_path: Path) -> None:
    result = workerbee(tmp_path, "join", "hello", "--yes", "--json")
    assert [event.problem for event in result.events if isinstance(event, Failed)] == ["address_unreadable"]


@pytest.mark.parametrize("command", [("inspect", ADDRESS), ("join", ADDRESS, "--yes"), ("join", ADDRESS)])
def test_a_strangers_words_cannot_command_the_terminal(tmp_path: Path, command: tuple[str, ...]) -> None:
    run = run_found(name=EVIL, description=EVIL, license=EVIL, homepage=EVIL, contact=EVIL, notice=EVIL)
    play = found(run)
    evil = {"sentence": "%1", "blanks": [EVIL]}
    play["join"][0].insert(0, {"event": "network", "mode": "client", "reason": evil, "advice": evil})
    play["join"].append([{"event": "failed", "problem": "out_of_memory", "detail": EVIL}])
    result = workerbee(tmp_path, *command, worker=reciting(tmp_path, play))
    shown = result.out + result.err
    assert not [each for each in shown if each != "\n" and not each.isprintable()]
    if command != ("join", ADDRESS):
        assert "name[bold red]" in shown  # what is harmless is told as it is


def test_several_runs_of_a_stranger_cannot_command_the_terminal(tmp_path: Path) -> None:
    worker = reciting(tmp_path, found(run_found(id="one", name=EVIL), run_found(id="two")))
    result = workerbee(tmp_path, "join", ADDRESS, "--yes", worker=worker)
    assert result.code == 2 and "\x1b" not in result.err and "\x9b" not in result.err


def test_inspect_says_what_a_run_asks_for_and_who_vouches_for_it(tmp_path: Path) -> None:
    known = {**run_found(license="Apache-2.0"), "peers": 3, "epoch": 12}
    unknown = {**run_found(id="other"), "organiser": "12D3KooWsomebody", "vouched": False}
    result = workerbee(tmp_path, "inspect", ADDRESS, worker=reciting(tmp_path, found(known, unknown)))
    assert result.code == 0
    for words in ("Apache-2.0", "3 peers · epoch 12", "does not vouch for this run", "Download", "1.2 MB", "Memory"):
        assert words in result.out


MEASURED = {"event": "fit_measured", "device": "cpu", "micro_batch": 4, "samples_per_second": 31.4}


def rehearsing(*events: dict[str, Any], **of_run: Any) -> Play:
    """A swarm with one run, and a dry run that ends so."""
    return found({**run_found(), **of_run}) | {"dry_run": [[*events, {"exit": 0}]]}


def test_inspect_tries_out_what_fits(tmp_path: Path) -> None:
    worker = reciting(tmp_path, rehearsing(MEASURED, samples_per_second=7800.0))
    result = workerbee(tmp_path, "inspect", ADDRESS, "--device", "cpu", worker=worker)
    assert result.code == 0
    sentence = "Fits with micro-batch 4 · about 31 samples/s · 0.4 % of the swarm (on cpu)"
    assert sentence in " ".join(result.out.split())


def test_inspect_says_what_a_line_leaves_of_the_computing(tmp_path: Path) -> None:
    worker = reciting(tmp_path, rehearsing(MEASURED, samples_per_second=7800.0))
    result = workerbee(tmp_path, "inspect", ADDRESS, "--device", "cpu", "--line", "20/100", worker=worker)
    assert result.code == 0
    assert "a line of 20/100 Mbit/s leaves 8 % of the time for computing" in " ".join(result.out.split())


@pytest.mark.parametrize(
    ("play", "words"),
    [
        (rehearsing(MEASURED), "Fits with micro-batch 4 · about 31 samples/s (on cpu)"),
        (rehearsing({**MEASURED, "micro_batch": 0}), "Does not fit: there is no memory for even one sample"),
        (
            rehearsing({"event": "failed", "problem": "fit_unknown", "detail": "So."}),
            "Not measured: How much",
        ),
        (rehearsing(), "Not measured: The training process ended unexpectedly."),
        (found(run_found(state="paused")), ""),
        (found(run_found(), run_found(id="other")), ""),
    ],
    ids=["alone", "too large", "unknown", "crash", "closed", "two runs"],
)
def test_inspect_says_what_came_of_trying(tmp_path: Path, play: Play, words: str) -> None:
    result = workerbee(tmp_path, "inspect", ADDRESS, "--device", "cpu", worker=reciting(tmp_path, play))
    assert result.code == 0 and words in " ".join(result.out.split())
    assert ("Measured" in result.out) == bool(words)


def test_inspect_only_looks_where_that_is_wanted_and_tells_programs_what_it_found(tmp_path: Path) -> None:
    worker = reciting(tmp_path, rehearsing(MEASURED))
    result = workerbee(tmp_path, "inspect", ADDRESS, "--no-dry-run", "--json", worker=worker)
    assert not [event for event in result.events if isinstance(event, FitMeasured)]
    result = workerbee(tmp_path, "inspect", ADDRESS, "--device", "cpu", "--json", worker=worker)
    assert [event.micro_batch for event in result.events if isinstance(event, FitMeasured)] == [4]


def test_who_wishes_to_host_reads_that_a_run_has_no_experts(tmp_path: Path) -> None:
    words = ("join", ADDRESS, "--device", "cpu", "--yes", "--epochs", "1")
    result = workerbee(tmp_path, *words, "--role", "host")
    assert "trains: this run has no experts to host" in " ".join(result.out.split()), result
    assert "experts" not in workerbee(tmp_path, *words).out


def test_inspect_tries_it_out_as_it_was_asked_to(tmp_path: Path) -> None:
    words = ["--device", "cpu", "--threads", "2", "--memory", "6GB"]
    assert workerbee(tmp_path, "inspect", ADDRESS, *words, worker=fake(tmp_path, "good")).code == 0
    told = [json.loads(line) for line in (tmp_path / "journal").read_text().splitlines() if line[0] == "{"]
    (command,) = [each for each in told if each["command"] == "dry_run"]
    assert (command["device"], command["threads"], command["memory_limit_bytes"]) == ("cpu", 2, 6 * 10**9)
    assert msgspec.convert(command["manifest"], RunManifest) == fake_worker.manifest()


def test_a_limit_of_memory_goes_with_the_consent(tmp_path: Path) -> None:
    words = ["--yes", "--samples", "50", "--device", "cpu", "--memory", "800MB"]
    assert workerbee(tmp_path, "join", ADDRESS, *words, worker=fake(tmp_path, "good")).code == 0
    assert '"memory_limit_bytes":800000000' in (tmp_path / "journal").read_text()
    assert_says(workerbee(tmp_path, "join", ADDRESS, "--yes", "--memory", "much"), 2, "write it as 6GB")


@pytest.mark.parametrize(("limit", "words"), [("100MB", "100.0 MB are left of the limit"), ("900GB", "(fits)")])
def test_who_agrees_reads_whether_the_run_fits_into_the_limit_of_memory(tmp_path: Path, limit: str, words: str) -> None:
    asked = ["--yes", "--samples", "50", "--device", "cpu", "--memory", limit]
    shown = " ".join(workerbee(tmp_path, "join", ADDRESS, *asked, worker=fake(tmp_path, "good")).out.split())
    assert words in shown and ("DOES NOT FIT" in shown) == (limit == "100MB"), shown


def test_who_only_keeps_a_runs_state_for_others_reads_so_and_computes_on_the_processor(tmp_path: Path) -> None:
    words = ("join", ADDRESS, "--yes", "--samples", "50", "--no-train", "--device", "cuda:63")
    result = workerbee(tmp_path, *words, worker=fake(tmp_path, "good"))
    assert result.code == 0, result
    assert "computes almost nothing" in result.out
    told = (tmp_path / "journal").read_text()
    assert '"train":false' in told and '"device":"cpu"' in told


def test_publish_prints_what_can_be_copied_whole(tmp_path: Path) -> None:
    assert workerbee(tmp_path, "run", "new").code == 0
    address = ADDRESS.replace("127.0.0.1", "203.0.113.5")
    play = {"publish": [[{"event": "published", "addresses": [address], "link": LINK * 3, "revision": 4}]]}
    result = workerbee(tmp_path, "publish", "run.toml", "--no-train", "--for", "1s", worker=reciting(tmp_path, play))
    assert (result.code, result.err) == (0, "")
    assert {LINK * 3, address} <= set(result.out.splitlines())
    assert "revision 4" in result.out


def test_publish_says_what_the_only_computer_that_others_reach_must_send(tmp_path: Path) -> None:
    play = {"publish": [[{"event": "published", "addresses": [ADDRESS], "link": LINK, "revision": 1}]]}
    words = ("--no-train", "--for", "1s")
    example = str(ROOT / "examples" / "home-gpt2-small.toml")
    told = workerbee(tmp_path, "publish", example, *words, worker=reciting(tmp_path, play)).out
    (carried,) = re.findall(
        r"carries 160 Mbit/s each way for 8 volunteers with 20/100 Mbit/s, and ([\d.]+) GB a day", told
    )
    checked = json.loads(workerbee(tmp_path, "run", "check", example, "--line", "20/100", "--json").out)
    (of_eight,) = (each for each in checked["rounds"] if each["volunteers"] == 8)
    assert float(carried) == pytest.approx(of_eight["keeper_bytes_per_day"] / 1e9, rel=0.02)
    assert workerbee(tmp_path, "run", "new").code == 0
    assert "carries" not in workerbee(tmp_path, "publish", "run.toml", *words, worker=reciting(tmp_path, play)).out


def test_publish_asks_the_worker_for_what_was_typed(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_bytes(template().encode())
    words = ["--listen", "/ip4/0.0.0.0/tcp/1", "/ip6/::/tcp/1", "--announce", "/dns4/example.org/tcp/1"]
    words += ["--identity", "me.key", "--checkpoint-every", "5", "--threads", "3", "--device", "cpu"]
    assert workerbee(tmp_path, "publish", "run.toml", *words, "--samples", "50").code == 0
    command = msgspec.json.decode((tmp_path / "journal").read_bytes().splitlines()[1])
    assert command["listen"] == ["/ip4/0.0.0.0/tcp/1", "/ip6/::/tcp/1"]
    assert command["announce"] == ["/dns4/example.org/tcp/1"]
    assert command["identity"] == str(tmp_path / "me.key")
    assert (command["checkpoint_every_epochs"], command["threads"], command["device"]) == (5, 3, "cpu")


def test_what_is_pushed_every_two_epochs_is_saved_every_two_epochs(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_bytes(template().encode())
    words = ["--push", "hub://somebody/adder", "--push-every", "2", "--samples", "50"]
    assert workerbee(tmp_path, "publish", "run.toml", *words, HF_TOKEN="hf_secretsecret").code == 0
    command = msgspec.json.decode((tmp_path / "journal").read_bytes().splitlines()[1])
    assert command["checkpoint_every_epochs"] == 2


def test_publish_tells_the_worker_where_the_mirror_is_written(tmp_path: Path) -> None:
    text = '[collaboration]\nmode = "local-sgd"\ntarget_batch_size = 4096\nmirror = "https://example.org/run/"\n'
    before, _, rest = template().partition("[collaboration]\n")
    (tmp_path / "run.toml").write_text(before + text + "\n[" + rest.partition("\n[")[2])
    options = "--mirror", "www", "--mirror-every", "1", "--samples", "50"
    assert workerbee(tmp_path, "publish", "run.toml", *options).code == 0
    command = msgspec.json.decode((tmp_path / "journal").read_bytes().splitlines()[1])
    assert (command["mirror"], command["mirror_rounds"]) == (str(tmp_path / "www"), 1)


def test_nobody_writes_a_mirror_that_nobody_would_find(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_bytes(template().encode())
    result = workerbee(tmp_path, "publish", "run.toml", "--mirror", "www")
    assert_says(result, 2, "--mirror needs a run file that names its address")


def test_publish_of_a_wrong_file_names_the_field(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(template().replace("learning_rate", "learning_rat"))
    result = workerbee(tmp_path, "publish", "run.toml")
    assert_says(result, 2, "[optimizer] learning_rat: unknown field; did you mean learning_rate?")


def test_run_new_never_overwrites(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text("mine")
    assert_says(workerbee(tmp_path, "run", "new"), 2, "exists already")
    assert (tmp_path / "run.toml").read_text() == "mine"


def test_run_check_tells_what_the_run_will_ask_of_volunteers(tmp_path: Path) -> None:
    assert workerbee(tmp_path, "run", "new", "mine.toml").code == 0
    result = workerbee(tmp_path, "run", "check", "mine.toml")
    assert result.code == 0 and "is right" in result.out and "downloads" in result.out


def test_run_check_estimates_what_a_line_leaves(tmp_path: Path) -> None:
    assert workerbee(tmp_path, "run", "new", "mine.toml").code == 0
    result = workerbee(tmp_path, "run", "check", "mine.toml", "--line", "20/100", "--gpu-tflops", "25")
    assert result.code == 0 and "20/100 Mbit/s (upload/download)" in result.out and "25 TFLOP/s" in result.out
    rows = [line.split() for line in result.out.splitlines() if line.strip()[:1].isdigit()]
    assert [row[0] for row in rows] == ["2", "8", "32"]
    assert all("%" in row for row in rows)


@pytest.mark.parametrize("line", ["20", "20/", "/100", "0/100", "fast/slow", "20/nan", "-1/5"])
def test_a_line_that_is_none_is_refused(tmp_path: Path, line: str) -> None:
    result = workerbee(tmp_path, "run", "check", "mine.toml", f"--line={line}")
    assert result.code == 2 and "--line" in result.err


def demo_play(*after_published: dict[str, Any]) -> Play:
    """An organiser and a volunteer who both do well, unless the organiser goes on otherwise."""
    published = {"event": "published", "addresses": [ADDRESS], "link": LINK, "revision": 1}
    training = {"event": "training_started", "device": "cpu", "epoch": 0, "parameters": 10}
    progress = msgspec.json.decode(msgspec.json.encode(fake_worker.progress(40)))
    play = found(run_found())
    play["join"].append([training, progress])
    return {**play, "publish": [[published, *after_published]]}


def test_the_demo_ends_with_one_line(tmp_path: Path) -> None:
    worker = reciting(tmp_path, demo_play())
    result = workerbee(tmp_path, "demo", "--epochs", "3", worker=worker)
    assert (result.code, result.err) == (0, "")
    assert "published the run" in result.out
    assert result.out.splitlines()[-1].startswith("Helped for 8 epochs: 40 samples")


def test_the_demos_json_is_the_volunteers_events(tmp_path: Path) -> None:
    worker = reciting(tmp_path, demo_play())
    result = workerbee(tmp_path, "demo", "--samples", "3", "--json", worker=worker)
    assert result.code == 0
    assert "published" not in [event.__struct_config__.tag for event in result.events]


def test_the_demo_says_who_of_the_two_came_to_grief(tmp_path: Path) -> None:
    worker = reciting(tmp_path, demo_play({"event": "failed", "problem": "port_taken", "detail": "Port 5."}))
    assert_says(workerbee(tmp_path, "demo", worker=worker), 7, "The organiser: Port 5.")


def test_a_swarm_ends_with_a_line_for_each_peer_and_leaves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text(template())
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    words = ("swarm", str(file), "--peers", "3", "--epochs", "3")
    result = workerbee(tmp_path, *words, worker=reciting(tmp_path, demo_play()), TMPDIR=str(scratch))
    assert (result.code, result.err) == (0, "")
    organiser, *volunteers = result.out.splitlines()[-3:]
    assert organiser == "organiser: Left before the training began."
    for number, line in enumerate(volunteers, 1):
        assert line.startswith(f"volunteer {number}: Helped for 8 epochs: 40 samples")
    assert list(scratch.iterdir()) == []


def test_in_a_swarm_the_volunteers_host_the_experts_of_a_run_that_has_any(tmp_path: Path) -> None:
    for run, role in (("moe-lm", "both"), ("masked-lm", "train")):
        file = tmp_path / f"{run}.toml"
        file.write_text((ROOT / f"examples/{run}.toml").read_text())
        worker = reciting(tmp_path, {**demo_play(), "journal": str(tmp_path / run)})
        assert workerbee(tmp_path, "swarm", str(file), "--peers", "2", "--epochs", "3", worker=worker).code == 0
        told = [json.loads(line) for line in (tmp_path / run).read_text().splitlines()]
        assert [each.get("role", "train") for each in told if each["command"] == "start"] == [role]


def test_experts_are_counted_only_for_who_hosts_and_not_beyond_what_a_computer_may_host(tmp_path: Path) -> None:
    join = ("join", ADDRESS, "--yes", "--experts")
    assert_says(workerbee(tmp_path, *join, "513", "--role", "host"), 2, "512 at the most")
    assert_says(workerbee(tmp_path, *join, "4"), 2, "--role host")
    assert_says(workerbee(tmp_path, *join, "4", "--role", "train"), 2, "--role host")
    assert not (tmp_path / "journal").exists()


def test_a_swarm_counts_what_a_volunteer_tells_when_it_is_asked_to_leave(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text(template())
    play = demo_play()
    *first, (training, progress) = play["join"]
    worker = reciting(tmp_path, {**play, "join": [*first, [training]], "leave": [progress]})
    result = workerbee(tmp_path, "swarm", str(file), "--peers", "3", "--for", "1s", worker=worker)
    assert result.code == 0
    for number, line in enumerate(result.out.splitlines()[-2:], 1):
        assert line.startswith(f"volunteer {number}: Helped for 8 epochs: 40 samples")


def test_a_swarm_says_who_of_many_came_to_grief(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text(template())
    play = demo_play({"event": "failed", "problem": "port_taken", "detail": "Port 5."})
    result = workerbee(tmp_path, "swarm", str(file), worker=reciting(tmp_path, play))
    assert_says(result, 7, "The organiser: Port 5.")
    for number in ("1", "1000000", "many"):
        assert_says(workerbee(tmp_path, "swarm", str(file), "--peers", number), 2, "--peers")


@pytest.mark.parametrize("command", ["swarm", "demo"])
def test_the_log_of_a_peer_that_failed_is_there_when_the_command_has_ended(tmp_path: Path, command: str) -> None:
    (tmp_path / "run.toml").write_text(template())
    words = (command, "run.toml") if command == "swarm" else (command,)
    result = workerbee(tmp_path, *words, worker=fake(tmp_path, "die_before_hello"))
    assert_says(result, 7, "The organiser: ", "The log is ")
    (named,) = re.findall(r"The log is (\S+)\.$", result.err, re.MULTILINE)
    assert "No module named core.worker" in Path(named).read_text()


def test_doctor_has_a_line_for_everything(tmp_path: Path) -> None:
    result = workerbee(tmp_path, "doctor")
    for subject in ("Python", "folders", "engine", "GPU", "clock", "ports", "disk", "open files"):
        assert f" {subject} " in result.out


def test_doctor_says_what_the_training_process_can_reach(tmp_path: Path) -> None:
    checked = {"event": "engine_checked", "torch": "2.13.0", "hivemind": "1.1.12"}
    for gaps, words in (
        ([], "✓ confinement    The training"),
        (["sockets"], "! confinement    This system does not keep"),
    ):
        play = {"check": [[{"event": "confined", "gaps": gaps}, checked, {"exit": 0}]]}
        assert words in workerbee(tmp_path, "doctor", worker=reciting(tmp_path, play)).out


def test_who_agrees_reads_first_what_is_not_confined(tmp_path: Path) -> None:
    play = found()
    play["join"][0].insert(0, {"event": "confined", "gaps": ["everything"]})
    result = workerbee(tmp_path, "join", ADDRESS, "--yes", "--for", "1s", worker=reciting(tmp_path, play))
    assert "it can do what you can" in " ".join((result.out + result.err).split())


@pytest.mark.slow
def test_doctor_names_the_versions_that_the_real_engine_has_loaded(tmp_path: Path) -> None:
    result = workerbee(tmp_path, "doctor", worker=command_of(Path(sys.executable)), limit_seconds=ENGINE_SECONDS)
    versions = f"torch {version('torch')}, hivemind {version('hivemind')}"
    assert f"✓ engine         {versions}" in result.out


def test_doctor_with_json_prints_events_and_nothing_else(tmp_path: Path) -> None:
    result = workerbee(tmp_path, "doctor", "--json")
    events = [msgspec.json.decode(line)["event"] for line in result.out.splitlines()]
    assert {"hello", "engine_checked"} <= set(events)
    assert "disk" in result.err


def test_doctor_ends_with_7_where_something_must_be_mended(tmp_path: Path) -> None:
    result = workerbee(tmp_path, "doctor", worker=fake(tmp_path, "die_before_hello"))
    assert result.code == 7 and "✗ engine" in result.out and "Repair" in result.out


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_the_client_process_stays_small(tmp_path: Path) -> None:
    assert peak_memory_bytes(tmp_path, "join", ADDRESS, "--yes", "--samples", "90") <= 60 << 20


def test_what_was_not_said_is_as_the_settings_have_it(tmp_path: Path) -> None:
    settings = tmp_path / "home" / "settings" / "settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('threads = 3\nnetwork = "client"\nport = 4242\ndisk_limit_bytes = 200000000\n')
    assert workerbee(tmp_path, "join", ADDRESS, "--yes", "--epochs", "1", "--network", "direct").code == 0
    journal = [msgspec.json.decode(line) for line in (tmp_path / "journal").read_bytes().splitlines()[1:]]
    join, start = journal[:2]
    assert (join["network"], join["port"], start["threads"]) == ("direct", 4242, 3)
    assert start["disk_limit_bytes"] == 200_000_000


@pytest.mark.parametrize("words", [("join", ADDRESS, "--yes", "--epochs", "1"), ("contributions",)])
def test_a_damaged_settings_file_is_named_and_kept_and_the_program_goes_on(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    settings = tmp_path / "home" / "settings" / "settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('network = "cli')
    result = workerbee(tmp_path, *words)
    assert result.code == 0
    aside = settings.with_name("settings.toml.broken-1")
    assert str(aside) in result.err
    assert aside.read_text() == 'network = "cli'
