"""Rounds that are replayed lead to the very weights of those who took part, or are refused."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from hivemind.proto import averaging_pb2
from torch import Tensor

from core.worker.swarm.local_sgd.catch_up import MOST_ROUNDS_NEAR
from core.worker.swarm.local_sgd.codecs.wire import codec
from core.worker.swarm.local_sgd.outer_optimizer import MOMENTUM, OuterNesterov
from core.worker.swarm.local_sgd.replay import Replay, Round, replayed_log, requested_version, version_of_state
from core.worker.swarm.local_sgd.round_log import MAX_ROUNDS, RoundLog
from core.worker.swarm.state_parts import download, minimum_rate, part_index, partial_file, server
from core.worker.swarm.state_parts.partial_file import PartialFile
from tests.worker.local_sgd.members import Donor, Newcomer

SHAPES = (20, 30), (7,)
LENGTHS = [600, 7]
CODEC = codec("int8")
OUTER = partial(OuterNesterov, lr=0.7, momentum=0.9)


class Participant:
    """Base weights that every round moves."""

    def __init__(self) -> None:
        generator = torch.Generator().manual_seed(1)
        self.weights = [torch.nn.Parameter(torch.randn(shape, generator=generator)) for shape in SHAPES]
        self.steps = torch.zeros(1)
        self.outer = OUTER(self.weights, outer_steps=self.steps)

    def state(self) -> list[Tensor]:
        """A copy of what a newcomer downloads."""
        velocities = [self.outer.state[weights][MOMENTUM] for weights in self.weights]
        return [each.detach().clone() for each in (*self.weights, self.steps, *velocities)]

    def take_part(self) -> tuple[Round, list[Tensor]]:
        """Step by a random average; the round as others are told of it, and the encoded parts."""
        encoded = [CODEC.encode(torch.randn(length)) for length in LENGTHS]
        average = torch.cat([CODEC.decode(part, length) for part, length in zip(encoded, LENGTHS, strict=True)])
        start = 0
        for weights in self.weights:
            weights.grad = average[start : start + weights.numel()].view(weights.shape).clone()
            start += weights.numel()
        self.outer.step()
        return Round(LENGTHS, self.outer.version()[1]), encoded


def replayed(state: list[Tensor], *rounds: tuple[Round, list[Tensor]]) -> Replay:
    """That state after those rounds."""
    replay = Replay(state, CODEC, OUTER)
    for told, parts in rounds:
        replay.begin(told)
        for number, part in enumerate(parts):
            replay.add(number, part)
        replay.step()
    return replay


def test_replayed_rounds_lead_to_the_same_bits() -> None:
    participant = Participant()
    before = participant.state()
    replay = replayed(before, participant.take_part(), participant.take_part())
    assert replay.version == participant.outer.version()
    assert all(map(torch.equal, replay.tensors(), participant.state()))


def test_the_rounds_of_a_log_lead_to_the_same_bits(tmp_path: Path) -> None:
    participant, round_log = Participant(), RoundLog(tmp_path)
    before = participant.state()
    for _ in range(2):
        began = participant.outer.version()
        _told, parts = participant.take_part()
        round_log.write(LENGTHS, parts)
        round_log.advance(began, participant.outer.version())
    replay = replayed_log(partial(Replay, before, CODEC, OUTER), round_log.beyond(version_of_state(before)))
    assert all(map(torch.equal, replay.tensors(), participant.state()))


def test_replaying_leaves_the_state_that_it_begins_with_alone() -> None:
    participant = Participant()
    before = participant.state()
    kept = [tensor.clone() for tensor in before]
    replayed(before, participant.take_part())
    assert all(map(torch.equal, before, kept))


def test_a_round_that_leads_elsewhere_is_refused() -> None:
    participant = Participant()
    before = participant.state()
    told, parts = participant.take_part()
    parts[0][-1] ^= 1
    with pytest.raises(ValueError, match="does not lead"):
        replayed(before, (told, parts))


@pytest.mark.parametrize("lengths", [[600, 6], [600, 8], [607, 0], [700, -93], [7, 600], []])
def test_parts_that_are_not_the_models_are_refused(lengths: list[int]) -> None:
    participant = Participant()
    before = participant.state()
    told, parts = participant.take_part()
    with pytest.raises(ValueError, match="not those of the model"):
        replayed(before, (Round(lengths, told.root), parts))


def test_a_part_of_another_size_is_refused() -> None:
    participant = Participant()
    before = participant.state()
    told, parts = participant.take_part()
    with pytest.raises(ValueError, match="no encoding"):
        replayed(before, (told, [parts[0][:-1], parts[1]]))


@pytest.mark.parametrize("nonsense", [b"", b"\xc1", b"\x92\x01\xa1x", b"\x92\x01\xc4\x01x", b"x" * 10_000])
def test_a_request_that_is_nonsense_asks_for_nothing(nonsense: bytes) -> None:
    assert requested_version(nonsense) is None


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the parts that come from donors; a state of 607 weights has 15 or 16 of them."""
    for module in (download, part_index, partial_file, server):
        monkeypatch.setattr(module, "PART_BYTES", 256)
    numbers, write = list[int](), PartialFile.write

    def noted(file: PartialFile, number: int, data: bytes) -> None:
        numbers.append(number)
        write(file, number, data)

    monkeypatch.setattr(PartialFile, "write", noted)
    return numbers


