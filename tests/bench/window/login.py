"""How soon the work goes on after a reboot: from the start that the desktop makes at login to the next sample."""

from __future__ import annotations

from core.records.settings import Settings
from tests.bench.peers.pair import START_SECONDS, addresses_of, first_peer
from tests.bench.setup import Ground
from tests.bench.window.process import WindowProcess, settle_home, tells_a_sample
from tests.bench.window.virtual_screen import Screen

_NAME = "window_login"


def logins(screen: Screen, ground: Ground, times: int) -> list[float]:
    """Seconds, of so many starts; before each of them everything of the volunteer is killed at once."""
    settle_home(ground, _NAME, Settings(device="cpu", threads=ground.threads, language="en"))
    with first_peer("workerbee", ground) as organiser:
        addresses = addresses_of(organiser, ground)
        with WindowProcess(_NAME, screen, ground) as window:
            window.train(*addresses)
            window.wait_for(tells_a_sample, ground.limit(START_SECONDS))
        return [_seconds_of_one(screen, ground) for _ in range(times)]


def _seconds_of_one(screen: Screen, ground: Ground) -> float:
    with WindowProcess(_NAME, screen, ground, is_at_login=True) as window:
        sample = window.wait_for(tells_a_sample, ground.limit(START_SECONDS))
        return sample.at - window.started
