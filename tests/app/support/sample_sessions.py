"""Devices, runs and sessions that the tests of the pages look at."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import msgspec
from PySide6.QtWidgets import QWidget

from core.client.reducer import reduce
from core.client.session import Session
from core.hardware.device import Device, DeviceUser
from core.hardware.monitor import DevicesSeen
from core.protocol.client_events import Asked, ClientEvent
from core.protocol.commands import Join
from core.protocol.events import AnyEvent, Connected, Hello, RunFound, SearchFinished
from core.run.multiaddr import Multiaddr
from core.run.run_file import parse_run_file, template

PEER = "12D3KooWM9FVLymCDe7hjiJBRBgGVMaJMVAsbPX9rZ4xwYHNrpwR"
ADDRESS = Multiaddr(f"/ip4/203.0.113.5/tcp/31337/p2p/{PEER}")
GIGABYTE = 1_000_000_000

GPU = Device(
    "cuda",
    0,
    "GPU-1a2b3c4d-1111",
    "NVIDIA GeForce RTX 3060",
    12 * GIGABYTE,
    9 * GIGABYTE,
    "550.54.14",
    54,
    users=(),
)
BUSY_GPU = replace(
    GPU,
    index=1,
    uuid="GPU-9f8e7d6c-2222",
    memory_free_bytes=GIGABYTE // 10,
    users=(DeviceUser(7, "firefox", 310_000_000), DeviceUser(8, "Xorg", None)),
)
CPU = Device("cpu", 0, None, "AMD Ryzen 7 5800X", 32 * GIGABYTE, 23 * GIGABYTE)


_Widget = TypeVar("_Widget", bound=QWidget)


def child(parent: QWidget, kind: type[_Widget]) -> _Widget:
    """The first widget of that kind in it."""
    found = parent.findChild(kind)
    assert found is not None
    return found


def seen(*devices: Device, is_driver_answering: bool = True) -> DevicesSeen:
    return DevicesSeen(devices=devices, is_driver_answering=is_driver_answering, at=0.0)


def run_found(run_id: str = "sums", organiser: str = PEER, *, vouched: bool = True, **info: str) -> RunFound:
    """A run of the template's kind, with other words about it."""
    manifest = parse_run_file(template())
    about = msgspec.structs.replace(manifest.run, id=run_id, **info)
    manifest = msgspec.structs.replace(manifest, run=about)
    return RunFound(manifest=manifest, organiser=organiser, vouched=vouched)


def session_of(*events: AnyEvent, run_id: str | None = None) -> Session:
    """The picture after somebody has asked to join, and then this happened."""
    asked: list[ClientEvent] = [Asked(Join(addresses=(ADDRESS,), home="/nowhere", run_id=run_id))]
    session = Session()
    for event in [*asked, *events]:
        session = reduce(session, event)
    return session


def search(*runs: RunFound, is_finished: bool = True, run_id: str | None = None) -> Session:
    """The picture of a search that has found these."""
    news: list[AnyEvent] = [Hello(protocol=1, version="1"), Connected(peer_id=PEER, peers=2), *runs]
    end = [SearchFinished(found=len(runs))] if is_finished else []
    return session_of(*news, *end, run_id=run_id)
