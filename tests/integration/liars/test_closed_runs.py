"""A closed run is learned by those who were invited, by ticket or invitation; nobody else gets or gives anything."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from core.errors import ErrorKind
from core.files.folders import DataFolder
from core.protocol.events import Failed, Progress, RoundFinished, RunFound
from core.protocol.peers import PeersSeen
from core.run.address import JoinAddress
from core.run.manifest import AccessSpec, RunManifest
from core.tickets.wallet import Wallet
from tests.integration.liars.test_blocked_peers import plain_peer, whole_rounds
from tests.support.consents import consent_to
from tests.support.real_peers import RUN_ID, Peer, PeerGroup, tiny, workerbee

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(1500)]


def closed() -> RunManifest:
    """The tiny run, for those who are invited."""
    return msgspec.structs.replace(tiny(), access=AccessSpec(tickets=True))


def invite(folder: Path, link: str) -> None:
    """Paste a link as a client does, which keeps the invitation before the worker is started."""
    Wallet(DataFolder(folder / "data").invitations_file).add(JoinAddress.parse(link).invitation)


def link_of(organiser: Peer, *words: str) -> str:
    """What `workerbee ticket` prints for that organiser."""
    (made,) = workerbee(organiser.home, "ticket", RUN_ID, *words)
    return str(made["link"])


def refused(peer: Peer) -> Failed:
    """Why a peer that agrees to the run may not take part."""
    peer.send(consent_to(peer.wait_for(RunFound)))
    return peer.wait_for(Failed)


def test_who_is_invited_learns_a_closed_run_and_nobody_else_gets_or_gives_anything(
    group: PeerGroup,
) -> None:
    organiser = group.organiser(manifest=closed())
    link = link_of(organiser, "--uses", "1", "--until", "1d")
    assert JoinAddress.parse(link).peers == JoinAddress.parse(organiser.posted).peers
    for home in ("ada", "bob"):
        invite(group.folder / home, link)

    ada = group.volunteer(organiser.posted, "ada")
    assert ada.wait_for(RunFound).access.standing == "invited"
    bob = group.seeker(organiser.posted, "bob")
    used_up = refused(bob)
    assert used_up.problem == ErrorKind.NOT_INVITED.key and "as often as" in str(used_up.detail)

    carol = group.seeker(organiser.posted, "carol")
    found = carol.wait_for(RunFound)
    assert found.access.standing == "none" and found.access.key == carol.peer_id
    assert refused(carol).problem == ErrorKind.NOT_INVITED.key
    carol.ended()

    stranger = plain_peer(group, organiser.posted, "tests.integration.liars.uninvited_peer", "stranger")
    stranger.until(lambda said: said.get("sees", 0) >= 2)  # what is in the DHT everybody can read
    begun = len(stranger.said)
    for peer in (organiser, ada):
        whole_rounds(peer, members=2)
    assert [said["state"] for said in stranger.said if "state" in said] == [False] * 3
    assert not [said for said in stranger.said[begun:] if said.get("round", 0) > 1]
    for peer in (organiser, ada):
        here = {each.peer_id for seen in peer.all(PeersSeen) for each in seen.peers}
        assert here <= {organiser.peer_id, ada.peer_id}
        assert max(progress.peers for progress in peer.all(Progress)) == 2

    invite(group.folder / "carol", link_of(organiser, carol.peer_id, "--until", "1d"))
    carol = group.volunteer(organiser.posted, "carol")
    carol.wait_for(RoundFinished, lambda finished: finished.peers == 3 and finished.ok)
