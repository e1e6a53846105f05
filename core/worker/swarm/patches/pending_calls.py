"""Let an answer that comes too late be lost alone, and not all that come after it."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

from hivemind.p2p.p2p_daemon_bindings.control import ControlClient


def ignore_late_answers() -> None:
    """Have hivemind's client of p2pd know no call that is over, so that its answer surprises nobody.

    WORKAROUND H68: hivemind gives the answer to a call that was cancelled a moment ago (a time limit), and whose
    coroutine has not yet run. That raises InvalidStateError in the only task that reads: no call of this client, and
    none to it, is ever answered again.
    """
    make = ControlClient.__init__

    def make_client(self: Any, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        self._pending_calls = _PendingCalls()

    ControlClient.__init__ = make_client


class _PendingCalls(dict[UUID, "asyncio.Future[bytes]"]):
    """The calls by their ids; of those that are over it says that they are not there."""

    def __contains__(self, call: object) -> bool:
        found = self.get(call) if isinstance(call, UUID) else None
        return found is not None and not found.done()
