"""Get the run's state from another peer: ask one after the other until one can be used, and never for ever."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from hivemind.p2p import PeerID
from hivemind.utils import MPFuture

from core.localizable import Detail
from core.worker.swarm.averaging.state_validation import State
from core.worker.swarm.state_parts.arrivals import Arrivals

POLL_SECONDS = 0.1
SILENCE_SECONDS = 90.0  # a download of which nothing arrives for so long has failed
REFUSED_SECONDS = 60.0  # for which a donor is not asked again
MAX_DONORS = 8  # are asked for one state
MAX_BUSY_SEARCHES = 300  # in a row, a few seconds apart; after them a donor that sends none is like one that fails

log = logging.getLogger(__name__)


class Interrupted(KeyboardInterrupt):
    """We are leaving. A KeyboardInterrupt, because hivemind tries again after everything else."""


class Downloader(Protocol):
    """The averager that a state is for; ``has_begun``: a state is there already, from which others may lead on."""

    arrivals: Arrivals

    @property
    def has_begun(self) -> bool: ...

    def request_state(self, unwanted: Iterable[PeerID], min_epoch: int = 0) -> MPFuture[Any]:
        """Ask the best donor but those for its state of that epoch or later; see `StateFetcher._fetch_state`."""

    def is_truncated(self, state: State) -> bool:
        """Whether the end of that state is missing."""

    def format_error(self, state: State) -> Detail:
        """Why that state cannot be one of the run's, in words; empty where it can."""

    def is_behind(self, state: State) -> bool:
        """Whether that state is older than what we need; its donor may have a newer one in a moment."""

    def trial_error(self, state: State) -> Detail:
        """What is wrong with the model that has that state, in words; empty where nothing is."""


class StateDownload:
    """The search for a state that can be used; it all happens in the worker's process.

    WORKAROUND H14: hivemind takes whatever the donor of the highest priority sends, and asks it again and again.

    WORKAROUND H50: hivemind takes a stream whose connection breaks for one that has come to its end. A state of which
    the end is missing is no donor's fault: it is asked again in the next search.

    ``refused`` are those whose state could not be used, and why; for a minute they are not asked again as long as
    somebody else is there or we have the run's state ourselves (``has_state``). Nor are the barred ever asked, see
    `StateFetcher._donors`.
    ``is_offered`` says whether anybody offered a state in the last search. ``on_progress(received_bytes,
    is_done, is_rest)`` and ``on_refusal(peer_id, why)`` are called meanwhile; ``leaving`` interrupts the search.

    `go_on` searches while training goes on, and `find` then begins with what that has found.
    """

    def __init__(
        self,
        leaving: threading.Event,
        on_progress: Callable[[int, bool, bool], None],
        on_refusal: Callable[[str, Detail], None],
    ) -> None:
        self._leaving, self._on_progress, self._on_refusal = leaving, on_progress, on_refusal
        self.refused: dict[PeerID, Detail] = {}
        self.has_state = self.is_offered = False
        self._busy_searches = 0
        self._refused_at: dict[PeerID, float] = {}
        self._ready: State | None = None
        self._asking: MPFuture[Any] | None = None
        self._asked: set[PeerID] = set()
        self._is_one_busy = False

    @property
    def is_busy(self) -> bool:
        """Whether a donor of the last search serves others at the moment, so that it is worth while to wait."""
        return 0 < self._busy_searches <= MAX_BUSY_SEARCHES

    def find(self, averager: Downloader) -> State | None:
        """A state that can be used; ``None`` if nobody has one now. Raises Interrupted."""
        self._asking, ready = None, self._take_ready()
        self._asked.clear()
        self._forgive()
        if ready is not None and not averager.is_behind(ready):
            return ready
        silent: set[PeerID] = set()
        self.is_offered = False
        for _ in range(MAX_DONORS):
            asking = averager.request_state([*self.refused, *silent])
            answer = self._wait_for(asking, averager.arrivals, is_rest=averager.has_begun)
            if answer is None:
                break
            self.is_offered, (donor, state) = True, answer
            silent.add(donor)
            if state is not None and self._is_usable(averager, donor, state):
                self.has_state, self._busy_searches, self._is_one_busy = True, 0, False
                return state
        self._end_search()
        if not self.has_state:
            self.refused.clear()
        return None

    def go_on(self, averager: Downloader, min_epoch: int) -> bool | None:
        """Search for a state of that epoch or a later one, as `find` does, and never wait.

        True once there is one, false where nobody has any, and ``None`` meanwhile.
        """
        if self._asking is None:
            self._forgive()
            self._asking = averager.request_state([*self.refused, *self._asked], min_epoch)
        if not self._asking.done():
            return None
        answer, self._asking = self._asking.result(), None
        if answer is not None:
            donor, state = answer
            self._asked.add(donor)
            if state is not None and self._is_usable(averager, donor, state) and state[0]["epoch"] >= min_epoch:
                self._ready = state
            elif len(self._asked) < MAX_DONORS:
                return None
        self.is_offered = bool(self._asked)
        self._asked.clear()
        self._end_search()
        return self._ready is not None

    @property
    def ready_epoch(self) -> int | None:
        """The epoch of the state that was found and not used yet."""
        return None if self._ready is None else int(self._ready[0]["epoch"])

    def _end_search(self) -> None:
        self._busy_searches = self._busy_searches + 1 if self._is_one_busy else 0
        self._is_one_busy = False

    def _forgive(self) -> None:
        """Ask those again who were refused some time ago: their state may have been as bad as the run's was then."""
        until = time.monotonic() - REFUSED_SECONDS
        self.refused = {donor: why for donor, why in self.refused.items() if self._refused_at[donor] > until}

    def _take_ready(self) -> State | None:
        ready, self._ready = self._ready, None
        return ready

    def _is_usable(self, averager: Downloader, donor: PeerID, state: State) -> bool:
        """Whether a donor's state can be used; one that never can is refused.

        A newcomer that has only just begun to download may offer the untrained model: that is behind, and no lie.
        """
        if averager.is_truncated(state):
            self._is_one_busy |= not state[1]
            return False
        why = averager.format_error(state)
        if not why and averager.is_behind(state):
            return False
        if why := why or averager.trial_error(state):
            self._refuse(donor, why)
        return not why

    def _refuse(self, donor: PeerID, why: Detail) -> None:
        log.warning("the state of %s is refused: %s", donor, why)
        self.refused[donor], self._refused_at[donor] = why, time.monotonic()
        self._on_refusal(donor.to_base58(), why)

    def _wait_for(
        self, answering: MPFuture[Any], arrivals: Arrivals, *, is_rest: bool
    ) -> tuple[PeerID, State | None] | None:
        """The donor and its state, for as long as anything of it arrives; ``None`` if nobody offers one."""
        before = latest = arrivals.received_bytes
        self._on_progress(0, False, is_rest)
        changed_at = time.monotonic()
        while True:
            try:
                answer: tuple[PeerID, State | None] | None = answering.result(POLL_SECONDS)
                self._on_progress(arrivals.received_bytes - before, answer is not None, is_rest)
                return answer
            except TimeoutError:
                received = arrivals.received_bytes
            if self._leaving.is_set():
                raise Interrupted
            if received != latest:
                latest, changed_at = received, time.monotonic()
                self._on_progress(received - before, False, is_rest)
            elif arrivals.is_at_work:
                changed_at = time.monotonic()
            elif time.monotonic() - changed_at > SILENCE_SECONDS:
                log.warning("the state download was silent for %.0f s", SILENCE_SECONDS)
                return None
