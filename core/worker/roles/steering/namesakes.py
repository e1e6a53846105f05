"""Whether somebody else takes part with our keys, as where a folder with them was copied and both computers run."""

from __future__ import annotations

from core.worker.swarm.dht.progress_reports import PeerReport


class NamesakeWatch:
    """Notices reports of progress that our key has signed, and that we have not made.

    What two computers report with one key lies in one place of the DHT, where the later report counts. What we have
    reported, or our last worker, is never later than what we report now; and nobody without the key can store there.
    """

    def __init__(self) -> None:
        self._last, self._is_told = 0.0, False

    def look(self, stored: PeerReport | None, our_time: float) -> bool:
        """Whether a person is to be told, which is once, and after two such reports.

        ``stored`` is what the DHT had under our key at the last look, and ``our_time`` that of our latest report, of
        which it may have none yet; both are seconds since 1970.
        """
        time = stored.time if stored is not None else 0.0
        if self._is_told or time <= max(our_time, self._last):
            return False
        self._is_told, self._last = self._last > 0.0, time
        return self._is_told
