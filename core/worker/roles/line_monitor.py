"""How fast this computer's line is: measured once others of the run are there, and told to all who make use of it."""

from __future__ import annotations

import logging
import math
import random
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence

from core.protocol.events import LineMeasured
from core.run.multiaddr import readable_multiaddrs
from core.worker.network.line_memory import LineMemory
from core.worker.process.channel import WorkerChannel
from core.worker.swarm import (
    UPLOAD_TEST_PEERS,
    DownloadMeter,
    RecentPeers,
    Swarm,
    SwarmOptimizer,
    connected_addresses,
    measure_upload,
)

POLL_SECONDS = 3.0
MAX_FAILED_TESTS = 8  # with one peer, which may be busy with somebody else's, or be a plain hivemind peer
AGAIN_SECONDS = 30.0  # after a test that failed, or beside which an exchange has begun: sooner its receiver refuses one
MAX_REPEATED_TESTS = 3  # for such an exchange; after them the figure counts, which is too low at the worst
MOST_LOOKS = 20  # at exchanges that go on, until the upload is tested beside one: somewhere they never end
MAX_PEERS = 4  # are uploaded to, all in all; the larger figures are those of faster lines at the other end

log = logging.getLogger(__name__)


class LineMonitor:
    """Uploads to one or two peers of the run, for two seconds together, beside training; and to some that come later.

    Only peers count that we are connected with at a public address: one in the same home, or on this very computer,
    says nothing of the line. A newcomer counts while it downloads the state from us, before it reports anything: where
    all others have slow lines, the upload to them would hold it up. Nothing is uploaded while the run's state arrives
    or an exchange goes on, which take the line, too.
    What was measured in this network before is used until then. The ``meter`` has seen what has arrived of a state; it
    counts where all whom we are connected with are on the internet. Beside the averagers, ``tell_host`` is told of the
    upload, in bits a second: it sends copies of experts.
    """

    def __init__(
        self,
        swarm: Swarm,
        optimizer: SwarmOptimizer,
        memory: LineMemory,
        meter: DownloadMeter,
        channel: WorkerChannel,
        tell_host: Callable[[float | None], None] = lambda _upload: None,
    ) -> None:
        self._swarm, self._optimizer, self._memory, self._channel = swarm, optimizer, memory, channel
        self._meter, self._tell_host = meter, tell_host
        self._tested: set[str] = set()
        self._failed = RecentPeers[str, int]()
        self._busy_looks = self._repeated = 0
        self._due_at = -math.inf
        self._fastest = 0.0
        self._known: float | None = None
        self._limit: float | None = None
        self._download: float | None = None

    def run(self, leaving: threading.Event) -> None:
        """Measure as soon as there is somebody to measure with, until ``leaving``."""
        if (known := self._memory.recall("upload")) is not None:
            self._use(known)
        while not leaving.wait(POLL_SECONDS):
            is_due = len(self._tested) < MAX_PEERS and self._limit is None and time.monotonic() >= self._due_at
            if is_due and self._optimizer.has_run_state and not self._is_line_busy():
                self._test_upload()
            if (download := self._meter.take()) is not None:
                self._learn_download(download)

    def _is_line_busy(self) -> bool:
        """Whether an exchange goes on whose end is worth waiting for; to be asked at each look."""
        is_exchanging = any(each.rounds.is_exchanging for each in self._optimizer.averagers)
        self._busy_looks = self._busy_looks + 1 if is_exchanging else 0
        return 0 < self._busy_looks < MOST_LOOKS

    def _test_upload(self) -> None:
        connected = self._connected([*self._direct(), *self._optimizer.state_averager.newcomers()])
        if peers := {peer for peer, is_public in connected.items() if is_public and self._may_test(peer)}:
            in_turn = sorted(random.sample(sorted(peers), len(peers)), key=self._failures)
            chosen = in_turn[:UPLOAD_TEST_PEERS]
            measured = measure_upload(self._swarm.dht, chosen)
            is_beside_exchange = bool(measured) and self._is_line_busy() and self._repeated < MAX_REPEATED_TESTS
            if is_beside_exchange or not measured:
                self._due_at = time.monotonic() + AGAIN_SECONDS
            if is_beside_exchange:
                self._repeated += 1
                return
            self._tested |= measured.keys()
            for peer in set(chosen) - measured.keys():
                self._failed[peer] = self._failures(peer) + 1
            self._learn(max(measured.values(), default=0.0))

    def _failures(self, peer: str) -> int:
        return self._failed.get(peer, 0)

    def _may_test(self, peer: str) -> bool:
        return peer not in self._tested and self._failures(peer) < MAX_FAILED_TESTS

    def _learn(self, bits_per_second: float) -> None:
        """Tell everybody of a faster upload than any that was measured in this run."""
        if bits_per_second > self._fastest:
            self._fastest = bits_per_second
            log.info("the line uploads %.1f Mbit/s", bits_per_second / 1e6)
            self._use(upload := self._memory.remember("upload", bits_per_second))
            self._channel.emit(upload)

    def _learn_download(self, bits_per_second: float) -> None:
        """Keep it if it is more than what is known: each is what the line receives at least."""
        known, connected = self._memory.recall("download"), self._connected(self._direct()).values()
        if connected and all(connected) and (known is None or known.bits_per_second < bits_per_second):
            log.info("the line downloads at least %.1f Mbit/s", bits_per_second / 1e6)
            self._channel.emit(self._memory.remember("download", bits_per_second))

    def _use(self, upload: LineMeasured) -> None:
        self._known = upload.bits_per_second
        self._tell_all()

    def limit_to(self, upload: float | None, download: float | None) -> None:
        """Reckon with a line that the owner has limited, in bits a second; while uploads are, nothing is measured."""
        self._limit, self._download = upload, download
        self._tell_all()

    def _tell_all(self) -> None:
        upload = min((figure for figure in (self._known, self._limit) if figure is not None), default=None)
        for averager in self._optimizer.averagers:
            averager.know_upload(upload, self._download)
        self._tell_host(upload)

    def _direct(self) -> list[str]:
        """The ids of the peers that report that they can be reached."""
        return [*self._optimizer.tracker.statistics.direct_others().values()]

    def _connected(self, peers: Sequence[str]) -> dict[str, bool]:
        """Those of the peers that we are connected with, and whether all of that goes through the internet."""
        are_public: dict[str, list[bool]] = defaultdict(list)
        for address in readable_multiaddrs(connected_addresses(self._swarm.dht, peers)):
            if address.peer_id is not None:
                are_public[address.peer_id].append(address.is_public and address.relay_id is None)
        return {peer: all(each) for peer, each in are_public.items()}
