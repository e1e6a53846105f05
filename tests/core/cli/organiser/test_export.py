"""`workerbee export` with a real worker, and `workerbee runs`: what an organiser's folder becomes, and what is said."""

from __future__ import annotations

import json
import re
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
import torch

from core.errors import ErrorKind
from core.files.folders import DataFolder
from core.files.locks import PeerFiles, try_lock
from core.records.published.rollback_order import order_rollback
from core.records.unfinished_run import UnfinishedRun
from core.run.manifest import RunManifest
from core.run.multiaddr import Multiaddr
from core.run.signed_scores import EvaluationHistory, Score, sign_scores
from core.run.steering.control_value import ControlValue, Order
from core.run.steering.edit import Edit, numbers_of
from core.run.steering.kept_control import ask_control, asked_control
from core.run_order.order import OrderedRun, RunOrderFile
from core.security.identity import Identity
from core.worker.recipes import build
from core.worker.training.checkpoint import save_checkpoint
from tests.support.cli_process import Result, workerbee
from tests.support.real_peers import RUN_ID, tiny

WORKER = [sys.executable, "-m", "core.worker"]
WORKER_SECONDS = 240  # that a busy computer may take to load torch
ORGANISER = Identity.create().peer_id
LINK = "workerbee://join?peer=%2Fip4%2F203.0.113.5%2Ftcp%2F31337%2Fp2p%2F{}&run=tiny-sums"


pytestmark = pytest.mark.timeout(600)


def published(folder: Path, *epochs: int) -> PeerFiles:
    """The folder of a run that was published below that one, with a checkpoint of each of these epochs."""
    files = PeerFiles(folder / "home" / "data" / "organiser" / RUN_ID)
    files.path.mkdir(parents=True)
    manifest = tiny()
    files.manifest_file.write_bytes(msgspec.json.encode(manifest))
    identity = Identity.load_or_create(files.identity_path)
    files.link_file.write_text(LINK.format(identity.peer_id))
    scores = EvaluationHistory(RUN_ID, tuple(Score(epoch=each, loss=loss_of(each), at=1e9) for each in epochs))
    files.scores_file.write_bytes(sign_scores(scores, identity))
    for number, epoch in enumerate(epochs):
        save(files, manifest, epoch)
        if number < len(epochs) - 1:
            files.checkpoint_file.rename(files.checkpoint_file.with_stem(f"checkpoint-{epoch}"))
    return files


def loss_of(epoch: int) -> float:
    """The held-out loss after that epoch."""
    return 4.0 / epoch


def save(files: PeerFiles, manifest: RunManifest, epoch: int) -> None:
    """The state of an untrained model, as the newest checkpoint."""
    model = build(manifest, seed=1, device=torch.device("cpu")).model
    save_checkpoint(files.checkpoint_file, RUN_ID, epoch, torch.optim.AdamW(model.parameters()), loss=loss_of(epoch))


def export(folder: Path, run: str, *words: str, to: str = "model") -> Result:
    """The command with a real worker, which writes into that folder of the test's."""
    return workerbee(folder, "export", run, "--to", to, *words, worker=WORKER, limit_seconds=WORKER_SECONDS)


def names(folder: Path) -> set[str]:
    """All that is in it, hidden files included."""
    return {path.name for path in folder.iterdir()}


@pytest.mark.slow
def test_the_card_counts_the_samples_of_epochs_that_were_made_longer_meanwhile(tmp_path: Path) -> None:
    files, before = published(tmp_path, 7), numbers_of(tiny())
    longer = msgspec.structs.replace(before, target_batch_size=2 * before.target_batch_size)
    edit = Edit(numbers=longer, base=before, from_epoch=5)
    ask_control(files, ControlValue(run_id=RUN_ID, number=1, edits=(edit,)))
    assert export(tmp_path, RUN_ID).code == 0
    assert "- Samples: about 27,000\n" in (tmp_path / "model" / "README.md").read_text()


