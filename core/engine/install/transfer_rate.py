"""How fast a download is: over the last seconds, so that a change is seen and a moment does not count."""

from __future__ import annotations

from collections import deque

WINDOW_SECONDS = 5.0


class Speed:
    """Told how much has come by when."""

    def __init__(self) -> None:
        self._marks: deque[tuple[float, int]] = deque()

    def note(self, now_seconds: float, done_bytes: int) -> None:
        """So much is done by now."""
        self._marks.append((now_seconds, done_bytes))
        while now_seconds - self._marks[0][0] > WINDOW_SECONDS:
            self._marks.popleft()

    @property
    def bytes_per_second(self) -> float:
        """0 until enough is known."""
        (first, before), (last, after) = self._marks[0], self._marks[-1]
        return (after - before) / (last - first) if last - first >= 0.5 else 0.0
