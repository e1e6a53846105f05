"""A volunteer whose owner slows it computes less, and averages whole rounds with the others all the same."""

from __future__ import annotations

import msgspec
import pytest

from core.protocol.commands import SetPace
from core.protocol.events import Progress, RoundFinished
from core.protocol.limits import Paced
from core.run.manifest import RunManifest
from core.run.spec.optimizer import AdamW
from core.run.spec.recipe import ArithmeticGPT
from tests.support.real_peers import PATIENCE_SECONDS, Peer, PeerGroup, averaged, tiny

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

SHARE = 0.1
SLOWER, FASTER = 0.6, 1.3  # of the samples a second before; a computer that does much else has many a full speed
ROUNDS = 2
LEARNING_RATE = 3e-5


def computing() -> RunManifest:
    """A run whose micro-batches take a core some tens of milliseconds, so that rests are long beside them.

    At its learning rate the loss of so large a model falls in each of the first epochs, from 2.9 on.
    """
    large = ArithmeticGPT(layers=4, width=256, heads=4)
    return msgspec.structs.replace(
        tiny(), recipe=large, optimizer=AdamW(max_grad_norm=None, learning_rate=LEARNING_RATE)
    )


def rounds_of_two(peer: Peer, since: int) -> list[RoundFinished]:
    """The next rounds of gradients in which somebody else was, once there are so many."""

    def is_last(event: RoundFinished) -> bool:
        return event.epoch >= first.epoch + ROUNDS - 1 and is_of_two(event)

    def is_of_two(event: RoundFinished) -> bool:
        return event.kind == "gradients" and averaged(event)

    first = peer.wait_for(RoundFinished, is_of_two, since=since)
    peer.wait_for(RoundFinished, is_last, since=since, seconds=PATIENCE_SECONDS)
    return list(filter(is_of_two, peer.all(RoundFinished, since)))


def test_a_slowed_peer_computes_less_and_averages_whole_rounds(group: PeerGroup) -> None:
    organiser = group.organiser(manifest=computing())
    volunteer = group.volunteer(organiser.posted, "home")
    rounds_of_two(volunteer, 0)
    free = volunteer.all(Progress)[-1]
    rate, loss = free.samples_per_second, free.loss
    assert rate and loss
    since, heard = len(volunteer.said), len(organiser.said)
    volunteer.send(SetPace(compute_share=SHARE))
    assert volunteer.wait_for(Paced, since=since).compute_share == SHARE

    def is_slower(progress: Progress) -> bool:
        return progress.samples_per_second is not None and progress.samples_per_second < SLOWER * rate

    def is_slower_other(progress: Progress) -> bool:
        everybody, own = progress.swarm_samples_per_second, progress.samples_per_second
        return progress.peers == 2 and None not in (everybody, own) and (everybody or 0) - (own or 0) < SLOWER * rate

    volunteer.wait_for(Progress, is_slower, since=since)
    organiser.wait_for(Progress, is_slower_other, since=heard)
    since = len(volunteer.said)
    assert all(event.peers == 2 and not event.reason for event in rounds_of_two(volunteer, since))
    since = len(volunteer.said)
    slowed = volunteer.wait_for(
        Progress,
        lambda progress: (progress.loss or loss) < loss and is_slower(progress),
        since=since,
        seconds=PATIENCE_SECONDS,
    ).samples_per_second
    assert slowed
    since = len(volunteer.said)
    volunteer.send(SetPace())

    def is_faster(progress: Progress) -> bool:
        return progress.samples_per_second is not None and progress.samples_per_second > FASTER * slowed

    volunteer.wait_for(Progress, is_faster, since=since, seconds=PATIENCE_SECONDS)
    assert volunteer.leave() == 0
