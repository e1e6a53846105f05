"""Base weights from several members at once: frozen while they go on, right in every bit, and led to the present."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
import torch
from hivemind.p2p import PeerID
from hivemind.proto import runtime_pb2

from core.worker.swarm.averaging.state_validation import BUSY
from core.worker.swarm.local_sgd import catch_up, frozen_state
from core.worker.swarm.local_sgd.frozen_state import FrozenState
from core.worker.swarm.local_sgd.replay import WhatWeHave
from core.worker.swarm.local_sgd.round_log import MAX_FROZEN_ROUNDS, MAX_ROUNDS, RoundLog
from core.worker.swarm.local_sgd.state_donor import MAX_ROUND_DOWNLOADS, StateDonor
from core.worker.swarm.patches.shunned_peers import BarredPeers
from core.worker.swarm.state_parts import download
from core.worker.swarm.state_parts.messages import Offer, Version, Wish, decoded, request
from core.worker.swarm.state_parts.server import SharedFile
from tests.worker.local_sgd.members import Donor, Newcomer

ROUNDS = MAX_ROUNDS + 3  # so many do not lead here from untrained weights


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for long."""
    monkeypatch.setattr(download, "RETRY_SECONDS", 0.05)
    monkeypatch.setattr(frozen_state, "TRY_AGAIN_SECONDS", 0.05)


def members(folder: Path, *seeds: int) -> list[Donor]:
    """Some that have taken the same rounds, if their seeds are the same."""
    found = [Donor(folder / str(number), seed) for number, seed in enumerate(seeds)]
    for each in found:
        each.take_rounds(ROUNDS)
    return found


def newcomer(folder: Path, *donors: Donor) -> Newcomer:
    return Newcomer(Donor(folder / "untrained").state(), *donors, downloads=folder / "downloads")


def frozen(folder: Path) -> list[Path]:
    """The states that are frozen anywhere below that folder."""
    return list(folder.rglob("*.frozen"))


