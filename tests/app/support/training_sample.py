"""A run in full swing, for the tests of the training page and of what it is made of."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable

from app.pages.training.page import TrainingPage
from core.client.event_timestamps import EventTimestamps
from core.client.session import Session
from core.hardware.device import Device
from core.hardware.monitor import DevicesSeen
from core.localizable import LocalizedText
from core.protocol.commands import Join, Start
from core.protocol.events import ContributionStatus, Evaluated, Progress, RoundFinished, RunFound
from core.protocol.examples import Solved
from core.protocol.experts import ExpertSeen, ExpertsSeen
from core.protocol.peers import PeerSeen
from core.records.time_series import Curve, Series
from core.run.manifest import RunInfo, RunManifest
from core.run.spec.collaboration import Collaboration
from core.run.spec.recipe import ArithmeticGPT
from tests.support.consents import NO_DIGEST

NOW = 1_763_700_000.0
MANIFEST = RunManifest(
    run=RunInfo(id="sums", name="Sums up to 99"),
    recipe=ArithmeticGPT(),
    collaboration=Collaboration(target_batch_size=1000, batch_size_per_step=10),
)
FOUND = RunFound(manifest=MANIFEST, organiser="12D3KooWorganiser", vouched=True)
GPU = Device(
    "cuda", 0, "GPU-1", "NVIDIA GeForce RTX 3060", 12_884_901_888, 7_800_000_000, "560.35", 64,
    utilisation=0.94, power_watts=168.4,
)  # fmt: skip
SEEN = DevicesSeen((GPU, Device("cpu", 0, None, "AMD Ryzen 5 5600X")), True, NOW)


EXPERTS = ExpertsSeen(
    experts=(
        ExpertSeen(
            layer=1, number=0, host="12D3KooW" + "a" * 44, tokens_per_second=1240.0, tokens=52_000, steps=120,
            latency_seconds=0.035,
        ),
        ExpertSeen(
            layer=1, number=1, host="12D3KooW" + "m" * 44, is_mine=True, tokens_per_second=620.0, tokens=9, steps=1
        ),
        ExpertSeen(layer=3, number=0),
    ),
    sent_tokens_per_second=1240.0,
    received_tokens_per_second=620.0,
    found_share=0.972,
    untold=3,
)  # fmt: skip


def progress(**changes: object) -> Progress:
    """Most of the way to the next step."""
    values: dict[str, object] = {
        "epoch": 42,
        "samples": 812,
        "target": 1000,
        "samples_per_second": 512.0,
        "swarm_samples_per_second": 3012.0,
        "peers": 7,
        "clients": 2,
        "loss": 1.83,
        "my_samples": 164,
        "contributed_samples": 12_416,
        "next_step_seconds": 52.0,
    }
    return Progress(**{**values, **changes})  # type: ignore[arg-type]


def finished(*, ok: bool = True, peers: int = 7, reason: str = "", stepped: bool = True) -> RoundFinished:
    """A round of averaging."""
    why = LocalizedText(reason)
    return RoundFinished(epoch=42, kind="gradients", ok=ok, peers=peers, seconds=3.2, reason=why, stepped=stepped)


def peer(number: int, **changes: object) -> PeerSeen:
    """One of many; the lower its number, the faster."""
    values: dict[str, object] = {
        "peer_id": f"12D3KooW{number:044d}",
        "epoch": 42,
        "samples": 10,
        "samples_per_second": 5000.0 - number,
        "client_mode": number % 3 == 0,
        "is_me": number == 2,
    }
    return PeerSeen(**{**values, **changes})  # type: ignore[arg-type]


def answered(epoch: int, *answers: str) -> Evaluated:
    """What the model answers to three sums at that epoch."""
    sums = zip(((17, 25), (28, 4), (64, 67)), answers, strict=True)
    solved = (
        Solved(text=f"{a}+{b}={answer}", correct=answer == str(a + b), question=f"{a}+{b}", answer=answer)
        for (a, b), answer in sums
    )
    return Evaluated(epoch=epoch, loss=0.8, accuracy=0.31, examples=tuple(solved))


def training(**changes: object) -> Session:
    """All is well."""
    values: dict[str, object] = {
        "phase": "training",
        "opening": Join(addresses=(), home="/nowhere"),
        "consent": Start(run_id="sums", organiser="12D3KooWorganiser", digest=NO_DIGEST, device="cuda:0"),
        "is_worker_running": True,
        "runs": (FOUND,),
        "chosen": FOUND,
        "progress": progress(),
        "rounds": (finished(),) * 14 + (finished(ok=False, reason="late"),),
        "contribution_status": ContributionStatus(state="helping"),
        "peers": tuple(peer(number) for number in range(7)),
        "last_share": 0.164,
        "first_evaluated": answered(3, "9", "12", "104"),
        "evaluated": answered(41, "42", "31", "131"),
    }
    return Session(**{**values, **changes})  # type: ignore[arg-type]


def curve(value: Callable[[int], float], entries: int = 300, step_seconds: float = 1.0) -> Curve:
    """One that ends now."""
    values = array("d", map(value, range(entries)))
    return Curve(NOW - entries * step_seconds, step_seconds, values, values)


class SampleCurves:
    """Curves of a day for the charts; nothing is known of the GPU's power. ``asked`` are the series asked for."""

    def __init__(self) -> None:
        self.asked: list[Series] = []

    def curve(self, series: Series, period_seconds: float | None) -> Curve:
        self.asked.append(series)
        if series == "gpu_power":
            return curve(lambda _: math.nan, 1440, 60.0)
        return curve(lambda index: 1.0 + index % 7, 1440, 60.0)


def show(page: TrainingPage, session: Session, now: float) -> None:
    """Show a session whose events were all seen at that time."""
    page.show_session(session, EventTimestamps().after(session, now), now)
