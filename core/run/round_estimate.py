"""What the line of a home computer leaves of its computing, estimated from the manifest: nothing is measured.

With gradients, a volunteer behind a router first sends everything that is averaged, then receives the average, so an
exchange takes bytes / upload + bytes / download (hivemind's ``AllReduceRunner`` on peers in client mode); with local
SGD averages come while parts still go out, and it takes the longer of both. With overlap a round takes as long as the
slower of computing and exchange, without it as long as both; but half of an epoch's gradients are computed with the
last step at the least. Rounds that fail are not counted in.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.run.manifest import RunManifest
from core.run.requirements import estimate_requirements, received_share
from core.run.spec.collaboration import Collaboration

MAX_STALE_SHARE = 0.5
"""Of a computer's samples of an epoch, those that may lack the last step, which is being averaged meanwhile."""
HOME_GPU_FLOP_PER_SECOND = 10e12  # a good one; what training uses of it
_BITS = 8
_DAY_SECONDS = 86400.0


@dataclass(frozen=True)
class Line:
    """An internet connection, in bits per second; each direction was told by a person, or measured.

    A ``download`` that is not known counts as no faster than the upload: few lines are slower that way. One that was
    measured is at least so fast.
    """

    upload: float
    download: float | None = None
    is_upload_measured: bool = False
    is_download_measured: bool = False

    @property
    def sure_download(self) -> float:
        """The download, as far as it is known."""
        return self.upload if self.download is None else self.download

    def __str__(self) -> str:
        return f"{self.upload / 1e6:g}/{self.sure_download / 1e6:g} Mbit/s"


@dataclass(frozen=True)
class RoundEstimate:
    """An epoch of ``mode = "gradients"``, or a round of local SGD, of so many equal volunteers; times are in seconds.

    ``sent_bytes`` is what each volunteer sends, ``received_bytes`` what it receives. ``keeper_upload`` (bits
    per second) is what a lone keeper must be able to send, so that no volunteer waits for it.
    """

    volunteers: int
    sent_bytes: int
    received_bytes: int
    computing_seconds: float
    exchange_seconds: float
    round_seconds: float
    newcomer_seconds: float
    keeper_upload: float

    @property
    def training_share(self) -> float:
        """The share of the time in which a volunteer trains, from 0 to 1."""
        return self.computing_seconds / self.round_seconds

    @property
    def rounds_per_day(self) -> float:
        """The number of rounds in 24 hours."""
        return _DAY_SECONDS / self.round_seconds

    @property
    def keeper_bytes_per_day(self) -> float:
        """What a lone keeper sends in 24 hours, which is at least what it receives."""
        return self.volunteers * self.received_bytes * self.rounds_per_day


@dataclass(frozen=True)
class OwnRound:
    """A round, or an epoch of ``mode = "gradients"``, as a volunteer behind a router will have it.

    ``received_bytes`` is as much as ``sent_bytes``, or more with ``topk``: in a swarm that is large enough.
    ``round_seconds`` and ``training_share`` (0 to 1) are ``None`` where the speed of the swarm is not known; without a
    line no exchange takes any time.
    """

    sent_bytes: int
    received_bytes: int
    round_seconds: float | None = None
    training_share: float | None = None


def estimate_own_round(manifest: RunManifest, samples_per_second: float | None, line: Line | None) -> OwnRound:
    """The estimate for a volunteer with that line in a swarm which computes so many samples per second, it included."""
    sent = estimate_requirements(manifest).traffic_bytes // 2
    collaboration = manifest.collaboration
    received = sent * received_share(collaboration)
    if not samples_per_second:
        return OwnRound(sent, received)
    computing = collaboration.target_batch_size / samples_per_second
    computing = min(computing, collaboration.max_round_seconds or computing)
    exchange = 0.0 if line is None else _exchange_seconds(collaboration, sent, received, line)
    whole = _whole_seconds(collaboration, computing, exchange)
    return OwnRound(sent, received, whole, computing / whole)


def _exchange_seconds(collaboration: Collaboration, sent_bytes: int, received_bytes: int, line: Line) -> float:
    """Of both directions at once with local SGD, else of one after the other."""
    up, down = sent_bytes * _BITS / line.upload, received_bytes * _BITS / line.sure_download
    return max(up, down) if collaboration.mode == "local-sgd" else up + down


def estimate_round(manifest: RunManifest, line: Line, flop_per_second: float, volunteers: int) -> RoundEstimate:
    """The estimate for volunteers who all have that line and that speed."""
    needs, collaboration = estimate_requirements(manifest), manifest.collaboration
    sent = needs.traffic_bytes // 2  # what full peers send is up to twice as much
    computing = needs.sample_flop * collaboration.target_batch_size / (volunteers * flop_per_second)
    computing = min(computing, collaboration.max_round_seconds or computing)
    received = sent * received_share(collaboration, volunteers)
    exchange = _exchange_seconds(collaboration, sent, received, line)
    return RoundEstimate(
        volunteers=volunteers,
        sent_bytes=sent,
        received_bytes=received,
        computing_seconds=computing,
        exchange_seconds=exchange,
        round_seconds=_whole_seconds(collaboration, computing, exchange),
        newcomer_seconds=needs.download_bytes * _BITS / line.sure_download,
        keeper_upload=volunteers * min(line.upload * received / sent, max(line.upload, line.sure_download)),
    )


def _whole_seconds(collaboration: Collaboration, computing: float, exchange: float) -> float:
    """Of a round: both at once with overlap; but of an epoch's samples, so many may lack the last step at the most.

    The step waits for the gradients alone, which are half of what is exchanged, or more where weights are seldom.
    """
    if collaboration.mode == "local-sgd":
        return max(computing, exchange) if collaboration.overlap == "delayed" else computing + exchange
    if not (collaboration.delay_grad_averaging and collaboration.delay_state_averaging):
        return computing + exchange
    stale = MAX_STALE_SHARE * computing
    of_gradients = exchange * collaboration.average_state_every / (collaboration.average_state_every + 1)
    return max(exchange, max(of_gradients, stale) + computing - stale)
