"""Fleets that nobody has seen: what an observer's worker would tell of a run with any number of peers."""

from __future__ import annotations

from core.fleet.snapshot import FleetSnapshot
from core.fleet.state import FleetState
from core.protocol.events import RunFound, RunScored
from core.protocol.peers import FleetHealth, PeerActivity, PeerSeen, PeersSeen, Reason, Suspect, SuspectsSeen
from core.run.manifest import RunInfo, RunManifest
from core.run.signed_scores import Score
from core.run.spec.collaboration import Collaboration
from core.run.spec.recipe import ArithmeticGPT

ORGANISER = "12D3KooWorganiser"
NOON = 1_790_000_000.0  # seconds since 1970
TARGET = 1000
HEALTHY = FleetHealth()
POORLY = FleetHealth(
    reasons=(Reason(words="no other peer was found in time", peers=3), Reason(words="\x1b[31m<b>", peers=1)),
    reached=1,
    unreached=2,
)
HOSTILE = "\"><script>alert('🐝')</script><img src=http://x.example/>\x1b[31m\u202e&amp;"


def run_found(revision: int = 1, organiser: str = ORGANISER, **info: str) -> RunFound:
    """The run that is watched, with other words for people if they are given."""
    run = RunInfo(**({"id": "sums", "name": "Sums"} | info))  # type: ignore[arg-type]
    manifest = RunManifest(
        run=run,
        recipe=ArithmeticGPT(),
        collaboration=Collaboration(target_batch_size=TARGET, batch_size_per_step=10),
        revision=revision,
    )
    return RunFound(manifest=manifest, organiser=organiser, vouched=True)


def peer(number: int, **changes: object) -> PeerSeen:
    """A peer of epoch 3 with 100 samples, at 10 samples/s; every third one only connects outwards."""
    fields: dict[str, object] = {
        "peer_id": f"12D3KooW{number:044d}",
        "epoch": 3,
        "samples": 100,
        "samples_per_second": 10.0,
        "client_mode": number % 3 == 2,
        "device": "CPU",
        "activity": PeerActivity(version="0.1.0", whole=5, partial=1, failed=2, sent_bytes=1000, received_bytes=2000),
    }
    return PeerSeen(**(fields | changes))  # type: ignore[arg-type]


def told(*peers: PeerSeen, untold: int = 0, loss: float | None = 1.25, health: FleetHealth = HEALTHY) -> FleetState:
    """The state after a worker has told of the run and of these peers, of one suspect, and of two evaluations."""
    suspect = Suspect(peer_id="12D3KooWliar", named_by=2, rounds=7, refused_states=1)
    scores = RunScored(
        latest=Score(epoch=3, loss=1.2, at=NOON - 60), earlier=(Score(epoch=2, loss=1.6, at=NOON - 600),)
    )
    state = FleetState()
    for event in (
        run_found(),
        PeersSeen(peers=peers, loss=loss, untold=untold, health=health),
        SuspectsSeen(suspects=(suspect,), blocked=("12D3KooWblocked",)),
        scores,
    ):
        state = state.after(event)
    return state


def snapshot(*peers: PeerSeen, at: float = NOON, untold: int = 0, loss: float | None = 1.25) -> FleetSnapshot:
    """The snapshot of that state."""
    made = told(*peers, untold=untold, loss=loss).snapshot(at)
    assert made is not None
    return made
