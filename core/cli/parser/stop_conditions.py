"""When a person wants the training to end by itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """At most one of them is set; ``seconds`` counts from the start of training."""

    epochs: int | None = None
    samples: int | None = None
    seconds: float | None = None

    def reached(self, epochs_done: int, contributed_samples: int, training_seconds: float) -> bool:
        """Whether it is time to leave."""
        return (
            (self.epochs is not None and epochs_done >= self.epochs)
            or (self.samples is not None and contributed_samples >= self.samples)
            or (self.seconds is not None and training_seconds >= self.seconds)
        )


NO_LIMITS = Limits()
