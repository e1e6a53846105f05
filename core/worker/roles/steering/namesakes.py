"""Whether somebody else takes part under our peer id, as where a folder with keys was copied and both computers run."""

from __future__ import annotations

from collections.abc import Mapping

from core.worker.swarm.dht.progress_reports import PeerReport


class NamesakeWatch:
    """Notices reports of progress under our peer id that were made since we ``began``, in seconds since 1970.

    Each worker signs its reports with a key of its own, so what the last one has left is not ours; but it has ended,
    and reports nothing new. In an open run a stranger may report in anybody's name: nothing follows but a warning.
    """

    def __init__(self, peer_id: str, began: float) -> None:
        self._peer_id, self._began, self._is_told = peer_id, began, False
        self._last: Mapping[bytes, float] = {}

    def look(self, others: Mapping[bytes, PeerReport]) -> bool:
        """Whether a person is to be told, which is once; ``others`` are all reports but our own, by their keys."""
        times = {key: each.time for key, each in others.items() if each.peer_id.to_base58() == self._peer_id}
        is_going_on = any(self._began < self._last.get(key, 0.0) < time for key, time in times.items())
        self._last = times
        is_news, self._is_told = is_going_on and not self._is_told, self._is_told or is_going_on
        return is_news
