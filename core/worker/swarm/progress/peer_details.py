"""What the peers of a run say of themselves and of their losses, for a person to see."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import TypeVar

from hivemind.dht import DHT
from pydantic.v1 import BaseModel

from core.worker.swarm.dht.progress_reports import mean_loss
from core.worker.swarm.dht.run_records import METRICS, PEER_INFO, LocalMetrics, PeerInfo, RecordKind
from core.worker.swarm.progress.progress_estimate import FEW_PEERS

READ_SECONDS = 60.0  # between two reads of everybody's records
NEWS_SECONDS = 10.0  # of the same if somebody has come, or an epoch has ended

_Record = TypeVar("_Record", bound=BaseModel)


@dataclass
class _Seldom:
    """When records were read last, and what there was to read about; ``clock`` is monotonic."""

    clock: Callable[[], float]
    read_at: float = -math.inf
    about: object = None

    def is_due(self, peers: int, about: object) -> bool:
        """Whether to read now, with so many peers: the more there are, the more each read brings, and the rarer it is.

        What is to be read ``about`` is something new, or the same as at the last read.
        """
        seconds = READ_SECONDS if about == self.about else NEWS_SECONDS
        if self.clock() - self.read_at < seconds * max(1.0, peers / FEW_PEERS):
            return False
        self.read_at, self.about = self.clock(), about
        return True


class PeerDetails:
    """What those who report progress have published besides, by the subkeys of their reports; ``clock`` is monotonic.

    It decides nothing, and is read of one holder at a time.
    """

    def __init__(self, dht: DHT, run_id: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._dht, self._run_id = dht, run_id
        self._infos_read, self._metrics_read = _Seldom(clock), _Seldom(clock)
        self.infos, self._metrics = dict[bytes, PeerInfo](), dict[bytes, LocalMetrics]()

    def refresh(self, there: Set[bytes], epoch: int) -> None:
        """Read what is due of those who are ``there``, and forget everybody else; the swarm is in that epoch."""
        if self._infos_read.is_due(len(there), frozenset(there)):
            self.infos |= self._read(PEER_INFO)
        if self._metrics_read.is_due(len(there), epoch):
            self._metrics |= self._read(METRICS)
        self.infos = {subkey: info for subkey, info in self.infos.items() if subkey in there}
        self._metrics = {subkey: metrics for subkey, metrics in self._metrics.items() if subkey in there}

    @property
    def loss(self) -> float | None:
        """The mean loss of all micro-batches that they have reported, as `mean_loss`."""
        return mean_loss(self._metrics.values())

    def _read(self, kind: RecordKind[_Record]) -> dict[bytes, _Record]:
        return kind.read(self._dht, self._run_id, ask="one")
