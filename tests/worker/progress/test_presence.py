"""Who computes nothing is seen all the same, also where it has not computed anything since it began."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from core.worker.swarm.progress import liveness
from core.worker.swarm.progress.liveness import Presence
from tests.worker.progress.test_lone_epochs import LIMIT_SECONDS, await_report, node, tracker

EXPIRATION_SECONDS = 60.0


@pytest.mark.real
def test_the_others_hear_of_a_peer_that_has_not_computed_anything_since_it_began() -> None:
    with node() as dht, tracker(dht) as paused, node(dht.get_visible_maddrs()) as joined, tracker(joined) as watching:
        with paused.pause_updates():
            paused.update_epoch(7)
        Presence(paused).tell()
        await_report(joined, samples=0)
        with watching.pause_updates():
            assert watching.is_overtaken(LIMIT_SECONDS)
        (seen,) = watching.others.values()
        assert (seen.epoch, seen.peer_id, seen.samples_per_second) == (7, dht.peer_id, 0.0)


def test_it_tells_again_before_that_expires_or_where_its_epoch_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    now, stored = 1_000.0, list[tuple[int, float]]()
    mine = SimpleNamespace(epoch=7)
    mine.dict = lambda: {"epoch": mine.epoch}

    def store(_key: str, value: dict[str, int], expiration_time: float, **_others: object) -> None:
        stored.append((value["epoch"], expiration_time))

    stands_for_a_tracker = SimpleNamespace(
        dht=SimpleNamespace(store=store),
        training_progress_key="sums_progress",
        _local_public_key=b"ours",
        metadata_expiration=EXPIRATION_SECONDS,
        performance_ema=SimpleNamespace(num_updates=1),
        local_progress=mine,
    )
    monkeypatch.setattr(liveness, "steady_time", lambda: now)
    presence = Presence(cast(Any, stands_for_a_tracker))
    for _ in range(3):
        presence.tell()
    assert stored == [(7, now + EXPIRATION_SECONDS)]
    mine.epoch = 8
    presence.tell()
    now += EXPIRATION_SECONDS / 2
    presence.tell()
    assert stored[1:] == [(8, 1_000.0 + EXPIRATION_SECONDS), (8, now + EXPIRATION_SECONDS)]
