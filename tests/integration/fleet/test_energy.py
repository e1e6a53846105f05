"""What a fleet of real peers draws, as an observer in another process hears it.

The workers' driver is the real pynvml on a C stand-in for NVIDIA's library; they compute on the CPU under a GPU's name.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.fleet.snapshot import FleetEnergy, FleetSnapshot
from core.protocol.commands import Join
from core.protocol.events import Progress, RunFound
from core.run.multiaddr import Multiaddr
from core.worker.swarm.dht.run_records import POWER
from tests.integration.fleet.test_watching import fleet
from tests.support.computer import gpu_worker
from tests.support.consents import consent_to
from tests.support.environment.fake_nvml import FakeNvml
from tests.support.real_peers import START_SECONDS, Peer, PeerGroup

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

TOLD_SECONDS = 400.0  # each peer tells of itself every hundred seconds
COUNTED_WATTS, OLD_WATTS = 250.0, 120.0


@contextlib.contextmanager
def counting(driver: FakeNvml) -> Iterator[None]:
    """A GPU whose driver counts its energy; at each moment that it is asked, it draws more than in the mean."""
    ending, began = threading.Event(), time.monotonic()

    def count() -> None:
        while not ending.is_set():
            millijoules = round(1000 * COUNTED_WATTS * (time.monotonic() - began))
            driver.says("gpu GPU-aaaa 8192 8000 51 NVIDIA RTX", "busy 0 100 900000", f"energy 0 {millijoules}")
            ending.wait(0.2)

    thread = threading.Thread(target=count)
    thread.start()
    yield
    ending.set()
    thread.join()


def volunteer(group: PeerGroup, address: str, home: str, driver: FakeNvml) -> Peer:
    """Somebody who trains on the GPU of that driver."""
    named = (f"{name}={driver.environment[name]}" for name in ("LD_LIBRARY_PATH", "FAKE_NVML_STATE"))
    peer = Peer(group.folder / home, ("env", *named), is_warm=False, worker=gpu_worker.WORKER)
    group._ends.callback(peer.end)
    peer.send(Join(addresses=(Multiaddr(address),), home=str(peer.home / "data"), network="direct"))
    peer.send(consent_to(peer.wait_for(RunFound, seconds=START_SECONDS), device="cuda:0"))
    peer.wait_for(Progress, seconds=START_SECONDS)
    return peer


def test_whoever_watches_sees_what_those_draw_whose_drivers_tell_it(group: PeerGroup, tmp_path: Path) -> None:
    newer, older = FakeNvml(tmp_path / "newer"), FakeNvml(tmp_path / "older")
    older.says("gpu GPU-bbbb 8192 8000 47 NVIDIA GTX", f"busy 0 100 {round(1000 * OLD_WATTS)}")
    organiser = group.organiser()
    with counting(newer):
        ids = [volunteer(group, organiser.posted, "newer", newer).peer_id]
        began = time.monotonic()
        ids.append(volunteer(group, organiser.posted, "older", older).peer_id)
        watcher = fleet(group, organiser.posted)

        def told(least_joules: int) -> tuple[FleetSnapshot, FleetEnergy]:
            """The first snapshot of three peers in which both GPUs have drawn so much."""

            def is_so(each: FleetSnapshot) -> bool:
                drawn = [peer.power.joules for peer in each.peers if peer.power is not None]
                return len(each.peers) == 3 and len(drawn) == 2 and min(drawn) >= least_joules

            seen = watcher.until(is_so, seconds=TOLD_SECONDS)
            assert seen.energy is not None
            return seen, seen.energy

        first, _ = told(0)
        assert next(peer for peer in first.peers if peer.peer_id == organiser.peer_id).power is None
        seen, energy = told(1)
        lasted = time.monotonic() - began
    powers = {peer.peer_id: peer.power for peer in seen.peers if peer.power is not None}
    counted, old = powers[ids[0]], powers[ids[1]]
    assert old.watts == OLD_WATTS and COUNTED_WATTS / 2 < counted.watts < 1.6 * COUNTED_WATTS, powers
    least = POWER.lifetime_seconds / 6  # half of what lies between two times that it is told
    assert least * OLD_WATTS < old.joules < lasted * OLD_WATTS, (powers, lasted)
    assert least * COUNTED_WATTS < counted.joules < 1.1 * lasted * COUNTED_WATTS, (powers, lasted)
    assert (energy.telling, energy.capped, seen.totals.peers) == (2, 0, 3)
    assert (energy.watts, energy.joules) == (counted.watts + old.watts, counted.joules + old.joules)
