"""A state of ours that stands still while newcomers download it: at most one, in a file, and never in memory.

Base weights move on with every round, and a download over a home line takes longer than that. Whoever has the frozen
state comes to the present by the rounds since, which the round log keeps as long as the file is there.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

from torch import Tensor

from core.worker.swarm.local_sgd.round_log import MAX_ROUNDS, RoundLog
from core.worker.swarm.local_sgd.state_file import check_state_file, write_state_file
from core.worker.swarm.state_parts.messages import Version
from core.worker.swarm.state_parts.part_index import index_of
from core.worker.swarm.state_parts.server import SharedFile

PREPARE_SECONDS = 5.0  # in which a small state is written; who asks for a large one comes again
KEEP_SECONDS = 600.0  # after the last download, for who comes again after a cut
RECENT_SECONDS = 120.0  # in which somebody who was cut off may come again for the same state
MAX_TRIES = 3  # of which each may meet an outer step
TRY_AGAIN_SECONDS = 0.5

OwnState = Callable[[], Awaitable[Sequence[Tensor]]]
"""Gives our present state; another process steps these very tensors at any moment."""

log = logging.getLogger(__name__)


class FrozenState:
    """The one that the peer with that round log shares."""

    def __init__(self, round_log: RoundLog) -> None:
        self._round_log = round_log
        self._shared: SharedFile | None = None
        self._freezing: asyncio.Task[None] | None = None
        self._used_at = float("-inf")

    async def offered(
        self, wanted: Version | None, own: OwnState, *, is_served: bool
    ) -> SharedFile | Literal["busy", "preparing"] | None:
        """A state for a newcomer, the ``wanted`` one where we have it; ``None`` if we share none.

        While another ``is_served``, the state stays the one that it downloads.
        """
        if self._round_log.current() is None:
            return None
        if self._shared is not None:
            since = self._rounds_since(self._shared)
            is_in_use = is_served or self._shared.index.version == wanted
            is_recent = since is not None and since <= MAX_ROUNDS and time.monotonic() < self._used_at + RECENT_SECONDS
            if since == 0 or (is_in_use and since is not None) or is_recent:
                self.touch()
                return self._shared
            if is_served:
                return "busy"
        if self._freezing is None or self._freezing.done():
            self._freezing = asyncio.create_task(self._freeze(own))
        done, _ = await asyncio.wait([self._freezing], timeout=PREPARE_SECONDS)
        return self._shared if done else "preparing"

    def touch(self) -> None:
        """Somebody downloads it just now."""
        self._used_at = time.monotonic()

    def _rounds_since(self, shared: SharedFile) -> int | None:
        """How many rounds lead from that state to the present one; ``None`` where the log does not know."""
        version = shared.index.version
        rounds = len(self._round_log.since(version))
        return rounds if rounds or version == self._round_log.current() else None

    async def _freeze(self, own: OwnState) -> None:
        """Write the present state down, and free it once nobody has asked for a while."""
        loop = asyncio.get_running_loop()
        self._shared = None
        self._round_log.discard_frozen()
        self.touch()
        for _ in range(MAX_TRIES):
            try:
                self._shared = await loop.run_in_executor(None, self._written, await own())
            except (OSError, ValueError) as error:
                log.warning("no state is shared in parts: %s", error)
                return
            if self._shared is not None:
                log.info("newcomers are sent the state of %d outer steps", self._shared.index.version[0])
                loop.call_later(KEEP_SECONDS, self._free_if_unused, self._shared)
                return
            await asyncio.sleep(TRY_AGAIN_SECONDS)

    def _written(self, tensors: Sequence[Tensor]) -> SharedFile | None:
        """Those tensors in a file; ``None`` where an outer step has come between. Raises OSError and ValueError."""
        version = self._round_log.current()
        path = None if version is None else self._round_log.frozen_path(version)
        if version is None or path is None:
            return None
        write_state_file(path, tensors, {})
        if check_state_file(path, tensors) == version:
            return SharedFile(path, index_of(path, version))
        path.unlink()
        return None

    def _free_if_unused(self, shared: SharedFile) -> None:
        if self._shared is not shared:
            return
        left = self._used_at + KEEP_SECONDS - time.monotonic()
        if left > 0:
            asyncio.get_running_loop().call_later(left, self._free_if_unused, shared)
            return
        self._shared = None
        with contextlib.suppress(OSError):
            shared.path.unlink(missing_ok=True)
