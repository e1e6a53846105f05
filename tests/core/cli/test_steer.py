"""`workerbee steer` writes what all peers are asked, for the process that publishes, and nothing else."""

from __future__ import annotations

import json
import time
from pathlib import Path

import msgspec
import pytest

from core.files.json_file import JsonFile
from core.files.locks import CONTROL_FILE
from core.run.manifest import RunManifest
from core.run.steering.control_value import ControlValue
from tests.support.cli_process import workerbee
from tests.support.real_peers import RUN_ID, tiny


@pytest.fixture
def file(tmp_path: Path) -> JsonFile[ControlValue]:
    """The control value of a run that was published from here."""
    folder = tmp_path / "home" / "data" / "organiser" / RUN_ID
    JsonFile[RunManifest](folder / "published.json", RunManifest).write(tiny())
    return JsonFile(folder / CONTROL_FILE, ControlValue)


def test_a_pause_a_notice_and_a_version_hold_together_until_each_is_withdrawn(
    file: JsonFile[ControlValue], tmp_path: Path
) -> None:
    done = workerbee(tmp_path, "steer", RUN_ID, "pause", "The", "data", "moves.")
    assert done.code == 0 and "The organiser paused the run at " in done.out and "The data moves." in done.out, done
    assert "once the run is published" in done.out
    assert workerbee(tmp_path, "steer", RUN_ID, "notice", "Back at noon.").code == 0
    assert workerbee(tmp_path, "steer", RUN_ID, "minimum-version", "0.2").code == 0
    control = file.read()
    assert control is not None and control.order.state == "paused"
    assert control.order.since == pytest.approx(time.time(), abs=120)
    assert (control.notice, control.minimum_version) == ("Back at noon.", "0.2")
    assert file.path.stat().st_mode & 0o077 == 0

    shown = json.loads(workerbee(tmp_path, "steer", RUN_ID, "--json").out)
    assert (shown["event"], shown["order"]["state"], shown["notice"]) == ("steered", "paused", "Back at noon.")
    for words in (("resume",), ("notice",), ("minimum-version", "none")):
        assert workerbee(tmp_path, "steer", RUN_ID, *words).code == 0
    after = file.read()
    assert after is not None and after.number > control.number
    assert msgspec.structs.replace(after, number=0, order=ControlValue(run_id=RUN_ID).order) == ControlValue(
        run_id=RUN_ID
    )
    assert "The run goes on." in workerbee(tmp_path, "steer", RUN_ID).out


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("sums", "pause"), "No run “sums” was published from here."),
        ((RUN_ID, "minimum-version"), "Say which version"),
        ((RUN_ID, "minimum-version", "the newest"), "regex"),
        ((RUN_ID, "pause", 301 * "a"), "length <= 300"),
        ((RUN_ID, "end"), "--yes"),
        ((RUN_ID, "stop"), "invalid choice"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_words(
    file: JsonFile[ControlValue], tmp_path: Path, words: tuple[str, ...], why: str
) -> None:
    done = workerbee(tmp_path, "steer", *words)
    assert done.code != 0 and why in done.err, done
    assert not file.path.exists()
