"""Whether somebody else takes part with our keys, as where a folder with them was copied and both computers run."""

from __future__ import annotations

from collections.abc import Collection

from core.worker.swarm.dht.progress_reports import PeerReport


class DuplicatePeerIdWatch:
    """Notices reports of progress that our key has signed, and that we have not made.

    What two computers report with one key lies in one place of the DHT, where the later report counts. Nobody without
    the key can store there; what our last worker has left there is older than all that we have made.
    """

    def __init__(self) -> None:
        self._last, self._is_told = 0.0, False

    def look(self, stored: PeerReport | None, ours: Collection[float]) -> bool:
        """Whether a person is to be told, which is once, and after two such reports.

        ``stored`` is what the DHT had under our key at the last look. ``ours`` are the times of our latest reports, of
        all that have not expired; all times are in seconds since 1970.
        """
        if self._is_told or stored is None or not ours:
            return False
        if stored.time in ours or stored.time <= max(min(ours), self._last):
            return False
        self._is_told, self._last = self._last > 0.0, stored.time
        return self._is_told