def test_the_state_of_three_members_comes_in_parts(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    donors = members(tmp_path, 1, 1, 1)
    with caplog.at_level(logging.INFO):
        newcomer(tmp_path, *donors).download()
    assert "3 of 3 donors have a state" in caplog.text
    assert [donor.whole_states for donor in donors] == [0, 0, 0]
    assert list((tmp_path / "downloads").iterdir()) == []


@pytest.mark.parametrize("rounds", [1, MAX_ROUNDS + 2])
def test_who_downloads_for_long_comes_to_the_present_by_the_rounds_since(tmp_path: Path, rounds: int) -> None:
    (donor,) = members(tmp_path, 1)
    late = newcomer(tmp_path, donor)
    begun = donor.outer.version()

    async def frozen_when_asked() -> Any:
        return await donor._frozen.offered(begun, donor._own_state, is_served=False)

    asyncio.run(frozen_when_asked())
    donor.take_rounds(rounds)
    donor._slots.take("somebody else")  # so that the state stays the one that was frozen
    late.download()
    assert donor.whole_states == 0
    assert [path.name.split("-")[0] for path in frozen(tmp_path)] == [str(begun[0])]


def test_who_does_not_speak_of_parts_sends_its_whole_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (donor,) = members(tmp_path, 1)

    async def unknown(*_: Any) -> AsyncIterator[Any]:
        raise OSError("protocol not supported")
        yield

    monkeypatch.setattr(donor, "rpc_state_parts", unknown, raising=True)
    newcomer(tmp_path, donor).download()
    assert donor.whole_states == 1


def test_a_full_disk_costs_a_download_in_one_piece(
    small_disk: Path, tmp_path: Path, fill_disk: Callable[[], None]
) -> None:
    (donor,) = members(tmp_path, 1)
    late = Newcomer(Donor(tmp_path / "untrained").state(), donor, downloads=small_disk / "downloads")
    fill_disk()
    late.download()
    assert donor.whole_states == 1


def test_a_cut_after_the_last_part_costs_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (donor,) = members(tmp_path, 1)
    late = newcomer(tmp_path, donor)

    async def cut_off(*_: Any) -> Any:
        raise TimeoutError

    with monkeypatch.context() as patched:
        ask = late._led_to_present
        asked = iter([ask, cut_off])  # for the rounds that lead on from our own weights, and from the state
        patched.setattr(late, "_led_to_present", lambda *what: next(asked)(*what))
        first = late.answer()
    assert first is not None and first[1] is None
    (path,) = (tmp_path / "downloads").iterdir()
    monkeypatch.setattr("core.worker.swarm.state_parts.partial_file.PartialFile.write", None)  # nothing is written
    late.download()
    assert donor.whole_states == 0 and not path.exists()


def test_a_donor_that_serves_others_after_the_last_part_is_busy_and_costs_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (donor,) = members(tmp_path, 1)
    late, take_out = newcomer(tmp_path, donor), catch_up._taken_out

    def meanwhile(*what: Any) -> Any:
        donor.take_rounds(1)
        for name in range(MAX_ROUND_DOWNLOADS):
            donor._round_slots.take(name)
        return take_out(*what)

    with monkeypatch.context() as patched:
        patched.setattr(catch_up, "_taken_out", meanwhile)
        first = late.answer()
    assert first is not None and first[1] is BUSY
    for slot in [*donor._round_slots._taken.values()]:
        donor._round_slots.free(slot)
    monkeypatch.setattr("core.worker.swarm.state_parts.partial_file.PartialFile.write", None)  # nothing is written
    late.download()
    assert donor.whole_states == 0


class Forger(Donor):
    """It tells of the right version, and shares a file with other weights."""

    async def _get_current_state_from_host_process(self) -> Any:
        told, state, infos = await super()._get_current_state_from_host_process()
        state[0] += 1.0
        return told, state, infos


def test_weights_with_another_hash_are_refused_and_so_are_all_who_have_told_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    forgers = [Forger(tmp_path / name) for name in ("forger", "other forger")]
    (honest,) = members(tmp_path, 1)
    for each in forgers:
        each.take_rounds(ROUNDS)
    late = newcomer(tmp_path, *forgers, honest)
    with monkeypatch.context() as patched:
        patched.setattr(frozen_state, "check_state_file", lambda *_: honest.outer.version())
        first = late.answer()
    assert first is not None and first[1] is None
    assert late.donors[first[0]] is not honest
    assert "another hash than they have told" in caplog.text
    second = late.answer(first[0])
    assert second is not None and second[1] is not None
    assert late.donors[second[0]] is honest
    assert all(map(torch.equal, second[1][1], honest.state()))


def test_what_was_accepted_and_turns_out_bad_is_blamed_on_all_who_had_it(tmp_path: Path) -> None:
    strangers, (honest,) = members(tmp_path / "strangers", 2, 2), members(tmp_path, 1)
    late = newcomer(tmp_path, *strangers, honest)
    first = late.answer()
    assert first is not None and first[1] is not None
    assert all(map(torch.equal, first[1][1], strangers[0].state()))
    second = late.answer(first[0])  # its trial was lost
    assert second is not None and second[1] is not None
    assert late.donors[second[0]] is honest


def test_a_download_that_nobody_waits_for_any_more_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (donor,) = members(tmp_path, 1)
    late, answered = newcomer(tmp_path, donor), list[Any]()
    never = asyncio.Event()

    async def waits(*_: Any) -> Any:
        await never.wait()

    async def twice() -> None:
        stands = SimpleNamespace(set_result=answered.append)
        with monkeypatch.context() as patched:
            patched.setattr(late, "_download", waits)
            first = asyncio.create_task(late._fetch_state(stands, (), 10**6))
            await asyncio.sleep(0.05)
        await late._fetch_state(stands, (), 10**6)
        assert first.cancelled()

    asyncio.run(twice())
    assert [each[1] is None for each in answered] == [True, False]


async def first_message(donor: Donor, peer: str) -> Any:
    """What a newcomer of that name is told first; the stream stays open."""

    async def wishes() -> AsyncIterator[Any]:
        yield request(Wish())
        await asyncio.Event().wait()

    stream = donor.rpc_state_parts(wishes(), SimpleNamespace(remote_id=peer))
    message = await anext(stream, None)
    return (None if message is None else decoded(message.metadata, Offer)), stream


def test_a_third_newcomer_is_asked_to_come_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (donor,) = members(tmp_path, 1)

    async def three() -> None:
        streams = []
        for name in ("one", "two"):
            offer, stream = await first_message(donor, name)
            streams.append(stream)
            assert offer.version == donor.outer.version()
        assert (await first_message(donor, "three"))[0] == Offer("busy")
        sent = StateDonor.rpc_download_state(donor, Any, SimpleNamespace(remote_id="three"))
        assert [each async for each in sent] == []
        await streams.pop().aclose()
        assert (await first_message(donor, "three"))[0].version == donor.outer.version()

    asyncio.run(three())


def test_who_shares_nothing_offers_nothing(tmp_path: Path) -> None:
    (donor,) = members(tmp_path, 1)
    donor.allow_state_sharing = False
    assert asyncio.run(first_message(donor, "one"))[0] is None


def test_a_state_that_an_outer_step_has_torn_is_not_shared(tmp_path: Path) -> None:
    (donor,) = members(tmp_path, 1)

    async def torn() -> Any:
        state = donor.state()
        state[0].view(-1)[0] += 1
        return state

    assert asyncio.run(donor._frozen.offered(None, torn, is_served=False)) is None
    assert frozen(tmp_path) == []


def test_a_frozen_state_is_freed_when_nobody_comes_any_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (donor,) = members(tmp_path, 1)
    monkeypatch.setattr(frozen_state, "KEEP_SECONDS", 0.2)

    async def wait() -> None:
        assert isinstance(await donor._frozen.offered(None, donor._own_state, is_served=False), SharedFile)
        assert len(frozen(tmp_path)) == 1
        while frozen(tmp_path):
            await asyncio.sleep(0.02)

    asyncio.run(asyncio.wait_for(wait(), 10.0))


def offered(state: FrozenState, donor: Donor, wanted: Version | None, is_served: bool) -> Any:
    return asyncio.run(state.offered(wanted, donor._own_state, is_served=is_served))


def test_while_one_downloads_the_state_stays_and_then_it_is_a_newer_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frozen_state, "RECENT_SECONDS", 0.0)
    (donor,) = members(tmp_path, 1)
    first = offered(donor._frozen, donor, None, False)
    donor.take_rounds(2)
    assert offered(donor._frozen, donor, None, True) is first
    assert offered(donor._frozen, donor, first.index.version, False) is first
    second = offered(donor._frozen, donor, None, False)
    assert second.index.version == donor.outer.version()
    assert frozen(tmp_path) == [second.path]
    donor.take_rounds(MAX_FROZEN_ROUNDS + 1)
    assert offered(donor._frozen, donor, None, True) == "busy"  # nothing leads on from it