@pytest.mark.slow
def test_a_run_is_exported_by_its_name_its_file_or_a_copy_of_its_folder(tmp_path: Path) -> None:
    files = published(tmp_path, 3, 7)
    done = export(tmp_path, RUN_ID)
    assert done.code == 0 and f"The model of epoch 7 is in {tmp_path / 'model'}" in done.out, done
    assert names(tmp_path / "model") == {"README.md", "config.json", "model.py", "model.safetensors"}
    card = (tmp_path / "model" / "README.md").read_text()
    assert "| 3 | 1.3333 |\n| 7 | 0.5714 |" in card
    assert "- Epochs: 7, of about 3,000 samples each\n- Samples: about 21,000\n" in card
    assert {oct(path.stat().st_mode)[-3:] for path in (tmp_path / "model").iterdir()} == {"644"}, "others may load it"

    again = export(tmp_path, RUN_ID)
    assert again.code == 2 and "exists already and was left as it is" in again.err

    shutil.copytree(files.path, tmp_path / "copy")
    shutil.rmtree(files.path)
    copied = export(tmp_path, "copy", "--checkpoint", "3", "--json", to="older")
    told = [json.loads(line) for line in copied.out.splitlines()]
    assert told[-1] == {"event": "export", "run": RUN_ID, "epoch": 3, "folder": str(tmp_path / "older")}
    assert "exported" in [each["event"] for each in told]


def test_a_folder_that_cannot_be_made_is_no_folder_of_ours(tmp_path: Path) -> None:
    published(tmp_path, 3)
    done = export(tmp_path, RUN_ID, to="nowhere/model")
    assert done.code == 2 and "nowhere/model: No such file or directory." in done.err
    assert "WORKERBEE_HOME" not in done.err


