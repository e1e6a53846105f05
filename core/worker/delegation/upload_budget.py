"""How an upload limit is shared by the connections of a process: pure arithmetic over what each of them has sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

CREDIT_SECONDS = 1.0  # of the limit, which was not used and may be made up for
DEBT_SECONDS = 5.0  # of the limit, which was sent too much and is saved again
SETTLING_SECONDS = 1.0  # in which credit is spent and debt is paid
LEAST_SHARE = 0.5  # of the limit, however large the debt: a segment sent at a low rate delays the next ones for long


@dataclass(frozen=True)
class Connection:
    """A TCP connection: what it has sent since it was opened, and what waits in its buffer, both in bytes."""

    key: int
    sent_bytes: int
    unsent_bytes: int


class UploadBudget:
    """Divides ``limit`` bytes a second among connections, so that their sum keeps to it over a few seconds.

    A connection with something in its buffer is held back by its rate, and they share what the others leave. Whatever
    was sent beyond the limit, as by a connection that has just begun, is saved afterwards (a token bucket).
    """

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._credit_bytes = 0.0
        self._at: float | None = None
        self._sent: Mapping[int, int] = {}

    def rates(self, connections: Sequence[Connection], now: float) -> dict[int, float]:
        """The bytes a second of each connection until the next call; ``now`` is in seconds of a steady clock."""
        seconds = 0.0 if self._at is None else max(0.0, now - self._at)
        used = {each.key: self._increase(each) for each in connections}
        self._at, self._sent = now, {each.key: each.sent_bytes for each in connections}
        credit = self._credit_bytes + self.limit * seconds - sum(used.values())
        self._credit_bytes = min(max(credit, -DEBT_SECONDS * self.limit), CREDIT_SECONDS * self.limit)
        budget = max(self.limit + self._credit_bytes / SETTLING_SECONDS, LEAST_SHARE * self.limit)
        return _divided(budget, connections, {key: each / seconds if seconds else 0.0 for key, each in used.items()})

    def _increase(self, connection: Connection) -> int:
        """What has gone before anybody looked for the first time is nobody's debt."""
        known = connection.sent_bytes if self._at is None else 0
        return connection.sent_bytes - self._sent.get(connection.key, known)


def _divided(budget: float, connections: Sequence[Connection], speeds: Mapping[int, float]) -> dict[int, float]:
    """What the quiet ones have sent is set aside; each may send its even share, should it begin now."""
    if not connections:
        return {}
    even = budget / len(connections)
    hungry = [each.key for each in connections if each.unsent_bytes > 0]
    quiet = [each.key for each in connections if each.unsent_bytes == 0]
    set_aside = sum(min(even, speeds[key]) for key in quiet)
    rates = dict.fromkeys(quiet, even)
    return rates | {key: (budget - set_aside) / len(hungry) for key in hungry}
