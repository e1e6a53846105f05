"""What a real run asks of its members beside training: a signed manifest and a control value that all look for."""

from __future__ import annotations

import time
from pathlib import Path

from core.run.manifest import RunManifest
from core.run.signed_manifest import SignedManifest
from core.security.known_organisers import KnownOrganisers
from core.tickets.wallet import Wallet
from core.worker.process.channel import WorkerChannel
from core.worker.process.supervisor import Supervisor
from core.worker.roles.participation import RunParticipation
from core.worker.roles.steering.following import ManifestWatcher, follow_leader
from core.worker.roles.steering.found_run import FoundRun
from core.worker.roles.steering.organiser import Saving, steer
from core.worker.swarm import Swarm, find_manifests, publisher_of

SEARCH_SECONDS = 60.0  # on a computer that does much else
PAUSE_SECONDS = 1.0


def lead(
    swarm: Swarm,
    manifest: RunManifest,
    folder: Path,
    participation: RunParticipation,
    channel: WorkerChannel,
    supervisor: Supervisor,
) -> None:
    """Publish the manifest and a control value that asks for nothing, as a run's organiser does."""
    publisher_of(swarm.dht, SignedManifest.sign(manifest, swarm.identity), manifest.run.id).start(supervisor.start)
    nothing = Saving(lambda _epoch: None, lambda _epoch: None)
    steer(swarm, manifest, folder / "control.json", participation, nothing, channel, supervisor.start, None)


def follow(
    swarm: Swarm,
    run_id: str,
    organiser: str,
    folder: Path,
    participation: RunParticipation,
    channel: WorkerChannel,
    supervisor: Supervisor,
) -> None:
    """Look for newer ones of both at the times at which a volunteer does."""
    deadline = time.monotonic() + SEARCH_SECONDS
    while (found := find_manifests(swarm.dht, (organiser,)).open.get((organiser, run_id))) is None:
        if time.monotonic() > deadline:
            raise TimeoutError(f"nobody has the manifest of {run_id}")
        time.sleep(PAUSE_SECONDS)
    signed, manifest = found
    known, wallet = KnownOrganisers(folder / "organisers.json"), Wallet(folder / "invitations.json")
    watcher = ManifestWatcher(FoundRun(manifest, signed), signed, swarm, known, (organiser,), wallet)
    follow_leader(watcher, participation, participation.experts.are_needed, channel, supervisor)
