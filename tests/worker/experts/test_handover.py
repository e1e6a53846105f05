"""An expert's state on its way to another host: whatever is changed, or signed in another's name, is refused."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from core.security.identity import Identity
from core.worker.experts.block import ExpertId
from core.worker.experts.expert_file import ExpertFiles
from core.worker.experts.hosted_expert import HostedExpert
from core.worker.swarm.experts.announcements import Hosted
from core.worker.swarm.experts.copies import COPIES, CopyKeeper
from core.worker.swarm.experts.handover import checked_state, longest_state, sign_state
from core.worker.swarm.experts.p2p_thread import P2PThread
from core.worker.swarm.experts.state_download import NoStateError
from tests.worker.experts.test_expert_file import HIDDEN, RUN_ID, SPEC, endless, hosted, learn

EXPERT = hosted().id


@pytest.fixture
def host(tmp_path: Path) -> Identity:
    """Whoever answers for the expert."""
    return Identity.load_or_create(tmp_path / "identity.key")


def test_a_state_is_its_hosts_whole_and_of_that_expert_and_run(host: Identity, tmp_path: Path) -> None:
    data, other = b"weights", Identity.load_or_create(tmp_path / "other.key")
    signed = sign_state(RUN_ID, EXPERT, 5, data, host)
    assert checked_state(RUN_ID, EXPERT, signed, data, host.peer_id) == 5
    for run_id, expert, record, sent, signer in (
        ("another", EXPERT, signed, data, host.peer_id),
        (RUN_ID, ExpertId(1, 3), signed, data, host.peer_id),
        (RUN_ID, EXPERT, signed[:-1] + bytes([signed[-1] ^ 1]), data, host.peer_id),
        (RUN_ID, EXPERT, signed, b"Weights", host.peer_id),
        (RUN_ID, EXPERT, signed, data, other.peer_id),
        (RUN_ID, EXPERT, b"", data, host.peer_id),
    ):
        with pytest.raises(NoStateError):
            checked_state(run_id, expert, record, sent, signer)


def test_the_file_of_an_expert_is_no_longer_than_what_may_be_sent(tmp_path: Path) -> None:
    expert = hosted()
    learn(expert, 1)
    assert len(ExpertFiles(tmp_path, RUN_ID).data_of(expert)) <= longest_state(expert.shape)


class Line(P2PThread):
    """Stands for the thread that calls hosts: the call is made at once."""

    def __init__(self) -> None:
        pass

    def submit(self, coroutine: Any) -> Future[Any]:
        """What the coroutine returns or raises."""
        answer = Future[Any]()
        try:
            answer.set_result(asyncio.run(coroutine))
        except Exception as error:
            answer.set_exception(error)
        return answer


def keeper_of(own: str, files: ExpertFiles, sent: dict[str, bytes]) -> CopyKeeper:
    """One that is sent these bytes by these hosts."""

    async def fetch(peer: str, _expert: ExpertId, _shape: object) -> tuple[bytes, int]:
        if peer not in sent:
            raise NoStateError("it does not answer")
        return sent[peer], 0

    return CopyKeeper(own, Line(), fetch, files, lambda expert: HostedExpert(expert, HIDDEN, SPEC))


def test_each_expert_is_copied_by_one_other_host_which_goes_on_from_there(tmp_path: Path) -> None:
    expert = hosted()
    learn(expert, 3)
    data = ExpertFiles(tmp_path / "host", RUN_ID).data_of(expert)
    announced = {"host": Hosted({EXPERT: 3}), "one": Hosted({}), "other": Hosted({})}
    copied = []
    for own in ("one", "other"):
        files = ExpertFiles(tmp_path / own, RUN_ID)
        others = {peer: each for peer, each in announced.items() if peer != own}
        if keeper_of(own, files, {"host": data}).keep(others):
            copied.append(files)
    assert len(copied) == COPIES and copied[0].copies() == {EXPERT: 3}
    successor = hosted()
    copied[0].read(successor)
    assert successor.steps == 3


def test_a_copy_that_is_no_state_of_the_expert_is_not_kept_and_a_newer_one_is_fetched(tmp_path: Path) -> None:
    expert = hosted()
    learn(expert, 3)
    data, files = ExpertFiles(tmp_path / "host", RUN_ID).data_of(expert), ExpertFiles(tmp_path / "own", RUN_ID)
    keeper = keeper_of("own", files, {"liar": b"\xff" * 100, "endless": endless(), "host": data})
    keeper.fetch_newest(EXPERT, {"liar": {EXPERT: 9}})
    keeper.fetch_newest(EXPERT, {"endless": {EXPERT: 9}})
    keeper.fetch_newest(EXPERT, {"nobody": {EXPERT: 9}})
    assert files.copies() == {}
    keeper.fetch_newest(EXPERT, {"host": {EXPERT: 3}, "late": {EXPERT: 1}})
    assert files.copies() == {EXPERT: 3} and files.copy_of(EXPERT) == data


def test_an_older_state_takes_the_place_of_no_copy_that_an_earlier_process_has_left(tmp_path: Path) -> None:
    expert, fresh = hosted(), hosted()
    learn(expert, 3)
    files = ExpertFiles(tmp_path, RUN_ID)
    files.write_copy(expert, files.data_of(expert))
    learn(fresh, 1)
    files = ExpertFiles(tmp_path, RUN_ID)
    keeper = keeper_of("own", files, {"host": files.data_of(fresh)})
    assert not keeper.keep({"host": Hosted({EXPERT: 1})})
    keeper.fetch_newest(EXPERT, {"host": {EXPERT: 1}})
    assert files.steps_of_copy(EXPERT) == 3
