"""What came of one training, for the line that is left when it is over."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.client.event_timestamps import EventTimestamps, is_averaged
from core.client.session import Session
from core.protocol.client_events import ClientEvent
from core.protocol.events import Evaluated, Progress, RoundFinished
from core.texts import figures
from core.texts.run import order_words


def counted(number: int, noun: str) -> str:
    """Return ``1 peer`` or ``3 peers``."""
    return f"{figures.count(number)} {noun}{'' if number == 1 else 's'}"


_NOTHING_SEEN = EventTimestamps()


@dataclass(frozen=True)
class Tally:
    """The sums and times of one training, counted from its events; times are in seconds of ``time.monotonic()``.

    The loop has stood still in the optimizer for ``longest_stall`` at the most, in seconds.
    """

    started_at: float | None = None
    rounds: int = 0
    shared_rounds: int = 0
    first_loss: float | None = None
    last_loss: float | None = None
    accuracy: float | None = None
    longest_stall: float = 0.0
    timestamps: EventTimestamps = _NOTHING_SEEN

    def after(self, event: ClientEvent, session: Session, now: float) -> Tally:
        """Return the tally after that event has led to that session."""
        started_at = now if self.started_at is None and session.phase == "training" else self.started_at
        tally = replace(self, started_at=started_at, timestamps=self.timestamps.after(session, now))
        match event:
            case Progress():
                return tally._progressed(event)
            case RoundFinished(kind="gradients" | "changes"):
                shared = self.shared_rounds + is_averaged(event)
                return replace(tally, rounds=self.rounds + 1, shared_rounds=shared)
            case Evaluated(accuracy=float(accuracy)):
                return replace(tally, accuracy=accuracy)
            case _:
                return tally

    def _progressed(self, progress: Progress) -> Tally:
        first = progress.loss if self.first_loss is None else self.first_loss
        last = self.last_loss if progress.loss is None else progress.loss
        stall = max(self.longest_stall, progress.stalled_seconds)
        return replace(self, first_loss=first, last_loss=last, longest_stall=stall)

    def seconds(self, now: float) -> float:
        """Return how long the training has lasted; zero before it starts."""
        return 0.0 if self.started_at is None else now - self.started_at

    def summary(self, session: Session, now: float) -> str:
        """Return the last line: ``Helped for 3 epochs: 12,416 samples in 41 s, 3 of 3 rounds averaged with others``."""
        if session.order.state in ("draining", "ended"):
            return f"{order_words(session.order)}.\n{self._of_training(session, now)}"
        return self._of_training(session, now)

    def _of_training(self, session: Session, now: float) -> str:
        if self.started_at is None:
            return "Left before the training began."
        epochs = counted(session.epochs_done, "epoch")
        samples = counted(session.contributed_samples, "sample")
        parts = [f"Helped for {epochs}: {samples} in {figures.time(self.seconds(now))}"]
        if self.rounds:
            parts.append(f", {self.shared_rounds} of {self.rounds} rounds averaged with others")
        if self.first_loss is not None:
            parts.append(f"; loss {figures.loss(self.first_loss)} → {figures.loss(self.last_loss)}")
        if self.accuracy is not None:
            parts.append(f", accuracy {figures.share(self.accuracy)}")
        return "".join(parts) + "."
