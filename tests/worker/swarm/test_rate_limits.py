"""How often the DHT is told and asked: often enough for the others, and no oftener."""

from __future__ import annotations

import asyncio
import threading
import time

from core.worker.swarm.patches import rate_limits as haste
from core.worker.swarm.patches.rate_limits import DebouncedEvent, RateLimitedEvent

PATIENCE_SECONDS = 60.0


def test_a_report_that_is_due_is_made_at_once() -> None:
    begin = time.monotonic()
    event = RateLimitedEvent()
    event.set()
    assert event.wait(PATIENCE_SECONDS)
    assert time.monotonic() - begin < PATIENCE_SECONDS / 2


def test_the_next_report_waits_until_it_is_time() -> None:
    event = RateLimitedEvent()
    event.set()
    event.wait()
    begin = time.monotonic()
    assert event.wait()
    assert time.monotonic() - begin > haste.REPORT_SECONDS * 0.9


def test_what_is_urgent_does_not_wait() -> None:
    event = RateLimitedEvent()
    event._due = time.monotonic() + PATIENCE_SECONDS
    begin = time.monotonic()
    threading.Timer(0.1, event.set_urgently).start()
    assert event.wait(PATIENCE_SECONDS)
    assert time.monotonic() - begin < PATIENCE_SECONDS / 2


def test_a_state_that_changes_many_times_in_a_row_is_offered_once() -> None:
    async def offers() -> int:
        event, count = DebouncedEvent(), 0

        async def change() -> None:
            for _ in range(30):
                event.set()
                await asyncio.sleep(haste.SETTLING_SECONDS / 100)

        changes = asyncio.create_task(change())
        while not changes.done():
            event.clear()
            await asyncio.wait_for(event.wait(), PATIENCE_SECONDS)
            count += 1
        return count

    assert asyncio.run(offers()) == 1
