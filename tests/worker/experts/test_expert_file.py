"""A host that comes back after a crash goes on with its experts as its disk has them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import torch
from safetensors.torch import save

from core.run.spec.experts import ExpertsSpec
from core.worker.experts.block import ExpertId
from core.worker.experts.expert_file import MAX_COPIES, ExpertFiles
from core.worker.experts.hosted_expert import MOST_STEPS, HostedExpert

RUN_ID, HIDDEN = "experts", 4
SPEC = ExpertsSpec(expansion=2, batch_tokens=1)


def hosted() -> HostedExpert:
    """One that takes a step with every request."""
    return HostedExpert(ExpertId(1, 2), HIDDEN, SPEC)


def learn(expert: HostedExpert, steps: int) -> None:
    """Take so many steps, whose gradients follow from the number of each."""
    for _ in range(steps):
        random = torch.Generator().manual_seed(expert.steps)
        tokens, gradient = torch.randn(2, 3, HIDDEN, generator=random)
        expert.backward("a", tokens, gradient, None)


def endless() -> bytes:
    """A file of that run with a tensor of no bytes, whose shape safetensors accepts and PyTorch does not."""
    tensor = {"dtype": "F32", "shape": [0, 2**63], "data_offsets": [0, 0]}
    header = msgspec.json.encode({"__metadata__": {"run_id": RUN_ID, "steps": "1"}, "endless": tensor})
    return len(header).to_bytes(8, "little") + header


def test_an_expert_that_was_read_learns_on_as_if_nothing_had_been(tmp_path: Path) -> None:
    first, second = hosted(), hosted()
    learn(first, 5)
    ExpertFiles(tmp_path, RUN_ID).write(first)
    ExpertFiles(tmp_path, RUN_ID).read(second)
    assert second.steps == 5
    for each in (first, second):
        learn(each, 3)
    torch.testing.assert_close(first.whole_state(), second.whole_state(), rtol=0, atol=0)


def test_a_file_is_written_only_where_something_was_learned(tmp_path: Path) -> None:
    files, expert = ExpertFiles(tmp_path, RUN_ID), hosted()
    files.write(expert)
    assert list(tmp_path.iterdir()) == []
    learn(expert, 1)
    files.write(expert)
    (path,) = tmp_path.iterdir()
    path.unlink()
    files.write(expert)
    assert not path.exists()


def test_a_file_that_is_damaged_or_of_another_run_is_moved_aside(tmp_path: Path) -> None:
    expert = hosted()
    learn(expert, 1)
    ExpertFiles(tmp_path, "another").write(expert)
    (path,) = tmp_path.iterdir()
    for damaged in (b"\x08" + bytes(20), endless(), save(expert.state(), {"run_id": RUN_ID}), b""):
        fresh = hosted()
        ExpertFiles(tmp_path, RUN_ID).read(fresh)
        assert fresh.steps == 0 and not path.exists()
        path.write_bytes(damaged)


def test_a_state_with_numbers_that_are_not_finite_is_refused(tmp_path: Path) -> None:
    expert, fresh = hosted(), hosted()
    learn(expert, 1)
    expert._parameters[0].data[0, 0] = torch.nan
    ExpertFiles(tmp_path, RUN_ID).write(expert)
    ExpertFiles(tmp_path, RUN_ID).read(fresh)
    assert fresh.steps == 0 and all(each.isfinite().all() for each in fresh.state().values())


@pytest.mark.parametrize("steps", [-1, MOST_STEPS + 1, 2**64, 10**400])
def test_a_state_with_steps_that_cannot_be_is_refused_before_it_can_be_announced(tmp_path: Path, steps: int) -> None:
    expert, fresh = hosted(), hosted()
    learn(expert, 1)
    sent = save(expert.whole_state(), {"run_id": RUN_ID, "steps": str(steps)})
    with pytest.raises(ValueError, match="more steps than can be taken"):
        ExpertFiles(tmp_path, RUN_ID).restore(fresh, sent)
    assert fresh.steps == 0


def test_an_expert_for_which_somebody_has_claimed_all_steps_learns_on_and_counts_no_further() -> None:
    expert = hosted()
    learn(expert, 1)
    expert.restore(expert.whole_state(), MOST_STEPS)
    before = expert.state()
    learn(expert, 1)
    assert expert.steps == MOST_STEPS and any(
        not torch.equal(before[name], each) for name, each in expert.state().items()
    )


def test_what_a_process_leaves_of_its_own_or_others_experts_the_next_one_tells_and_goes_on_from(tmp_path: Path) -> None:
    mine, others, files = hosted(), HostedExpert(ExpertId(1, 5), HIDDEN, SPEC), ExpertFiles(tmp_path, RUN_ID)
    learn(mine, 2)
    files.write(mine)
    learn(others, 4)
    files.write_copy(others, files.data_of(others))
    for name, damaged in (("copy-1-6", b"\x08" + bytes(20)), ("copy-1-7", b""), ("expert-1-8", b"\xff" * 99)):
        (tmp_path / f"{name}.safetensors").write_bytes(damaged)
    assert ExpertFiles(tmp_path, "another").copies([mine.id, others.id]) == {}
    files = ExpertFiles(tmp_path, RUN_ID)
    assert files.copies() == {} and files.copies([mine.id, others.id]) == {mine.id: 2, others.id: 4}
    for expert, name in ((mine.id, "expert-1-2"), (others.id, "copy-1-5")):
        assert files.copy_of(expert) == (tmp_path / f"{name}.safetensors").read_bytes()
    successor = HostedExpert(others.id, HIDDEN, SPEC)
    files.read(successor)
    assert successor.steps == 4 and files.copies([mine.id, others.id]) == {mine.id: 2}


def test_an_expert_that_goes_on_from_a_copy_is_under_its_own_name_at_once(tmp_path: Path) -> None:
    first, files = hosted(), ExpertFiles(tmp_path, RUN_ID)
    learn(first, 1)
    files.write(first)
    learn(first, 2)
    files.write_copy(first, files.data_of(first))
    second = hosted()
    files.read(second)
    files.write(second)
    (tmp_path / "copy-1-2.safetensors").unlink()
    third = hosted()
    ExpertFiles(tmp_path, RUN_ID).read(third)
    assert second.steps == third.steps == 3


def test_a_newer_copy_takes_the_place_of_what_an_earlier_process_has_left(tmp_path: Path) -> None:
    old, new = hosted(), hosted()
    learn(old, 2)
    ExpertFiles(tmp_path, RUN_ID).write(old)
    files = ExpertFiles(tmp_path, RUN_ID)
    assert files.steps_of_copy(old.id) == 2
    learn(new, 3)
    data = files.data_of(new)
    files.write_copy(new, data)
    assert files.copies() == {new.id: 3} and files.copy_of(new.id) == data
    third = hosted()
    files.read(third)
    assert third.steps == 3 and files.copies() == {new.id: 3}


def test_an_expert_that_was_dropped_is_told_and_gone_on_from_once_nobody_answers_for_it(tmp_path: Path) -> None:
    """A host drops what others have taken over while it slept, and they may vanish in turn."""
    dropped, older, files = hosted(), hosted(), ExpertFiles(tmp_path, RUN_ID)
    learn(older, 1)
    files.write_copy(older, files.data_of(older))
    learn(dropped, 3)
    files.leave(dropped)
    assert files.copies() == {} and files.copies([dropped.id]) == {dropped.id: 3}
    assert files.copy_of(dropped.id) == (tmp_path / "expert-1-2.safetensors").read_bytes()
    again = hosted()
    files.read(again)
    assert again.steps == 3 and files.copies([dropped.id]) == {}


def test_however_many_experts_were_left_each_is_gone_on_from_and_the_newest_are_told(tmp_path: Path) -> None:
    expert, left = hosted(), [ExpertId(0, number) for number in range(MAX_COPIES + 40)]
    learn(expert, 1)
    for number, each in enumerate(left, 1):
        named = save(expert.whole_state(), {"run_id": RUN_ID, "steps": str(number)})
        (tmp_path / f"copy-{each.layer}-{each.number}.safetensors").write_bytes(named)
    files = ExpertFiles(tmp_path, RUN_ID)
    assert sorted(files.copies(left).values()) == [*range(41, len(left) + 1)]
    oldest = HostedExpert(left[0], HIDDEN, SPEC)
    files.read(oldest)
    assert oldest.steps == 1
    torch.testing.assert_close(oldest.whole_state(), expert.whole_state(), rtol=0, atol=0)
