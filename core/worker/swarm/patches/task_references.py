"""Make hivemind's event loops keep a reference to each of their tasks."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from hivemind.averaging import averager
from hivemind.dht import dht
from hivemind.utils.asyncio import switch_to_uvloop

_tasks: set[asyncio.Task[Any]] = set()


def hold_tasks() -> None:
    """Have every loop of the DHT process and of the averagers hold its tasks until they are done.

    WORKAROUND H4: hivemind starts tasks and forgets them, asyncio holds them weakly, and uvloop lets go of a
    connection whose reading pauses. So the garbage collector may end a handler in the middle of its exchange
    ("Task was destroyed but it is pending"): half of a round is lost, and both sides wait for a timeout.
    """
    averager.switch_to_uvloop = dht.switch_to_uvloop = _holding_loop


def _holding_loop() -> asyncio.AbstractEventLoop:
    loop: asyncio.AbstractEventLoop = switch_to_uvloop()
    loop.set_task_factory(_held)  # type: ignore[arg-type]  # typeshed wants more than asyncio asks for
    return loop


def _held(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any], **kwargs: Any) -> asyncio.Task[Any]:
    task = asyncio.Task(work, loop=loop, **kwargs)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)
    return task
