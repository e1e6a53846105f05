"""A volunteer asks one holder at a time for a newer manifest, and is not kept from it by those that have none."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from hivemind import DHT

from core.run.manifest import RunManifest
from core.run.signed_manifest import SignedManifest
from core.security.identity import Identity
from core.security.known_organisers import KnownOrganisers
from core.tickets.wallet import Wallet
from core.worker.roles.steering.following import ManifestWatcher
from core.worker.roles.steering.found_run import FoundRun
from core.worker.swarm import Swarm
from core.worker.swarm.dht.manifests import RUNS_KEY
from core.worker.swarm.patches.monotonic_clock import steady_time
from tests.support.real_peers import tiny
from tests.worker.progress.dht_nodes import count_requests, dht_nodes, forget_key, requests

pytestmark = [pytest.mark.real, pytest.mark.timeout(300), pytest.mark.usefixtures("patient_reads")]

ORGANISER = Identity.create()
FIRST = tiny()
SECOND = msgspec.structs.replace(FIRST, revision=FIRST.revision + 1)


def published(dht: DHT, manifest: RunManifest) -> SignedManifest:
    """The manifest as its organiser has signed and stored it, once."""
    signed = SignedManifest.sign(manifest, ORGANISER)
    subkey, until = f"{signed.organiser}/{manifest.run.id}", steady_time() + 600.0 + manifest.revision
    assert dht.store(RUNS_KEY, subkey=subkey, value=signed.to_bytes(), expiration_time=until)
    return signed


def test_each_look_asks_one_holder_and_who_withholds_a_newer_manifest_delays_it_until_the_next_is_asked(
    tmp_path: Path,
) -> None:
    with dht_nodes(4) as nodes:
        *holders, own = nodes
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        swarm = Swarm(own, Identity.create(), key, "client", (), tmp_path)
        signed = published(holders[0], FIRST)
        own.run_coroutine(partial(forget_key, key=RUNS_KEY))
        known, wallet = KnownOrganisers(tmp_path / "organisers.json"), Wallet(tmp_path / "invitations.json")
        watcher = ManifestWatcher(FoundRun(FIRST, signed), signed, swarm, known, (), wallet)
        assert watcher.poll() is None
        own.run_coroutine(count_requests)
        assert [watcher.poll(), watcher.poll()] == [None, None]
        assert own.run_coroutine(requests) == 2, "one holder each time"
        published(holders[0], SECOND)
        for withholding in (*holders[1:], own):
            withholding.run_coroutine(partial(forget_key, key=RUNS_KEY))
        found = [each for each in (watcher.poll() for _ in holders) if each is not None]
        assert [each.manifest.revision for each in found] == [SECOND.revision]
