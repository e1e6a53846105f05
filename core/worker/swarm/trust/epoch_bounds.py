"""Of which epoch a donated state may be: how far a run can have come.

That follows from what its peers report, from our own pace, and from the epochs that its organiser has signed.
"""

from __future__ import annotations

import statistics
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import pairwise

from core.localizable import Detail, localized
from core.run.signed_scores import Score
from core.worker.swarm.patches.monotonic_clock import steady_time

MAX_EPOCH = 10**7  # of any run
MAX_LEAD = 10  # epochs, of a state before what others report, or what we expect
NEAR_EPOCHS = MAX_LEAD // 2  # between ours and what others report who are where we are
MAX_SPEED_UP = 8.0  # times as fast as our epochs were, since others may have joined
AGREED_SHARE = 2 / 3  # of the weight of those who were known before
AGREED_EPOCHS = 2  # by which reports of those who agree may be behind
AHEAD_OF_SIGNED = 1  # epochs: a signature comes some seconds after an epoch has begun
SIGNING_SECONDS = 15.0  # after which an epoch that goes on is signed, and its signature read
REPORT_SECONDS = 5.0  # after which the others' reports are read, and the state of an offer has come
REMEMBERED_EPOCHS = 9


class EpochPace:
    """How long our epochs last, and since when we do not know where the run is.

    Who ends an epoch alone may have slept, or been cut off, and the run is further than that epoch by as much as others
    do in the time since the last one that they ended as well.
    """

    def __init__(self) -> None:
        self._seconds = deque[float](maxlen=REMEMBERED_EPOCHS)
        self._latest: tuple[int, float] | None = None  # our epoch, and when it began
        self._shared: tuple[int, float] | None = None  # the last that others were in, too

    def begin(self, epoch: int, others: Collection[int] = ()) -> None:
        """An epoch of ours begins at this very moment; the others report those."""
        now = steady_time()
        if self._latest is not None and epoch == self._latest[0] + 1:
            self._seconds.append(now - self._latest[1])
        self._latest = epoch, now
        is_shared = 2 * sum(abs(each - epoch) <= NEAR_EPOCHS for each in others) >= len(others) > 0
        if is_shared or self._shared is None:
            self._shared = self._latest

    def latest_epoch(self) -> int:
        """The last epoch in which the run may be by now."""
        if self._shared is None or not self._seconds:
            return MAX_EPOCH
        epoch, began = self._shared
        return _latest(epoch, steady_time() - began, self._seconds)


def latest_signed_epoch(scores: Sequence[Score], now: float) -> int:
    """The last epoch in which the run may be ``now`` (seconds since 1970), by the epochs that its organiser has signed.

    They go on at their pace, times `MAX_SPEED_UP`, while the organiser is away. Without two of them any may be.
    """
    if not (paces := _signed_paces(scores)):
        return MAX_EPOCH
    return _latest(scores[-1].epoch, max(0.0, now - scores[-1].at), paces)


def signed_epochs_in(seconds: float, scores: Sequence[Score]) -> int:
    """How many epochs the run makes in so long, by the pace of those that are signed; 0 where none is known.

    Where they last less than a second, reports and signatures are as many epochs behind as pass until they are read.
    """
    paces = _signed_paces(scores)
    return int(seconds / max(statistics.median(paces), 1e-3)) if paces else 0


def _signed_paces(scores: Sequence[Score]) -> list[float]:
    """The seconds an epoch of the last that are signed."""
    steps = [(after.at - before.at, after.epoch - before.epoch) for before, after in pairwise(scores)]
    return [seconds / epochs for seconds, epochs in steps[-REMEMBERED_EPOCHS:] if seconds > 0 and epochs > 0]


def _latest(epoch: int, passed: float, paces: Iterable[float]) -> int:
    """The last epoch in which a run may be so many seconds after that one began, whose epochs lasted ``paces``."""
    passed_epochs = passed / max(statistics.median(paces), 1e-3)
    return min(MAX_EPOCH, epoch + MAX_LEAD + int(MAX_SPEED_UP * passed_epochs))


def epoch_error(epoch: int, others: Sequence[int], latest: int, scores: Sequence[Score] = ()) -> Detail:
    """Why a state of that epoch cannot be the run's, in words; empty where it may be.

    ``others`` are the epochs that the other peers report, ``latest`` is the last that any pace allows, and ``scores``
    tell how many a report may be behind. Of two others one of whom lies, the one that is behind is believed.
    """
    if not 0 <= epoch <= MAX_EPOCH:
        return localized("no run has come to epoch %1", epoch)
    if epoch > latest:
        return localized("the run cannot have come to epoch %1, but to %2 at the most", epoch, latest)
    lead = MAX_LEAD + signed_epochs_in(REPORT_SECONDS, scores)
    if others and epoch > (usual := statistics.median_low(others)) + lead:
        return localized("it is of epoch %1, and the others report %2", epoch, usual)
    return ""


def agreement_error(epoch: int, own: int, scores: Sequence[Score], agreed_share: Callable[[int], float]) -> Detail:
    """Why nobody who is in its ``own`` epoch may follow to that one, in words; empty where it may.

    What it has come to by itself needs nobody's word. Else the epoch must be signed, or agreed on by most of those who
    were known before: ``agreed_share`` is the share of their weight, of those who have come to an epoch.
    """
    signed = scores[-1].epoch if scores else -1
    if epoch <= max(own, signed + signed_epochs_in(SIGNING_SECONDS, scores)) + AHEAD_OF_SIGNED:
        return ""
    share = agreed_share(epoch - AGREED_EPOCHS)
    if share >= AGREED_SHARE:
        return ""
    return localized(
        "epoch %1 is not signed, and %2 of those who were known before have come to it", epoch, f"{share:.0%}"
    )
