"""What really leaves a volunteer's computer whose owner has limited its uploads, while a round of averaging lasts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec

from core.protocol.commands import SetPace
from core.protocol.events import RoundFinished
from core.protocol.limits import Paced
from core.run.manifest import RunManifest
from core.run.spec.recipe import ArithmeticGPT
from tests.bench.setup import Ground, NotMeasured, told_as_not_measured
from tests.bench.table import Row, figure_row
from tests.support.environment.network_namespaces import Host, internet, why_not
from tests.support.real_peers import peer_group, tiny

LIMIT = 250_000
WATCHED_SECONDS = 60.0
LEAST, MOST = 0.9, 1.05
ROUND_SECONDS = 600.0


@dataclass
class UploadLimitMeasured:
    """Bytes that have left in a second ÷ the limit, and whether the round came to its end whole."""

    share: float | None = None
    is_whole: bool = False


def bulky(layers: int, width: int) -> RunManifest:
    """A run whose rounds are long for such a line."""
    shared = tiny(target_batch_size=4500, batch_size_per_step=8, averaging_timeout=ROUND_SECONDS)
    return msgspec.structs.replace(shared, recipe=ArithmeticGPT(layers=layers, width=width, heads=4))


def left(host: Host) -> int:
    """The bytes that have left that computer, frames and all, as its network device counts them."""
    return int(host.run("cat", "/sys/class/net/eth0/statistics/tx_bytes"))


def speed(host: Host, seconds: float) -> float:
    """The bytes a second that leave it for so long."""
    began, before = time.monotonic(), left(host)
    time.sleep(seconds)
    return (left(host) - before) / (time.monotonic() - began)


def upload_limit_deeds(ground: Ground, measured: UploadLimitMeasured) -> Mapping[str, Callable[[], str]]:
    """One round with an organiser who is not limited."""

    def measure() -> str:
        if reason := why_not():
            raise NotMeasured(reason)
        with told_as_not_measured():
            _measure(ground, measured)
        return f"{measured.share:.3f} of the limit, the round {'whole' if measured.is_whole else 'not whole'}"

    return {"upload_limit": measure}


def _measure(ground: Ground, measured: UploadLimitMeasured) -> None:
    with peer_group(ground.folder / "upload-limit") as group, internet() as net:
        organiser = group.at(net.host()).organiser(manifest=bulky(layers=4, width=320))
        host = net.host()
        volunteer = group.at(host).seeker(organiser.posted, "home")
        volunteer.send(SetPace(upload_bytes_a_second=LIMIT))
        volunteer.agree()
        assert volunteer.wait_for(Paced).upload == "limited"
        while speed(host, 1.0) < LEAST * LIMIT:  # nothing is averaged yet
            pass
        measured.share = speed(host, WATCHED_SECONDS) / LIMIT
        ended = volunteer.wait_for(RoundFinished, lambda event: event.kind == "gradients", seconds=ROUND_SECONDS)
        measured.is_whole = ended.ok and ended.peers == 2 and not ended.reason


def upload_limit_rows(measured: UploadLimitMeasured) -> list[Row]:
    """The share of the limit that is used."""
    share = measured.share
    ended = "" if share is None else f", the round {'whole' if measured.is_whole else 'not whole'}"
    return [
        figure_row(
            f"upload limit of 250 kB/s: what leaves in 60 s of averaging ÷ the limit{ended}",
            share,
            "{:.2f}",
            f"{LEAST} to {MOST}",
            lambda it: LEAST <= it <= MOST and measured.is_whole,
        )
    ]
