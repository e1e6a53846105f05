"""`workerbee steer` and `run edit` write what all peers are asked, for the process that publishes, and nothing else."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path

import msgspec
import pytest

from core.files.json_file import JsonFile
from core.files.locks import CONTROL_FILE
from core.run.manifest import RunManifest
from core.run.run_file import load_run_file
from core.run.steering.control_value import ControlValue
from core.run.steering.edit import MOST_EDITS, Edit, numbers_of
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


def run_file(path: Path, rate: float, more: str = "") -> Path:
    """A run file whose numbers may be changed four times, with that learning rate."""
    path.write_text(
        f"""
        {more or 'data.kind = "sums"'}
        run = {{ id = "{RUN_ID}", name = "Sums" }}
        recipe = {{ kind = "arithmetic-gpt" }}
        optimizer = {{ name = "adamw", learning_rate = {rate} }}
        collaboration = {{ target_batch_size = 4096, batch_size_per_step = 64 }}
        steering = {{ max_change = 4.0 }}
        """
    )
    return path


@pytest.fixture
def published(file: JsonFile[ControlValue], tmp_path: Path) -> JsonFile[ControlValue]:
    """The control value of a run that was published with a rate of 0.001."""
    manifest = load_run_file(run_file(tmp_path / "published.toml", 0.001))
    JsonFile[RunManifest](file.path.parent / "published.json", RunManifest).write(manifest)
    return file


def test_a_number_that_may_be_changed_is_shown_asked_for_and_written(
    published: JsonFile[ControlValue], tmp_path: Path
) -> None:
    slower = run_file(tmp_path / "run.toml", 0.0005)
    asked = workerbee(tmp_path, "run", "edit", RUN_ID, str(slower))
    assert asked.code != 0 and "--yes" in asked.err and not published.path.exists(), "nobody is there to agree"
    done = workerbee(tmp_path, "run", "edit", RUN_ID, str(slower), "--yes")
    assert done.code == 0 and "optimizer.learning_rate: 0.001 → 0.0005" in done.out, done
    control = published.read()
    assert control is not None and control.edits[-1].numbers.learning_rate == 0.0005
    assert control.edits[-1].from_epoch is None, "the process that publishes knows the epoch"
    again = workerbee(tmp_path, "run", "edit", RUN_ID, str(slower), "--yes")
    assert "Nothing changes." in again.out and published.read() == control


@pytest.mark.parametrize(
    ("rate", "more", "why"),
    [
        (0.01, "", "learning_rate may become 4 times higher or lower at the most"),
        (0.001, 'data = { kind = "sums", digits = 3 }', "data.digits: "),
        (0.001, "data.kind = 'sums'\nrequirements.disk_mib = 9", "requirements.disk_mib: 0 → 9"),
    ],
)
def test_what_volunteers_would_have_to_agree_to_is_published_anew_instead(
    published: JsonFile[ControlValue], tmp_path: Path, rate: float, more: str, why: str
) -> None:
    file = run_file(tmp_path / "run.toml", rate, more)
    done = workerbee(tmp_path, "run", "edit", RUN_ID, str(file), "--yes")
    assert done.code == 2 and why in done.err and "Publish the run file anew" in done.err, done
    assert not published.path.exists()


@pytest.fixture
def checkpoint(file: JsonFile[ControlValue]) -> Path:
    """The checkpoint of epoch 20 of that run, in which a newer one has been saved since; its tensors do not matter."""
    for name, epoch in (("checkpoint-20", 20), ("checkpoint", 27)):
        header = json.dumps({"__metadata__": {"run_id": RUN_ID, "epoch": str(epoch)}}).encode()
        (file.path.parent / f"{name}.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    return file.path.parent / "checkpoint-20.safetensors"


@pytest.mark.parametrize(("second", "is_refused"), [(28, True), (27, False)])
def test_a_change_for_which_one_that_holds_would_have_to_go_is_refused_until_the_next_has_begun(
    published: JsonFile[ControlValue], checkpoint: Path, tmp_path: Path, second: int, is_refused: bool
) -> None:
    """The run has come to epoch 27, of which a checkpoint is kept."""
    base = numbers_of(load_run_file(run_file(tmp_path / "published.toml", 0.001)))
    epochs = [20, second, *range(40, 40 + MOST_EDITS - 2)]
    edits = tuple(Edit(numbers=base, base=base, from_epoch=each) for each in epochs)
    published.write(ControlValue(run_id=RUN_ID, number=1, edits=edits))
    assert checkpoint.exists()
    done = workerbee(tmp_path, "run", "edit", RUN_ID, str(run_file(tmp_path / "run.toml", 0.0005)), "--yes")
    control = published.read()
    assert control is not None
    if is_refused:
        assert done.code == 2 and f"Ask again when epoch {epochs[-1]} has begun." in done.err, done
        assert control.edits == edits
    else:
        assert done.code == 0 and [each.from_epoch for each in control.edits] == [*epochs[1:], None], done


def test_all_go_back_to_a_checkpoint_once_a_person_has_agreed(
    file: JsonFile[ControlValue], checkpoint: Path, tmp_path: Path
) -> None:
    asked = workerbee(tmp_path, "run", "rollback", RUN_ID, "--to", "20")
    assert asked.code != 0 and "--yes" in asked.err and not file.path.exists(), "nobody is there to agree"
    assert workerbee(tmp_path, "steer", RUN_ID, "pause").code == 0
    done = workerbee(tmp_path, "run", "rollback", RUN_ID, "--to", "20", "--yes")
    assert done.code == 0 and "go back to epoch 20. What was learned up to epoch 27 is given up." in done.out, done
    assert "once the run is published" in done.out
    control = file.read()
    assert control is not None and control.rollback is not None and control.order.state == "paused"
    rollback = control.rollback
    assert (rollback.number, rollback.epoch) == (control.number, 20)
    assert rollback.sha256 == hashlib.sha256(checkpoint.read_bytes()).hexdigest()
    forward = workerbee(tmp_path, "run", "rollback", RUN_ID, "--to", "27", "--yes")
    assert forward.code == 0 and f"All peers of “{RUN_ID}” go on from epoch 27.\n" in forward.out, forward


@pytest.mark.parametrize(
    ("order", "epoch", "why"),
    [("pause", "21", "no checkpoint of epoch 21. Those that are kept: 27, 20."), ("drain", "20", "resume")],
)
def test_there_is_no_way_back_to_what_is_not_kept_nor_out_of_the_end(
    file: JsonFile[ControlValue], checkpoint: Path, tmp_path: Path, order: str, epoch: str, why: str
) -> None:
    assert checkpoint.exists() and workerbee(tmp_path, "steer", RUN_ID, order).code == 0
    done = workerbee(tmp_path, "run", "rollback", RUN_ID, "--to", epoch, "--yes")
    assert done.code == 2 and why in done.err, done
    control = file.read()
    assert control is not None and control.rollback is None
