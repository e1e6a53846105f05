"""Let a call that its caller takes back be forgotten by whoever was asked."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

from hivemind.p2p.p2p_daemon_bindings.control import ControlClient

_Task = asyncio.Task[None]


def forget_ended_handlers() -> None:
    """Have hivemind's client of p2pd forget each call that it is to answer as soon as its handler has ended.

    WORKAROUND H75: hivemind forgets a call after the answer only. The task of one that is cancelled (its caller has a
    time limit) is kept for ever, and in the traceback of its CancelledError the request with all that was made of it.
    """
    make = ControlClient.__init__

    def make_client(self: Any, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        self._handler_tasks = _HandlerTasks()

    ControlClient.__init__ = make_client


class _HandlerTasks(dict[UUID, _Task]):
    """The tasks that answer calls, by the ids of these, until they are done."""

    def __setitem__(self, call: UUID, task: _Task) -> None:
        super().__setitem__(call, task)
        task.add_done_callback(lambda ended: self._forget(call, ended))

    def _forget(self, call: UUID, ended: _Task) -> None:
        if self.get(call) is ended:
            del self[call]
