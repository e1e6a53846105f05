"""The experts of a closed run are those of its invited hosts: nobody else is given any, nor asked for any."""

from __future__ import annotations

import msgspec
import pytest

from core.protocol.events import RunFound
from core.protocol.experts import ExpertsSeen
from core.run.manifest import AccessSpec
from core.run.spec.experts import ExpertRole
from tests.integration.experts.test_run import LEARNING_SECONDS, toy_mixture
from tests.integration.liars.test_closed_runs import invite
from tests.support.consents import consent_to
from tests.support.environment.fake_hub import Hub
from tests.support.real_peers import Peer, PeerGroup, workerbee

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(1500)]

TOLD = 10  # things that the stranger says after the trainer has trained all experts


def test_an_uninvited_peer_gets_no_expert_and_is_asked_for_none_though_it_claims_all(
    group: PeerGroup, hub: Hub
) -> None:
    manifest = msgspec.structs.replace(toy_mixture(hub, "gradients"), access=AccessSpec(tickets=True))
    organiser = group.organiser(manifest=manifest, train=False)
    (made,) = workerbee(organiser.home, "ticket", manifest.run.id, "--uses", "2", "--until", "1d")

    def joined(role: ExpertRole) -> Peer:
        invite(group.folder / role, made["link"])
        peer = group.newcomer(organiser.posted, role)
        peer.send(consent_to(peer.wait_for(RunFound), role=role))
        return peer

    stranger = group.script(
        "stranger",
        "tests.integration.liars.uninvited_host",
        str(group.script_folder("stranger", manifest)),
        organiser.posted.split()[0],
    )
    stranger.until(lambda said: "asked" in said)
    host, trainer = joined("host"), joined("train")

    def are_trained(seen: ExpertsSeen) -> bool:
        return all(each.host == host.peer_id and each.steps for each in seen.experts)

    trainer.wait_for(ExpertsSeen, are_trained, seconds=LEARNING_SECONDS)
    since = len(stranger.said)
    for _ in range(TOLD):
        since = 1 + stranger.said.index(stranger.until(lambda said: "told" in said, since), since)
    told = [said for said in stranger.said if "told" in said]
    assert {said["host"] for said in told} == {host.peer_id}
    assert all(said["told"] == ["not admitted"] * 2 for said in told)
    assert not any(said.get("asked") for said in stranger.said)
