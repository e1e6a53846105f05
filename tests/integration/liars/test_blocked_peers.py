"""Whom an organiser blocks takes part no more, whatever it does; who is only named by others does."""

from __future__ import annotations

import time
from typing import Any

import pytest

from core.errors import ErrorKind
from core.protocol.events import AnyEvent, Failed, RoundFinished
from core.protocol.peers import SuspectsSeen
from tests.support.real_peers import LIMIT_SECONDS, RUN_ID, LineProcess, PeerGroup, averaged, workerbee

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

OBEYED_SECONDS = 60.0
ROUNDS = 3


def plain_peer(group: PeerGroup, address: str, module: str, word: str) -> LineProcess[dict[str, Any]]:
    """A peer of hivemind's own, which obeys no organiser; the script of that module is given the word first."""
    script = group.script(word, module, word, str(group.script_folder(word)), address)
    script.until(lambda said: "peer_id" in said)
    return script


def whole_rounds(peer: LineProcess[AnyEvent], members: int) -> None:
    """Wait until some rounds of gradients in a row were whole, with so many members."""
    here = len(peer.said)
    while True:
        rounds = [each for each in peer.all(RoundFinished, here) if each.kind == "gradients"][-ROUNDS:]
        if len(rounds) == ROUNDS and all(each.peers == members and not each.reason.sentence for each in rounds):
            return
        peer.wait_for(RoundFinished, since=len(peer.said))


def was_let_in(script: LineProcess[dict[str, Any]], *peers: LineProcess[AnyEvent]) -> bool:
    """Whether that script was in a round with anybody while these had whole rounds of their own."""
    since = len(script.said)
    for peer in peers:
        whole_rounds(peer, members=len(peers))
    return any(said.get("round", 0) > 1 for said in script.said[since:])


@pytest.mark.faults
def test_a_blocked_peer_is_in_no_round_though_it_obeys_nobody_until_the_block_is_lifted_and_a_volunteer_says_so(
    group: PeerGroup,
) -> None:
    organiser = group.organiser()
    volunteer = group.volunteer(organiser.posted, "volunteer")
    script = plain_peer(group, organiser.posted, "tests.integration.foreign.hivemind_scripts", "train")
    script.until(lambda said: said.get("round") == 3)
    stranger = script.until(lambda said: "peer_id" in said)["peer_id"]

    (listed,) = workerbee(organiser.home, "block", stranger, "--for", "1h")
    assert [each["peer"] for each in listed["blocks"]] == [stranger]
    given_up_at = time.monotonic() + LIMIT_SECONDS
    while was_let_in(script, organiser, volunteer):
        assert time.monotonic() < given_up_at
    assert not was_let_in(script, organiser, volunteer)

    (listed,) = workerbee(organiser.home, "block", stranger, "--run", RUN_ID, "--lift")
    assert listed["blocks"] == []
    script.until(lambda said: said.get("round") == 3, since=len(script.said))

    workerbee(organiser.home, "block", volunteer.peer_id)
    volunteer.wait_for(Failed, lambda failed: failed.problem == ErrorKind.BLOCKED.key, seconds=OBEYED_SECONDS)
    assert volunteer.ended() == 0


def test_who_sends_nonsense_is_named_to_everybody_and_to_who_asks(group: PeerGroup) -> None:
    organiser = group.organiser()
    volunteer = group.volunteer(organiser.posted, "volunteer")
    volunteer.wait_for(RoundFinished, averaged)
    script = plain_peer(group, organiser.posted, "tests.support.peers.malicious_peer", "nan")
    liar = script.until(lambda said: "peer_id" in said)["peer_id"]
    for peer in (organiser, volunteer):
        seen = peer.wait_for(SuspectsSeen, lambda seen: any(each.named_by == 2 for each in seen.suspects))
        assert {each.peer_id for each in seen.suspects} == {liar}

    said = workerbee(group.folder / "somebody", "peers", organiser.posted, "--suspects")
    (answer,) = [each for each in said if each["event"] == "suspects_seen"]
    (suspect,) = answer["suspects"]
    assert suspect["peer_id"] == liar and suspect["named_by"] == 2 and suspect["rounds"] > 0
    (told,) = [each for each in said if each["event"] == "peers_seen"]
    assert {organiser.peer_id, volunteer.peer_id} <= {each["peer_id"] for each in told["peers"]}
