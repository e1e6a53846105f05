"""A path that a person has chosen never comes out of a report, wherever it stands in whatever the report is made of."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from core.availability.rules import AvailabilityRules
from core.files.folders import Folders
from core.hardware.device import Device
from core.problem_report.contents import report_text
from core.problem_report.redaction import Redaction
from core.problem_report.session_events import SessionEvents
from core.protocol.client_events import WorkerExited
from core.protocol.events import CheckpointSaved
from core.records.settings import Settings, save_settings

CPU = Device("cpu", 0, None, "A CPU", 8_000_000_000, 4_000_000_000)
MARK = "Qzx"  # no word of a report
_BEGINNINGS = (
    "/media/",
    "/mnt/",
    "/srv/",
    "/home/",
    "/",
    "/tmp/",
    "/usr/../",
    "C:\\",
    "d:/",
    "\\\\",
    "//",
    "~/",
    "file:///",
)
_LETTERS = "abcXYZ019 äß.,;:()[]{}'’&+=@#%!_-"
_names = some.text(_LETTERS, max_size=12).map(lambda text: MARK + text.rstrip(" /") + MARK)
paths = some.builds(
    lambda begin, names, separator: begin + ("\\" if "\\" in begin else separator).join(names),
    some.sampled_from(_BEGINNINGS),
    some.lists(_names, min_size=1, max_size=4),
    some.just("/"),
)
LINES = ("{}", "cannot read {}", "cannot read {}: Permission denied", "PATH=/usr/bin:{}", "x={} and more", "[{}, 1]")


@given(paths, some.sampled_from(LINES))
def test_a_path_never_comes_out_of_a_line(path: str, line: str) -> None:
    told = Redaction(()).redacted(line.replace("{}", path))
    assert MARK not in told and "<path 1>" in told


@given(paths)
def test_a_path_that_python_quotes_never_comes_out_and_the_words_behind_it_stay(path: str) -> None:
    told = Redaction(()).redacted(f"[Errno 2] No such file or directory: {path!r}, epoch 12")
    assert MARK not in told and told.endswith(", epoch 12")


@settings(max_examples=15)  # each writes and reads a whole report
@given(paths.filter(lambda path: path.startswith("/") and not path.startswith("//")))
def test_a_path_never_comes_out_of_a_whole_report(path: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        folders = Folders.below(Path(place))
        folders.prepare()
        rules = AvailabilityRules(price_file=path)
        save_settings(folders.settings_file, Settings(data_folder=path, availability=rules))
        for name in ("client.log", "worker.log"):
            (folders.logs / name).write_text(f"INFO saved as {path}\nINFO {path!r} is there\n{path} is there")
        SessionEvents(folders.logs).note(CheckpointSaved(path=path, epoch=3))
        told = report_text(folders, [f"bad: folders: {path} cannot be written"], (CPU,))
    assert MARK not in told and "Epoch 3: checkpoint saved as" in told and "bad: folders:" in told


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("'/media/usb/My Bills/prices.csv' is old", "'/media/<path 1>.csv' is old"),
        ("cannot read /srv/miller: Permission denied", "cannot read /srv/<path 1>: Permission denied"),
        ("/home/ada/taxes/x.json", "<home 1>/<path 1>.json"),
        ("/home/ada/.bees/logs/client.log: full", "<folder 1>/logs/client.log: full"),
        ("C:\\Program Files\\NVIDIA\\x.dll is missing", "C:\\Program Files\\NVIDIA\\x.dll is missing"),
        ("/dev/disk/by-label/MILLER", "/<path 1>"),
        ("/ip4/127.0.0.1/tcp/31337", "/ip4/127.0.0.1/tcp/31337"),
        ("'/mnt/a' '/mnt/b' '/mnt/a'", "'/mnt/<path 1>' '/mnt/<path 2>' '/mnt/<path 1>'"),
    ],
)
def test_its_root_its_kind_and_what_the_system_says_of_it_stay(line: str, told: str) -> None:
    names = (("home", "/home/ada"), ("folder", "/home/ada/.bees"))
    assert Redaction(names).redacted(line) == told


def test_events_are_kept_as_the_event_log_tells_them_and_those_without_a_line_are_not(tmp_path: Path) -> None:
    folders = Folders.below(tmp_path)
    folders.prepare()
    events = SessionEvents(folders.logs)
    events.note(WorkerExited(0))
    events.note(CheckpointSaved(path="/x", epoch=1), "cuda:1")
    told = report_text(folders, (), (CPU,)).partition("== The last events ==\n")[2]
    assert re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d The engine has ended; nothing", told)
    assert " cuda:1 Epoch 1: checkpoint saved as /<path 1>" in told


def test_a_disk_that_refuses_the_events_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file where the folder should be")
    SessionEvents(tmp_path / "logs").note(WorkerExited(0))
    assert (tmp_path / "logs").is_file()


def test_the_hardware_is_told_without_what_marks_this_one_piece_of_it(tmp_path: Path) -> None:
    gpu = Device("cuda", 0, "GPU-8f6d-1", "NVIDIA GeForce RTX 3060", 12_000_000_000, None, "570.1")
    folders = Folders.below(tmp_path)
    told = report_text(folders, (), (gpu, CPU)).partition("== Hardware ==\n")[2].partition("\n\n")[0]
    assert "cuda:0: NVIDIA GeForce RTX 3060, 12.0 GB, driver 570.1" in told and "GPU-8f6d" not in told
    assert re.search(r"CPU: A CPU, .*\d threads", told) and "memory: 8.0 GB, 4.0 GB free" in told
    assert re.search(r"disk: [\d.,]+ [kMGT]?B, [\d.,]+ [kMGT]?B free", told)
    assert "GPU: none" in report_text(folders, (), (CPU,))
