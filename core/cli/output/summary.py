"""What came of one training, for the line that is left when it is over."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.cli.output import format as figures
from core.client.session import Session
from core.protocol.client_events import ClientEvent
from core.protocol.events import Evaluated, Progress, RoundFinished


@dataclass(frozen=True)
class Tally:
    """Counted from the events; times are on a clock that only goes forward."""

    started_at: float | None = None
    rounds: int = 0
    shared_rounds: int = 0
    wait_for_exit: float | None = None
    last_loss: float | None = None
    accuracy: float | None = None

    def after(self, event: ClientEvent, session: Session, now: float) -> Tally:
        """The tally once that event has led to that session."""
        if self.started_at is None and session.phase == "training":
            return replace(self, started_at=now).after(event, session, now)
        match event:
            case Progress(loss=float(loss)):
                first = loss if self.wait_for_exit is None else self.wait_for_exit
                return replace(self, wait_for_exit=first, last_loss=loss)
            case RoundFinished(kind="gradients"):
                # a round that nobody else took part in is no averaging
                shared = event.ok and event.peers > 1
                return replace(self, rounds=self.rounds + 1, shared_rounds=self.shared_rounds + shared)
            case Evaluated():
                return replace(self, accuracy=event.accuracy)
            case _:
                return self

    def seconds(self, now: float) -> float:
        """How long the training has lasted; zero before it starts."""
        return 0.0 if self.started_at is None else now - self.started_at

    def summary(self, session: Session, now: float) -> str:
        """``Helped for 3 epochs: 12,416 samples in 41 s, 3 of 3 rounds averaged with others; …``"""
        if self.started_at is None:
            return "Left before the training began."
        epochs = figures.counted(session.epochs_done, "epoch")
        samples = figures.counted(session.contributed_samples, "sample")
        parts = [f"Helped for {epochs}: {samples} in {figures.time(self.seconds(now))}"]
        if self.rounds:
            parts.append(f", {self.shared_rounds} of {self.rounds} rounds averaged with others")
        if self.wait_for_exit is not None:
            parts.append(f"; loss {figures.loss(self.wait_for_exit)} → {figures.loss(self.last_loss)}")
        if self.accuracy is not None:
            parts.append(f", accuracy {figures.share(self.accuracy)}")
        return "".join(parts) + "."
