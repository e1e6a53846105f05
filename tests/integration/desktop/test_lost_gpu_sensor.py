"""Real peers, one of which is slowed for its GPU's heat when NVIDIA's driver fails: it stays slow until that answers.

The driver is the real pynvml on a C stand-in for NVIDIA's library, and the worker computes on the CPU under the GPU's
name (`tests/support/computer/gpu_worker.py`).
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from core.availability.pacing import MOST_SLOW_SHARE
from core.availability.presets import with_preset
from core.availability.rules import AvailabilityRules
from core.protocol.events import Progress
from tests.integration.desktop.ruled_volunteer import Volunteer, join_with_rules
from tests.support.computer import gpu_worker
from tests.support.environment.fake_nvml import FakeNvml
from tests.support.real_peers import Peer, peer_group
from tests.worker.training.test_slowed_peer import SLOWER, computing

pytestmark = [pytest.mark.real, pytest.mark.faults, pytest.mark.timeout(900)]  # four minutes

LIMIT_CELSIUS, WARM, HOT = 60, 50, 95
SLOW_SHARE = 0.3
MORE_EPOCHS = 2
FAILED = ("fail nvmlInitWithFlags 9", "fail nvmlDeviceGetCount_v2 999")


def gpu(celsius: int) -> str:
    """A GPU that is so warm."""
    return f"gpu GPU-aaaa 8192 8000 {celsius} NVIDIA {gpu_worker.MODEL}"


@pytest.fixture
def driver(tmp_path: Path) -> FakeNvml:
    """NVIDIA's library of a computer with one GPU, which is cool at first."""
    made = FakeNvml(tmp_path / "nvml")
    made.says(gpu(WARM))
    return made


@pytest.fixture
def organiser(tmp_path: Path) -> Iterator[Peer]:
    """A run to help, whose micro-batches take long enough for rests to count."""
    with peer_group(tmp_path) as everybody:
        yield everybody.organiser(manifest=computing())


@pytest.fixture
def volunteer(organiser: Peer, driver: FakeNvml, tmp_path: Path) -> Iterator[Volunteer]:
    """`workerbee join` of an owner who minds nothing but the heat of the GPU."""
    home = tmp_path / "volunteer"
    rules = msgspec.structs.replace(with_preset(AvailabilityRules(), "always"), gpu_celsius=LIMIT_CELSIUS)
    client = join_with_rules(
        gpu_worker.CLIENT,
        organiser.posted,
        home,
        rules,
        "cuda:0",
        is_warm=False,
        DBUS_SYSTEM_BUS_ADDRESS="unix:path=/nonexistent",
        DBUS_SESSION_BUS_ADDRESS="unix:path=/nonexistent",
        **{name: driver.environment[name] for name in ("LD_LIBRARY_PATH", "FAKE_NVML_STATE")},
    )
    yield client
    client.end()


def paced(volunteer: Volunteer, since: int) -> list[float]:
    """The shares of the time in which its workers were told to compute from then on."""
    return [line["compute_share"] for line in volunteer.said[since:] if line["event"] == "paced"]


def says(volunteer: Volunteer, words: str, since: int) -> None:
    """Wait until the owner is told that; nothing of it is a pause."""
    said = volunteer.until(lambda line: line["event"] == "availability" and words in line["words"], since)
    assert said["free"] is True


def speed(organiser: Peer, volunteer: Volunteer) -> float:
    """How many samples it computes a second, in some epochs of the run."""
    here, began = len(volunteer.said), time.monotonic()
    organiser.reaches(organiser.epoch + MORE_EPOCHS)
    computed = [line["contributed_samples"] for line in volunteer.said[here:] if line["event"] == "progress"]
    return float(computed[-1] - computed[0]) / (time.monotonic() - began)


def stays_slow(organiser: Peer, volunteer: Volunteer, rate: float) -> float:
    """See for some epochs that it helps, and that neither its pace nor its speed rises; the speed."""
    share, here, there = paced(volunteer, 0)[-1], len(volunteer.said), len(organiser.said)
    slow_rate = speed(organiser, volunteer)
    assert min(progress.peers for progress in organiser.all(Progress, there)) >= 2
    assert share <= SLOW_SHARE and max(paced(volunteer, here), default=share) <= share
    assert slow_rate < SLOWER * rate
    return slow_rate


def test_a_gpu_that_cannot_be_measured_any_more_stays_as_slow_as_it_was(
    organiser: Peer, volunteer: Volunteer, driver: FakeNvml
) -> None:
    organiser.wait_for(Progress, lambda progress: progress.peers == 2)
    rate = speed(organiser, volunteer)
    driver.says(gpu(HOT))
    volunteer.until(lambda line: line["event"] == "paced" and line["compute_share"] <= SLOW_SHARE)

    here = len(volunteer.said)
    driver.says(*FAILED)
    says(volunteer, "the GPU cannot be measured any more", here)
    stays_slow(organiser, volunteer, rate)

    here, share = len(volunteer.said), paced(volunteer, 0)[-1]
    worker = next(each for each in volunteer.family if each.cmdline()[-1:] == gpu_worker.WORKER[-1:])
    worker.send_signal(signal.SIGKILL)
    volunteer.until(lambda line: line["event"] == "training_started", here)
    volunteer.until(lambda line: line["event"] == "progress" and line["samples_per_second"], here)
    assert paced(volunteer, here) and set(paced(volunteer, here)) == {share}, "another worker begins as slow"

    here = len(volunteer.said)
    driver.says(gpu(HOT))
    says(volunteer, f"GPU at {HOT}", here)
    here = len(volunteer.said)
    driver.says(gpu(HOT), "hang nvmlDeviceGetCount_v2")
    says(volunteer, "the GPU cannot be measured any more", here)
    slow_rate = stays_slow(organiser, volunteer, rate)

    here = len(volunteer.said)
    driver.says(gpu(WARM - 10))
    volunteer.until(lambda line: line["event"] == "paced" and line["compute_share"] == MOST_SLOW_SHARE, here)
    assert speed(organiser, volunteer) > 2 * slow_rate
