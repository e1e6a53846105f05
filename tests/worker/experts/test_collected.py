"""What an organiser keeps of its run's experts: for each checkpoint the states that belong to it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from core.worker.experts.block import ExpertId
from core.worker.experts.collected import CollectedExperts, by_nearness
from core.worker.experts.expert_file import ExpertFiles
from core.worker.experts.hosted_expert import HostedExpert
from tests.worker.experts.test_expert_file import HIDDEN, RUN_ID, SPEC, endless, hosted, learn

EXPERT = hosted().id


def collected(folder: Path) -> CollectedExperts:
    """Those of the run, in that folder."""
    return CollectedExperts(folder / "collected", RUN_ID, HIDDEN, SPEC)


def file_of(expert: HostedExpert, run_id: str = RUN_ID) -> bytes:
    """What its host sends."""
    return ExpertFiles(Path(), run_id).data_of(expert)


def test_the_weights_of_an_expert_come_back_and_nothing_else_of_its_file_is_kept(tmp_path: Path) -> None:
    kept, expert = collected(tmp_path), hosted()
    learn(expert, 3)
    data = file_of(expert)
    assert kept.put(EXPERT, 20, data) == 3
    assert kept.epochs() == {EXPERT: [20]}
    torch.testing.assert_close(kept.read(EXPERT, 20), expert.state(), rtol=0, atol=0)
    (path,) = kept.folder.iterdir()
    assert path.stat().st_size < len(data) / 2


def test_what_is_no_state_of_that_expert_is_not_kept(tmp_path: Path) -> None:
    kept, expert, wide = collected(tmp_path), hosted(), HostedExpert(EXPERT, 2 * HIDDEN, SPEC)
    learn(expert, 1)
    with torch.no_grad():
        expert._parameters[0][0, 0] = torch.nan
    for data in (file_of(expert), file_of(hosted(), "another"), file_of(wide), b"", b"\x08" + bytes(20), endless()):
        with pytest.raises(ValueError):
            kept.put(EXPERT, 20, data)
    assert kept.epochs() == {}


def test_a_file_that_was_damaged_or_is_gone_is_told_apart(tmp_path: Path) -> None:
    kept = collected(tmp_path)
    kept.put(EXPERT, 20, file_of(hosted()))
    (path,) = kept.folder.iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    for epoch in (20, 30):
        with pytest.raises(ValueError):
            kept.read(EXPERT, epoch)


def test_a_state_that_stays_is_there_at_later_epochs_too_and_takes_no_room(tmp_path: Path) -> None:
    kept = collected(tmp_path)
    kept.put(EXPERT, 20, file_of(hosted()))
    assert kept.keep_on(EXPERT, 20, 30) and kept.keep_on(EXPERT, 30, 30)
    assert not kept.keep_on(EXPERT, 10, 40)
    assert kept.epochs() == {EXPERT: [20, 30]}
    assert len({path.stat().st_ino for path in kept.folder.iterdir()}) == 1


def test_each_checkpoint_keeps_the_newest_states_before_it_and_the_others_are_removed(tmp_path: Path) -> None:
    kept, late = collected(tmp_path), ExpertId(1, 3)
    for epoch in (10, 14, 20, 25, 30, 40):
        kept.put(EXPERT, epoch, file_of(hosted()))
    for epoch in (25, 28):
        kept.put(late, epoch, file_of(HostedExpert(late, HIDDEN, SPEC)))
    interrupted = kept.folder / ".1-2-50.safetensors.x.tmp"
    interrupted.write_bytes(b"half")
    kept.forget_all_but([10, 23, 30])
    assert kept.epochs() == {EXPERT: [10, 20, 30, 40], late: [25, 28]}
    assert not interrupted.exists()


def test_the_last_state_before_an_epoch_suits_it_best_and_then_the_first_one_after_it() -> None:
    assert by_nearness([10, 20, 30, 40], 25) == [20, 10, 30, 40]
    assert by_nearness([], 25) == []