@pytest.mark.slow
def test_a_damaged_checkpoint_is_named_and_the_one_before_it_is_exported(tmp_path: Path) -> None:
    files = published(tmp_path, 3, 7)
    whole = files.checkpoint_file.read_bytes()
    files.checkpoint_file.write_bytes(whole[: len(whole) // 2])
    done = export(tmp_path, RUN_ID)
    assert done.code == 0 and "The model of epoch 3 is in" in done.out, done
    assert "A checkpoint of the run is damaged. checkpoint.safetensors:" in done.err
    assert files.checkpoint_file.read_bytes() == whole[: len(whole) // 2], "an export changes nothing of a run"


@pytest.mark.slow
def test_a_damaged_checkpoint_that_was_asked_for_is_no_reason_to_export_another(tmp_path: Path) -> None:
    files = published(tmp_path, 3, 7)
    whole = files.checkpoint_file.read_bytes()
    files.checkpoint_file.write_bytes(whole[: len(whole) // 2].ljust(len(whole), b"\xff"))
    done = export(tmp_path, RUN_ID, "--checkpoint", "7")
    assert done.code == ErrorKind.CHECKPOINT_UNUSABLE.exit_code
    assert done.err.splitlines()[-3:] == [
        "workerbee: A checkpoint of the run is damaged.",
        "  checkpoint.safetensors: it holds numbers that are not finite.",
        "The one before it is taken; if you named this one, name another.",
    ]
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize(
    ("epochs", "words", "code", "why"),
    [
        ((), (RUN_ID,), 7, "There is no checkpoint to export."),
        ((3, 7), (RUN_ID, "--checkpoint", "5"), 7, "There is none of epoch 5. Those that are kept: 7, 3."),
        ((3,), ("other",), 2, f"No run “other” was published from here. These were: {RUN_ID}."),
        ((3,), ("home",), 2, "No run was published from the folder home."),
        ((3,), (RUN_ID, "--merge"), 2, "--merge is for runs that train adapters"),
    ],
)
def test_what_cannot_be_exported_is_said_and_nothing_is_written(
    tmp_path: Path, epochs: tuple[int, ...], words: tuple[str, ...], code: int, why: str
) -> None:
    published(tmp_path, *epochs)
    before = names(tmp_path)
    done = export(tmp_path, *words)
    assert done.code == code and why in done.err, done
    assert names(tmp_path) == before | {"journal"} & names(tmp_path)


@pytest.mark.slow
def test_a_full_disk_is_said_and_nothing_is_half_written(
    tmp_path: Path, small_disk: Path, fill_disk: Callable[[], None]
) -> None:
    published(tmp_path, 3)
    fill_disk()
    done = export(tmp_path, RUN_ID, to=str(small_disk / "model"))
    assert done.code == 7 and "The disk is full." in done.err, done
    assert names(small_disk) == {"hog"}


def test_the_runs_that_were_published_are_listed_with_what_is_kept_of_them(tmp_path: Path) -> None:
    files = published(tmp_path, 3, 7)
    shown = workerbee(tmp_path, "runs").out
    link = files.link_file.read_text()
    for words in (
        f"{RUN_ID}: Tiny sums",
        "not published now, open",
        link,
        "epoch        7",
        "loss 0.571 after epoch 7",
    ):
        assert words in shown, shown
    assert "epoch 7 (loss 0.571), epoch 3 (loss 1.33)" in shown
    with try_lock(files.path) or pytest.fail("nobody holds it"):  # as the process that publishes it does
        (told,) = map(json.loads, workerbee(tmp_path, "runs", "--json").out.splitlines())
    assert told["published"] and told["address"] == link and told["organiser"] in link
    assert [(each["epoch"], each["loss"]) for each in told["checkpoints"]] == [(7, 4 / 7), (3, 4 / 3)]
    assert told["evaluations"][-1] == {"epoch": 7, "loss": 4 / 7}


def test_the_list_says_what_was_asked_of_a_runs_peers_and_drops_what_was_given_up(tmp_path: Path) -> None:
    files = published(tmp_path, 3, 7)
    organiser = Identity.load_or_create(files.identity_path).peer_id
    order_rollback(files, organiser, RUN_ID, 3, time.time())
    paused = Order(state="paused", since=time.time(), reason="We look at it.")
    ask_control(files, asked_control(files, organiser, RUN_ID).ordered(paused, time.time()))
    shown = workerbee(tmp_path, "runs").out
    assert re.search(r"order +The organiser paused the run at .+: We look at it\n", shown), shown
    assert re.search(r"taken back +to epoch 3 ", shown) and "loss 1.33 after epoch 3" in shown, shown
    (told,) = map(json.loads, workerbee(tmp_path, "runs", "--json").out.splitlines())
    assert told["order"] == "paused" and [each["epoch"] for each in told["evaluations"]] == [3]


def test_the_runs_that_are_helped_are_listed_in_their_order(tmp_path: Path) -> None:
    addresses = (Multiaddr(f"/ip4/192.0.2.1/tcp/31337/p2p/{ORGANISER}"),)
    file = RunOrderFile(DataFolder(tmp_path / "home" / "data").run_order_file)
    for run_id, name in (("words", "Words"), ("sums", "Sums")):
        run = UnfinishedRun(addresses=addresses, run_id=run_id, organiser=ORGANISER, vouched=True, device="cpu")
        file.keep(file.order.with_run(OrderedRun(name=name, run=run)))
    assert workerbee(tmp_path, "runs").out.endswith("in this order:\n  1. Words (words)\n  2. Sums (sums)\n")
    told = list(map(json.loads, workerbee(tmp_path, "runs", "--json").out.splitlines()))
    assert [(each["event"], each["place"], each["id"]) for each in told] == [
        ("run_in_order", 1, "words"),
        ("run_in_order", 2, "sums"),
    ]


def test_without_a_run_the_list_says_so(tmp_path: Path) -> None:
    assert workerbee(tmp_path, "runs").out == "No run was published from here.\n"
