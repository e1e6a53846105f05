"""A past for the window: a day of every curve, as if it had been open since yesterday."""

from __future__ import annotations

import math
import time

from core.files.folders import Folders
from core.records.store import run_key
from core.records.time_series import SERIES, History, Series
from tests.bench.window.simulated_worker import ORGANISER, RUN_ID

RUN_KEY = run_key(RUN_ID, ORGANISER)
DAY_SECONDS = 24 * 3600
_LATELY_SECONDS = 1500  # as long as there is a column for each second
_SPARSE_SECONDS = 10


def write_past(folders: Folders, until: float | None = None) -> None:
    """A value every ten seconds, and lately every second."""
    end = int(time.time() if until is None else until)
    history, _ = History.open(folders.contents.history_file)
    begin = end - DAY_SECONDS
    for at in (*range(begin, end - _LATELY_SECONDS, _SPARSE_SECONDS), *range(end - _LATELY_SECONDS, end)):
        for number, series in enumerate(SERIES):
            history.record(RUN_KEY, series, float(at), _value(series, number, at - begin))
    history.close()


def _value(series: Series, number: int, second: int) -> float:
    """Waves of different length; those that only grow, grow."""
    wave = 0.5 + 0.4 * math.sin(second / (600 + 90 * number)) + 0.1 * math.sin(second)
    match series:
        case "epoch":
            return float(second // 20)
        case "loss":
            return 0.3 + 3.0 * math.exp(-second / 20_000) + 0.05 * wave
        case "step" | "accuracy" | "gpu_utilisation":
            return wave
        case "gpu_memory":
            return 8e9 * wave
        case _:
            return 200.0 * wave
