"""An invitation is redeemed where somebody is there who may sign; else its holder is told when to try again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hivemind import DHT
from hivemind.utils.crypto import RSAPrivateKey

from core.errors import ErrorKind, UserError
from core.run.steering.authority import RunAuthority
from core.security.identity import Identity
from core.tickets.invitation_text import InvitationSecret, text_of
from core.tickets.wallet import Wallet
from core.worker.access.invitation import obtain_ticket
from core.worker.swarm import Swarm, serve_redemptions
from tests.worker.access.test_gate import CLOSED, ORGANISER, SEED, granted
from tests.worker.progress.dht_nodes import patient_node

pytestmark = [pytest.mark.real, pytest.mark.timeout(300)]

KEEPER = Identity.create()


@pytest.fixture
def ours(tmp_path: Path) -> Iterator[Swarm]:
    """That of somebody who was invited."""
    (tmp_path / "ada").mkdir()
    identity = Identity.load_or_create(tmp_path / "ada" / "identity")
    dht = patient_node(identity_path=str(tmp_path / "ada" / "identity"))
    yield swarm_of(dht, identity, tmp_path / "ada")
    dht.shutdown()


@pytest.fixture
def keeper(ours: Swarm, tmp_path: Path) -> Iterator[Swarm]:
    """That of a keeper of the run."""
    dht = patient_node(ours.dht.get_visible_maddrs())
    yield swarm_of(dht, KEEPER, tmp_path / "keeper")
    dht.shutdown()


def swarm_of(dht: DHT, identity: Identity, folder: Path) -> Swarm:
    """With all that redeeming takes."""
    return Swarm(dht, identity, RSAPrivateKey(), "direct", (), folder)


def why_not(ours: Swarm, *keepers: DHT) -> UserError:
    """What somebody with an invitation is told who gets no ticket; the organiser is away."""
    wallet = Wallet(ours.folder / "invitations.json")
    wallet.add(text_of(InvitationSecret(granted(time.time() + 600), SEED)))
    authority = RunAuthority((ORGANISER.peer_id,), tuple(str(each.peer_id) for each in keepers))
    with pytest.raises(UserError) as refused:
        obtain_ticket(ours, CLOSED, authority, wallet)
    assert refused.value.problem is ErrorKind.INVITATION_UNANSWERED
    assert refused.value.problem.advice.startswith("Try again when the run's organiser, or one of its keepers, is")
    return refused.value


def test_where_nobody_may_sign_the_holder_of_an_invitation_is_told_when_to_try_again(
    ours: Swarm, keeper: Swarm
) -> None:
    assert why_not(ours).detail == ""
    assert why_not(ours, keeper.dht).detail == "", "who has another version, or another role, redeems nothing"


def test_a_keeper_whose_disk_refuses_is_to_be_asked_again(ours: Swarm, keeper: Swarm) -> None:
    keeper.folder.touch()  # where a folder should be
    serve_redemptions(keeper, RunAuthority((ORGANISER.peer_id,), (keeper.peer_id,)), CLOSED.run.id)
    assert "cannot note it down at the moment" in str(why_not(ours, keeper.dht).detail)
