"""An organiser's page as it looks in the middle of a run: hostile names, stragglers, a suspect, two published runs."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from app.pages.organise.page import OrganisePage
from app.pages.organise.published_card import PublishedLine
from core.client.session import Session
from core.fleet.history import FleetHistory
from core.fleet.snapshot import FleetSnapshot
from core.protocol.peers import PeerPower, PeerSeen, PeersSeen, Suspect
from core.run.manifest import SchedulerSpec
from tests.core.fleet.made_up_fleets import HOSTILE, NOON, POORLY, peer, run_found, told

DEVICES = ("NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 3060 Laptop GPU", "CPU", "Tesla T4")
LINK = "workerbee://join?peer=%2Fip4%2F203.0.113.5%2Ftcp%2F31337&run=sums"
LINES = (
    PublishedLine("sums", "Sums up to 99", LINK, True, 42, 1.25, 5),
    PublishedLine("words", "Donaudampfschifffahrtsgesellschaft " * 3, "", False, 0, None, 0),
)


def many_peers(number: int, look: int = 0) -> tuple[PeerSeen, ...]:
    """So many peers, with other samples and speeds at every look; every tenth one is an epoch behind."""
    return tuple(
        peer(
            each,
            name=HOSTILE[:40] if each == 7 else f"Desk {each}" if each % 2 else "",
            device=DEVICES[each % len(DEVICES)],
            epoch=2 if each % 10 == 9 else 3,
            samples=each + look,
            samples_per_second=5.0 + (each * 37 + look * 11) % 200,
            power=PeerPower(watts=70, joules=252_000 + 4200 * look)
            if DEVICES[each % len(DEVICES)] == "Tesla T4"
            else None,
        )
        for each in range(number)
    )


def look_at(peers: int, look: int = 0, untold: int = 0) -> FleetSnapshot:
    """What is seen of so many peers in one look of many, a minute apart."""
    found = run_found(notice="A new data set comes on Friday.")
    manifest = msgspec.structs.replace(found.manifest, scheduler=SchedulerSpec(kind="linear", total_epochs=100))
    state = replace(told(), run=msgspec.structs.replace(found, manifest=manifest))
    state = state.after(
        PeersSeen(peers=many_peers(peers, look), loss=2.0 / (1 + look / 10), untold=untold, health=POORLY)
    )
    suspects = (Suspect(peer_id=peer(4).peer_id, named_by=3, rounds=12, refused_states=1),)
    snapshot = replace(state, suspects=suspects).snapshot(NOON + 60 * look)
    assert snapshot is not None
    return snapshot


def organise_page(peers: int = 40) -> OrganisePage:
    """The page after half an hour of watching."""
    page, history = OrganisePage(), FleetHistory()
    for look in range(30):
        history.add(look_at(peers - abs(look - 20), look))
    page.show_published(LINES)
    page.show_fleet(look_at(peers, 30, untold=3), history)
    page.show_watching(Session(), is_watching=True)
    return page
