"""When the others have gone quiet: what is said, when we rest, and when another worker shall begin anew."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import ErrorKind, UserError
from core.protocol.events import RoundFinished
from core.worker.network.connection_monitor import (
    LOOKS_AHEAD,
    QUIET_SECONDS,
    ROUNDS_IN_VAIN,
    SILENT_LOOKS,
    VAIN_GREETINGS,
    ConnectionMonitor,
)
from core.worker.network.peer_cache import MOST, PeerCache, remembered
from core.worker.network.tcp_probe import tcp_probe
from core.worker.training.contribution_status import ContributionMonitor

PEER = "p2p/12D3KooWA2U9XoiDR8sSDxSPfce1D5EzymcqDb7nuiVLzET6YWjG"


class Others:
    """The others of a run, as a test wants them to be."""

    def __init__(self) -> None:
        self.quiet: float | None = 0.0
        self.ahead = 0
        self.have_left = self.answer = False
        self.connected: tuple[str, ...] = ()
        self.greeted: list[tuple[str, ...]] = []

    def quiet_seconds(self) -> float | None:
        return self.quiet

    def have_left_properly(self) -> bool:
        return self.have_left

    def epochs_ahead(self) -> int:
        return self.ahead

    def greet(self, addresses: tuple[str, ...]) -> bool:
        self.greeted.append(addresses)
        return self.answer

    def addresses(self) -> tuple[str, ...]:
        return self.connected


@pytest.fixture
def others() -> Others:
    return Others()


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """Somebody who accepts."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def address_of(listening: socket.socket) -> str:
    return f"/ip4/127.0.0.1/tcp/{listening.getsockname()[1]}/{PEER}"


def lifeline(
    others: Others, *addresses: str, judge: ContributionMonitor | None = None, is_first: bool = False
) -> ConnectionMonitor:
    judge = judge or ContributionMonitor()
    known = PeerCache("sums", addresses)
    return ConnectionMonitor(others, known, lambda: judge.rounds_in_vain, is_first=is_first)


def dead_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return address_of(listening)


def test_who_never_saw_anybody_is_left_alone(others: Others) -> None:
    others.quiet = None
    line = lifeline(others, dead_address())
    line._look()
    assert (line.trouble, line.is_cut.is_set()) == ("", False)


def test_when_nobody_answers_a_volunteer_rests_and_says_so_and_then_begins_anew(
    others: Others, listener: socket.socket
) -> None:
    others.quiet = QUIET_SECONDS
    line = lifeline(others, dead_address())
    for _ in range(SILENT_LOOKS):
        assert not line.is_cut.is_set()
        line._look()
    assert "none of 1 known addresses answers" in line.trouble
    assert line.is_cut.is_set()
    line._acquaintances.meet([address_of(listener)])
    with pytest.raises(UserError) as lost:
        line._look()
    assert lost.value.problem is ErrorKind.SWARM_LOST


def test_others_that_are_heard_again_end_the_trouble(others: Others) -> None:
    others.quiet = QUIET_SECONDS
    line = lifeline(others, dead_address())
    for _ in range(SILENT_LOOKS):
        line._look()
    others.quiet = 0.0
    line._look()
    assert (line.trouble, line.is_cut.is_set()) == ("", False)


@pytest.mark.parametrize("is_first", [True, False])
def test_the_first_peer_and_who_heard_goodbyes_go_on_alone(others: Others, is_first: bool) -> None:
    others.quiet, others.have_left = QUIET_SECONDS, not is_first
    line = lifeline(others, dead_address(), is_first=is_first)
    for _ in range(SILENT_LOOKS):
        line._look()
    assert not line.is_cut.is_set()


def test_who_is_there_but_does_not_answer_us_needs_another_worker(others: Others, listener: socket.socket) -> None:
    others.quiet = QUIET_SECONDS
    line = lifeline(others, address_of(listener))
    for _ in range(VAIN_GREETINGS - 1):
        line._look()
    with pytest.raises(UserError):
        line._look()
    first = lifeline(others, address_of(listener), is_first=True)
    for _ in range(2 * VAIN_GREETINGS):
        first._look()


def test_who_answers_is_enough(others: Others, listener: socket.socket) -> None:
    others.quiet, others.answer = QUIET_SECONDS, True
    line = lifeline(others, address_of(listener))
    for _ in range(2 * VAIN_GREETINGS):
        line._look()
    assert line.trouble == ""


@pytest.mark.parametrize("is_first", [True, False])
def test_in_company_those_are_called_that_are_missed_and_accept(
    others: Others, listener: socket.socket, is_first: bool
) -> None:
    missed = address_of(listener)
    others.connected = (dead_address().replace(PEER, "p2p/12D3KooWHere"),)
    line = lifeline(others, missed, dead_address(), is_first=is_first)
    line._look()
    assert others.greeted == [(missed,)]


def test_nobody_is_called_who_is_there(others: Others, listener: socket.socket) -> None:
    others.connected = (address_of(listener),)
    line = lifeline(others, address_of(listener))
    line._look()
    assert others.greeted == []


def test_a_volunteer_that_went_on_alone_comes_back_to_those_who_can_be_reached(others: Others) -> None:
    line, others.ahead = lifeline(others), 2
    for _ in range(LOOKS_AHEAD - 1):
        line._look()
    with pytest.raises(UserError) as lost:
        line._look()
    assert "alone, 2 epochs" in lost.value.detail


def test_rounds_in_vain_after_better_ones_are_a_reason_to_begin_anew(others: Others) -> None:
    judge, leaving = ContributionMonitor(), threading.Event()
    line = lifeline(others, judge=judge)
    for ok in (False,) * 2 * ROUNDS_IN_VAIN + (True,) + (False,) * (ROUNDS_IN_VAIN - 1):
        judge.note(RoundFinished(epoch=1, kind="gradients", ok=ok, peers=1 + ok, seconds=1.0))
        judge.note(RoundFinished(epoch=1, kind="state", ok=True, peers=2, seconds=1.0))
        line._look()
    judge.note(RoundFinished(epoch=1, kind="gradients", ok=False, peers=1, seconds=1.0))
    with pytest.raises(UserError):
        line.hold(leaving, lambda: None)


def test_acquaintances_are_kept_for_the_next_worker_and_are_not_too_many(tmp_path: Path) -> None:
    assert remembered(tmp_path, "sums") == ()
    met = PeerCache("sums", ("/ip4/1.2.3.4/tcp/1",), tmp_path)
    met.meet([f"/ip4/1.2.3.4/tcp/{port}" for port in range(2, 2 + 2 * MOST)])
    assert len(met.addresses) == MOST
    assert PeerCache("sums", home=tmp_path).addresses == met.addresses == remembered(tmp_path, "sums")
    assert remembered(tmp_path, "other") == remembered(tmp_path, None) == ()
    (tmp_path / "acquaintances.json").write_bytes(b'{"sums": 3}')
    assert remembered(tmp_path, "sums") == ()


def test_a_knock_says_who_is_there(listener: socket.socket) -> None:
    dead, quic = dead_address(), "/ip4/127.0.0.1/udp/1/quic-v1"
    answers = tcp_probe([address_of(listener), dead, quic, "/ip4/127.0.0.1/tcp/nonsense"])
    assert list(answers.values()) == ["accepts", "refuses", "accepts", "silent"]