def test_rounds_that_lead_on_from_a_frozen_state_are_kept(tmp_path: Path) -> None:
    (donor,) = members(tmp_path, 1)
    begun = donor.outer.version()
    offered(donor._frozen, donor, None, False)
    donor.take_rounds(MAX_ROUNDS + 5)
    assert len(donor._round_log.since(begun)) == MAX_ROUNDS + 5
    donor._round_log.discard_frozen()
    donor.take_rounds(1)
    assert donor._round_log.since(begun) == []
    assert len(list((tmp_path / "0").glob("*.round"))) == MAX_ROUNDS


def test_what_a_crash_has_left_of_a_frozen_state_is_removed_at_the_next_start(tmp_path: Path) -> None:
    (donor,) = members(tmp_path, 1)
    offered(donor._frozen, donor, None, False)
    (tmp_path / "0" / ".9-ff.frozen.abc.tmp").touch()
    RoundLog(tmp_path / "0")
    assert list((tmp_path / "0").glob("*frozen*")) == []


def test_who_has_no_ticket_of_a_closed_run_is_sent_neither_rounds_nor_parts(tmp_path: Path) -> None:
    donor, invited = Donor(tmp_path), PeerID(b"\x12\x20" + bytes(32))
    before = donor.outer.version()
    donor.take_rounds(1)
    donor._slots.barred = BarredPeers(admitted={invited: b"key"})

    async def sent(peer: PeerID) -> tuple[int, Offer]:
        context: Any = SimpleNamespace(remote_id=peer)
        asked = runtime_pb2.ExpertRequest(metadata=msgspec.msgpack.encode(WhatWeHave(*before)))
        rounds = [message async for message in donor.rpc_missed_rounds(asked, context)]
        answers = [message async for message in donor.rpc_state_parts(asking(), context)]
        return len(rounds), decoded(answers[0].metadata, Offer)

    async def asking() -> AsyncIterator[runtime_pb2.ExpertRequest]:
        yield request(Wish())

    stranger = asyncio.run(sent(PeerID(b"\x12\x20" + bytes([1]) * 32)))
    assert stranger == (0, Offer("busy"))
    rounds, offer = asyncio.run(sent(invited))
    assert rounds > 1 and offer != Offer("busy")
