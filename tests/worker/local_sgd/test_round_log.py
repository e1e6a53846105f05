"""The round log: a chain of rounds that ends at the present base weights, on a disk that may fail."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from core.worker.swarm.local_sgd.round_log import MAX_ROUNDS, RoundLog
from core.worker.swarm.state_parts.messages import Version


def version(steps: int) -> Version:
    return steps, bytes([steps]) * 16


def advance(log: RoundLog, before: int) -> None:
    """One round, whose average says which it is."""
    log.write([3, 2], [torch.full((3,), before, dtype=torch.uint8), torch.full((2,), before, dtype=torch.uint8)])
    log.advance(version(before), version(before + 1))


def begun(folder: Path) -> RoundLog:
    log = RoundLog(folder / "rounds")
    log.end_at(version(0))
    return log


def test_it_leads_from_every_version_it_knows_to_the_present_one(tmp_path: Path) -> None:
    log = begun(tmp_path)
    for before in range(3):
        advance(log, before)
    assert log.current() == version(3)
    rounds = log.since(version(1))
    assert [(each.before, each.after) for each in rounds] == [(version(1), version(2)), (version(2), version(3))]
    assert rounds[0].lengths() == [3, 2]
    assert [part.tolist() for part in rounds[0].parts()] == [[1, 1, 1], [1, 1]]
    assert log.since(version(3)) == []


def test_only_the_last_rounds_are_kept(tmp_path: Path) -> None:
    log = begun(tmp_path)
    for before in range(MAX_ROUNDS + 3):
        advance(log, before)
    assert len(log.since(version(3))) == MAX_ROUNDS
    assert log.since(version(2)) == []
    assert len([*(tmp_path / "rounds").glob("*.round")]) == MAX_ROUNDS


def test_other_weights_with_as_many_steps_are_led_nowhere(tmp_path: Path) -> None:
    log = begun(tmp_path)
    advance(log, 0)
    assert log.since((0, b"other weights...")) == []


def test_rounds_that_do_not_lead_to_our_weights_are_removed(tmp_path: Path) -> None:
    log = begun(tmp_path)
    advance(log, 0)
    log.end_at(version(7))  # downloaded
    assert log.since(version(0)) == []
    advance(log, 7)
    assert len(log.since(version(7))) == 1


def test_a_step_without_an_average_breaks_the_chain(tmp_path: Path) -> None:
    log = begun(tmp_path)
    advance(log, 0)
    log.advance(version(1), version(2))  # alone
    assert log.since(version(0)) == log.since(version(1)) == []
    assert log.current() == version(2)


def test_it_goes_on_after_a_restart(tmp_path: Path) -> None:
    advance(begun(tmp_path), 0)
    again = RoundLog(tmp_path / "rounds")
    again.end_at(version(1))  # the checkpoint's
    assert len(again.since(version(0))) == 1


def test_an_earlier_processs_rounds_lead_on_from_an_old_checkpoint(tmp_path: Path) -> None:
    log = begun(tmp_path)
    for before in range(3):
        advance(log, before)
    again = RoundLog(tmp_path / "rounds")
    again.begin_at(version(0))  # before the checkpoint has been read
    assert again.current() == version(0)
    assert [each.after for each in again.beyond(version(1))] == [version(2), version(3)]
    again.end_at(version(3))
    assert len(again.since(version(1))) == 2


def test_a_file_that_was_cut_off_cannot_be_read(tmp_path: Path) -> None:
    log = begun(tmp_path)
    advance(log, 0)
    (each,) = log.since(version(0))
    each.path.write_bytes(each.path.read_bytes()[:-2])
    with pytest.raises(ValueError, match="no file of safetensors"):
        list(each.parts())


def test_a_full_disk_costs_the_log_and_nothing_else(
    small_disk: Path, fill_disk: Callable[[], None], caplog: pytest.LogCaptureFixture
) -> None:
    log = begun(small_disk)
    fill_disk()
    log.write([2**20], [torch.zeros(2**20, dtype=torch.uint8)])
    log.advance(version(0), version(1))
    assert log.since(version(0)) == []
    assert "the round log cannot be written" in caplog.text


def test_without_a_folder_nothing_is_kept() -> None:
    log = RoundLog(None)
    advance(log, 0)
    assert not log.is_kept
    assert log.current() is None
    assert log.since(version(0)) == []
