"""Copies of other hosts' experts, so that a host which dies takes little of their training with it."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from typing import Any

from core.worker.experts.block import ExpertId
from core.worker.experts.expert_file import MAX_COPIES, ExpertFiles
from core.worker.experts.hosted_expert import HostedExpert
from core.worker.swarm.experts.announcements import Hosted, Steps
from core.worker.swarm.experts.assignment import ranked
from core.worker.swarm.experts.handover import longest_seconds
from core.worker.swarm.experts.p2p_thread import P2PThread
from core.worker.swarm.experts.state_download import NoStateError

COPIES = 1  # of each expert, beside the host that answers for it
COPY_SECONDS = 10.0  # at least, between two copies of an expert

Fetch = Callable[[str, ExpertId, Any], Coroutine[Any, Any, tuple[bytes, int]]]

log = logging.getLogger(__name__)


class CopyKeeper:
    """Fetches the states of those experts of which this peer is to keep a copy, whenever they have taken steps.

    Who is to keep them follows from the same ranking as who is to take an expert (`ranked`). An announcement is at most
    10 seconds old and looked at every 5, so that a copy lacks about 15 seconds of training, and what its way takes.
    """

    def __init__(
        self,
        own: str,
        thread: P2PThread,
        fetch: Fetch,
        files: ExpertFiles,
        untrained: Callable[[ExpertId], HostedExpert],
    ) -> None:
        self._own, self._thread, self._fetch, self._files, self._untrained = own, thread, fetch, files, untrained
        self._tried_at: dict[ExpertId, float] = {}

    def keep(self, others: Mapping[str, Hosted]) -> bool:
        """Fetch one of those that are due from who announces it, and say whether it is here; blocks meanwhile.

        It is the one that was tried longest ago: where a line carries less than is learned, no expert is left behind.
        """
        due = {expert: host for expert, host, steps in _duties(self._own, others) if self._is_due(expert, steps)}
        if not due:
            return False
        expert = min(due, key=lambda each: self._tried_at.get(each, -math.inf))
        self._tried_at[expert] = time.monotonic()
        return self._copy(expert, due[expert])

    def _is_due(self, expert: ExpertId, steps: int) -> bool:
        copies = self._files.copies()
        if expert not in copies and len(copies) >= MAX_COPIES:
            return False
        waited = time.monotonic() - self._tried_at.get(expert, -math.inf)
        return steps > self._files.steps_of_copy(expert) and waited >= COPY_SECONDS

    def fetch_newest(self, expert: ExpertId, copies: Mapping[str, Steps]) -> None:
        """Fetch that expert from who announces the newest copy, if it is newer than ours; blocks meanwhile."""
        steps, host = max(((found.get(expert, 0), peer) for peer, found in copies.items()), default=(0, ""))
        if steps > self._files.steps_of_copy(expert):
            self._copy(expert, host)

    def _copy(self, expert: ExpertId, host: str) -> bool:
        scratch = self._untrained(expert)
        fetching = self._thread.submit(self._fetch(host, expert, scratch.shape))
        try:
            data, _steps = fetching.result(longest_seconds(scratch.shape))
            self._files.restore(scratch, data)
            self._files.write_copy(scratch, data)
        except (NoStateError, ValueError, OSError, TimeoutError) as error:
            fetching.cancel()
            log.info("expert %s was not copied from %s: %s", expert, host, error)
            return False
        return True


def _duties(own: str, others: Mapping[str, Hosted]) -> Iterator[tuple[ExpertId, str, int]]:
    """Of which experts this peer is to keep a copy: each with its host and its steps."""
    for host, hosted in others.items():
        for expert, steps in hosted.experts.items():
            keepers = [peer for peer in ranked(expert, [own, *others]) if peer != host]
            if own in keepers[:COPIES]:
                yield expert, host, steps