def differing(tmp_path: Path, *wrong: int, rounds_missed: int) -> Newcomer:
    """A member whose weights of those places in the first matrix are wrong, beside one that has gone on since."""
    right = Donor(tmp_path / "right")
    right.take_rounds(MAX_ROUNDS + 1)
    state = right.state()
    state[0].view(-1)[list(wrong)] += 1.0
    right.take_rounds(rounds_missed)
    return Newcomer(state, right, downloads=tmp_path / "downloads")


@pytest.mark.parametrize("rounds_missed", [0, 1, MOST_ROUNDS_NEAR])
def test_who_differs_in_some_parts_fetches_only_those_and_the_rounds_since(
    tmp_path: Path, rounds_missed: int, fetched: list[int]
) -> None:
    differing(tmp_path, 0, 599, rounds_missed=rounds_missed).download()
    assert len(fetched) == 2
    assert list((tmp_path / "downloads").iterdir()) == []


@pytest.mark.parametrize("rounds_missed", [MOST_ROUNDS_NEAR + 1, MAX_ROUNDS + 1])
def test_who_differs_and_has_missed_more_rounds_fetches_all_parts(
    tmp_path: Path, rounds_missed: int, fetched: list[int]
) -> None:
    differing(tmp_path, 0, rounds_missed=rounds_missed).download()
    assert len(fetched) > 10


def test_a_donor_without_those_rounds_sends_all_parts(
    tmp_path: Path, fetched: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = differing(tmp_path, 0, rounds_missed=1)
    monkeypatch.setattr(RoundLog, "from_steps", lambda *_: [])
    wrong.download()
    assert len(fetched) > 10


def test_rounds_of_another_run_cost_a_download_of_all_parts(
    tmp_path: Path, fetched: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong, other = differing(tmp_path, 0, rounds_missed=1), Donor(tmp_path / "other", seed=2)
    other.take_rounds(MAX_ROUNDS + 2)
    rounds = other._round_log.from_steps(MAX_ROUNDS + 1)
    assert len(rounds) == 1
    monkeypatch.setattr(RoundLog, "from_steps", lambda *_: rounds)
    wrong.download()
    assert len(fetched) > 10


class Dripping(Donor):
    """It sends a part of a round now and then."""

    async def rpc_missed_rounds(self, *asked: Any) -> AsyncIterator[averaging_pb2.DownloadData]:
        """The rounds, 1,500 bytes a second."""
        async for message in super().rpc_missed_rounds(*asked):
            yield message
            await asyncio.sleep(0.2)


def test_who_drips_its_rounds_is_left_out_as_long_as_there_is_another_donor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(minimum_rate, "PERIOD_SECONDS", 0.3)
    dripping, honest = (kind(tmp_path / kind.__name__) for kind in (Dripping, Donor))
    state = honest.state()
    for each in (dripping, honest):
        each.take_rounds(2)
    late = Newcomer(state, dripping, honest)
    first, second = late.answer(), late.answer()
    assert first is not None and first[1] is None and late.donors[first[0]] is dripping
    assert second is not None and second[1] is not None and late.donors[second[0]] is honest
    Newcomer(state, dripping).download()
    assert dripping.whole_states == honest.whole_states == 0
