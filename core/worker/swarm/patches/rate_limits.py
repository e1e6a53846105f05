"""How often is often enough: hivemind tells and asks the DHT as fast as it answers.

WORKAROUND: each of these costs a process hop, signatures, and messages to other peers. With two peers on two
cores and epochs of eight seconds, hivemind's haste took a sixth of each core away from training.
"""

from __future__ import annotations

import asyncio
import threading
import time

from hivemind.averaging.key_manager import GroupKeyManager

REPORT_SECONDS = 1.0  # between two reports of our progress; meanwhile others reckon with our speed
SEARCH_SECONDS = 0.3  # between two looks for groupmates
SETTLING_SECONDS = 1.0  # after the first of many averaged tensors, before the new state is offered

_find_groupmates = GroupKeyManager.get_averagers


class RateLimitedEvent(threading.Event):
    """An event whose one waiter wakes at most every ``REPORT_SECONDS``, unless it is urgent.

    hivemind reports progress after every micro-batch.
    """

    def __init__(self) -> None:
        super().__init__()
        self._due = time.monotonic()
        self._is_urgent = threading.Event()

    def set_urgently(self) -> None:
        """Wake the waiter now."""
        self._is_urgent.set()
        self.set()

    def wait(self, timeout: float | None = None) -> bool:
        """As Event's, and then until it is time."""
        is_set = super().wait(timeout)
        self._is_urgent.wait(max(0.0, self._due - time.monotonic()))
        self._is_urgent.clear()
        self._due = time.monotonic() + REPORT_SECONDS
        return is_set


class DebouncedEvent(asyncio.Event):
    """An event that is waited for until it has had time to happen again and again.

    hivemind offers its state anew after every single tensor that was averaged.
    """

    async def wait(self) -> bool:  # type: ignore[override]  # typeshed says Literal[True]
        """As Event's, and then ``SETTLING_SECONDS`` more."""
        await super().wait()
        await asyncio.sleep(SETTLING_SECONDS)
        return True


async def _groupmates_in_time(manager: GroupKeyManager, *args: object, **kwargs: object) -> object:
    """As GroupKeyManager.get_averagers, which an empty queue of leaders repeats without a pause."""
    await asyncio.sleep(getattr(manager, "_due", 0.0) - time.monotonic())
    manager._due = time.monotonic() + SEARCH_SECONDS
    return await _find_groupmates(manager, *args, **kwargs)


GroupKeyManager.get_averagers = _groupmates_in_time
