"""Peers on the slow lines of homes go on averaging, however large the model is for them."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec
import pytest

from core.protocol.events import Progress, RoundFinished
from core.run.manifest import RunManifest
from core.run.requirements import estimate_requirements
from core.run.run_file import parse_run_file, template
from core.run.spec.recipe import ArithmeticGPT
from tests.support.environment.network_namespaces import Host, Internet
from tests.support.environment.slow_link import Line
from tests.support.real_peers import Peer, PeerGroup, averaged, tiny

pytestmark = [pytest.mark.networks, pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(1800)]

HOME = Line(delay_seconds=0.025, lost_share=0.005, bits_per_second=20e6)  # 100 ms and 1 % between two of them
NARROW = Line(delay_seconds=0.025, lost_share=0.0, bits_per_second=1.5e6)
PATIENCE_SECONDS = 600.0
SEARCH_SECONDS = 10.0
LONG_EPOCH = 4_500  # fifteen seconds: a keeper looks every ten, and must not be left behind by two epochs


def ten_million_parameters() -> RunManifest:
    """What the template makes of a model of that size, as `run check` advises; epochs of about a minute."""
    run = parse_run_file(template())
    shared = msgspec.structs.replace(
        run.collaboration,
        target_batch_size=1500,
        batch_size_per_step=8,
        grad_compression="float16",
        state_averaging_compression="float16",
    )
    data = msgspec.structs.replace(run.data, digits=1)
    model = ArithmeticGPT(layers=8, width=320, heads=8)
    return msgspec.structs.replace(run, recipe=model, data=data, collaboration=shared)


def whole(kind: str) -> Callable[[RoundFinished], bool]:
    """Whether a round of that kind was one with all three in it, to its end."""
    return lambda event: event.kind == kind and event.ok and event.peers == 3 and not event.reason


def test_a_round_that_takes_longer_than_others_are_looked_for_comes_to_its_end(net: Internet, group: PeerGroup) -> None:
    model = ArithmeticGPT(layers=2, width=112, heads=2)
    shared = tiny(averaging_timeout=SEARCH_SECONDS, batch_size_per_step=8, target_batch_size=LONG_EPOCH)
    manifest = msgspec.structs.replace(shared, recipe=model)
    organiser = group.at(net.host()).organiser(manifest=manifest, train=False)
    home = net.host(line=NARROW)
    volunteer = group.at(home).volunteer(organiser.posted, "narrow", "client")
    exchanged = estimate_requirements(manifest).traffic_bytes / 2  # the gradients, up and then down
    for peer in (organiser, volunteer):
        finished = peer.wait_for(
            RoundFinished,
            lambda event: averaged(event) and event.kind == "gradients" and not event.reason,
            seconds=PATIENCE_SECONDS,
        )
    assert finished.seconds > exchanged * 8 / NARROW.bits_per_second > SEARCH_SECONDS
    before = carried_bytes(home)
    for _ in range(2):  # the first of them may have been on its way already
        told = volunteer.wait_for(Progress, since=len(volunteer.said))
    least, most = (carried / (told.received_bytes + told.sent_bytes) for carried in (before, carried_bytes(home)))
    # more by TCP's and libp2p's frames, less by what is on its way
    assert least < 1.25 and most > 0.8, f"{told}: {least:.2f} to {most:.2f} of it were carried"


def carried_bytes(host: Host) -> int:
    """By its line, in both directions."""
    return sum(int(host.run("cat", f"/sys/class/net/eth0/statistics/{each}_bytes")) for each in ("rx", "tx"))


@pytest.mark.faults
def test_ten_million_parameters_are_averaged_over_home_lines(net: Internet, group: PeerGroup) -> None:
    manifest = ten_million_parameters()
    organiser = group.at(net.host(line=HOME)).organiser(manifest=manifest, train=False)
    peers: dict[str, Peer] = {"organiser": organiser}
    for way in ("direct", "client"):
        peers[way] = group.at(net.host(line=HOME)).volunteer(organiser.posted, way, way)
    began = time.monotonic()
    for name, peer in peers.items():
        for kind in ("gradients", "state"):
            peer.wait_for(RoundFinished, whole(kind), seconds=PATIENCE_SECONDS)
        rounds, stalls = peer.all(RoundFinished), [each.stalled_seconds or 0.0 for each in peer.all(Progress)]
        told = ", ".join(f"{each.kind} {each.seconds:.0f} s ({each.peers})" for each in rounds)
        print(f"\n{name}, {time.monotonic() - began:.0f} s: {told}; longest stall {max(stalls):.1f} s")
