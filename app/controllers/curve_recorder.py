"""The time series of a run, recorded while it trains: speeds, losses, epochs, peers, and what its GPU does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.client.hourly_traffic import increase
from core.protocol.events import Evaluated, Progress, RunScored
from core.records.time_series import Curve, History, Series
from core.run.steering.edit import samples_before

if TYPE_CHECKING:
    from core.client.session import Session
    from core.hardware.device import Device


LONGEST_SECONDS = 60.0  # between two reports; after a longer time nobody knows when the bytes went
LEAST_SECONDS = 15.0  # so that the first values do not lie at both edges of a graph


class CurveRecorder:
    """Adds to the history what the worker has reported since the last time; each report is recorded once.

    Traffic is that of this run's worker, which has no other. Units of the series: ``my_rate`` and ``swarm_rate`` in
    samples a second, ``sent_rate`` and ``received_rate`` in bytes a second, ``step``, ``accuracy`` and
    ``gpu_utilisation`` shares of one, ``gpu_memory`` in bytes, ``gpu_temperature`` in degrees Celsius, ``gpu_power``
    in watts, ``run_samples`` in those of which all peers have learned since the run began.
    """

    def __init__(self, history: History) -> None:
        self._history = history
        self._progress: Progress | None = None
        self._counted_at: float | None = None
        self._evaluated: Evaluated | None = None
        self._scored: RunScored | None = None

    def curve(self, key: str, series: Series, period_seconds: float | None, now: float) -> Curve:
        """A series of the run of that key over the last ``period_seconds``; ``None`` means since the run began.

        A run that is younger fills its graph: the curve begins with the run.
        """
        age = self._history.age(key, now) if period_seconds is not None else None
        if period_seconds is not None and age is not None:
            period_seconds = min(period_seconds, max(age, LEAST_SECONDS))
        return self._history.curve(key, series, period_seconds, now)

    def record(self, key: str, session: Session, device: Device | None, at: float) -> None:
        """Record under the key of its run what a session has newly reported, and its GPU, at that time.

        ``at`` is in seconds since 1970.
        """
        traffic = self._traffic_values(session.progress, at)
        values = traffic | self._progress_values(session) | self._evaluation_values(session.evaluated)
        if device is not None and device.is_gpu:
            values |= _gpu_values(device)
        for series, value in values.items():
            if value is not None:
                self._history.record(key, series, at, value)
        self._record_scores(key, session)

    def _traffic_values(self, progress: Progress | None, at: float) -> dict[Series, float | None]:
        """What was sent and received since the report before this one, per second; to be called before it is known."""
        if progress is None or progress is self._progress:
            return {}
        before, counted_at, self._counted_at = self._progress, self._counted_at, at
        if before is None or counted_at is None or not 0 < at - counted_at <= LONGEST_SECONDS:
            return {}
        sent, received = increase(progress, before.sent_bytes, before.received_bytes)
        return {"sent_rate": sent / (at - counted_at), "received_rate": received / (at - counted_at)}

    def _progress_values(self, session: Session) -> dict[Series, float | None]:
        progress = session.progress
        if progress is None or progress is self._progress:
            return {}
        self._progress = progress
        return {
            "my_rate": progress.samples_per_second,
            "swarm_rate": progress.swarm_samples_per_second,
            "epoch": float(progress.epoch),
            "step": progress.samples / progress.target if progress.target else None,
            "run_samples": _samples_before(session, progress.epoch, progress.target) + progress.samples,
            "loss": progress.loss,
            "peers": float(progress.peers),
        }

    def _evaluation_values(self, evaluated: Evaluated | None) -> dict[Series, float | None]:
        if evaluated is None or evaluated is self._evaluated:
            return {}
        self._evaluated = evaluated
        return {"accuracy": evaluated.accuracy}

    def _record_scores(self, key: str, session: Session) -> None:
        """Record the run's losses, and the samples behind them, at the times at which the organiser measured them."""
        scored = session.scored
        if scored is None or scored is self._scored:
            return
        self._scored = scored
        for score in scored.scores:
            self._history.record(key, "run_loss", score.at, score.loss)
            if session.agreed is not None:
                self._history.record(key, "run_samples", score.at, _samples_before(session, score.epoch))


def _samples_before(session: Session, epoch: int, target: int = 0) -> float:
    """What the run had learned from before that epoch; with epochs of ``target`` samples where it is not known."""
    agreed = session.agreed
    if agreed is None:
        return float(epoch * target)
    run = session.found(agreed.manifest.run.id, agreed.organiser) or agreed  # with what was edited since
    return float(samples_before(run.manifest, run.edits, epoch))


def _gpu_values(device: Device) -> dict[Series, float | None]:
    total, free = device.memory_total_bytes, device.memory_free_bytes
    temperature = device.temperature_c
    return {
        "gpu_utilisation": device.utilisation,
        "gpu_memory": float(total - free) if total is not None and free is not None else None,
        "gpu_temperature": float(temperature) if temperature is not None else None,
        "gpu_power": device.power_watts,
    }
