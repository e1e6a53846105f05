"""The interface through which the charts get their curves."""

from __future__ import annotations

from typing import Protocol

from core.records.time_series import Curve, Series


class ChartDataSource(Protocol):
    """The time series of the run that is shown; given to the panel of charts once, and asked at each drawing."""

    def curve(self, series: Series, period_seconds: float | None) -> Curve:
        """That series over the last ``period_seconds``, or since the run began, if that was later or with ``None``."""
        ...
