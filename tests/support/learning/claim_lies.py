"""How a member of a small swarm lies in what it claims: its progress, its state and itself. It trains like any other.

``ahead`` reports an epoch that nobody has. ``untrained`` does so too, and sends the weights of a model that has learned
nothing as the state of that epoch, of the highest priority. ``samples`` claims more of them than anybody could have
computed, and ``flipped`` none at all. ``gather`` tells its groups what cannot be decoded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hivemind.averaging.control import StepControl

from core.worker.swarm import SwarmOptimizer
from core.worker.swarm.averaging.averagers import TrainingStateAverager
from tests.support.peers.learning_rows import Lie

EPOCHS_AHEAD = 1000
ABSURD_SAMPLES = 2**39
HIGHEST_PRIORITY = 1e9


class _LyingDht:
    """The DHT as the progress tracker uses it; what the reports that it stores say is made something else of."""

    def __init__(self, dht: Any, **lies: Callable[[float], float]) -> None:
        self._dht, self._lies = dht, lies

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dht, name)

    def store(self, *args: Any, value: Any, **options: Any) -> Any:
        """Store a report that is a lie; a goodbye is none."""
        if isinstance(value, dict) and "epoch" in value:
            value = value | {key: told(value[key]) for key, told in self._lies.items()}
        return self._dht.store(*args, value=value, **options)


def prepare_claims(lie: Lie) -> None:
    """What has to be different before the averagers are forked."""
    if lie == "gather":
        _tell_nonsense()
    elif lie == "untrained":
        _offer_untrained()


def lie_about_progress(optimizer: SwarmOptimizer, lie: Lie) -> None:
    """From now on, report progress that is none."""
    tracker = optimizer.tracker
    if lie in ("ahead", "untrained"):
        tracker.dht = _LyingDht(tracker.dht, epoch=lambda epoch: epoch + EPOCHS_AHEAD)
    elif lie == "samples":
        tracker.dht = _LyingDht(
            tracker.dht,
            samples_accumulated=lambda samples: samples + ABSURD_SAMPLES,
            samples_per_second=lambda speed: speed + float(ABSURD_SAMPLES),
        )
    elif lie == "flipped":
        tracker.dht = _LyingDht(tracker.dht, samples_accumulated=lambda _: 0)


def _tell_nonsense() -> None:
    begin = StepControl.__init__

    def begin_with_nonsense(self: StepControl, *args: Any, data_for_gather: bytes, **options: Any) -> None:
        begin(self, *args, data_for_gather=b"\xc1", **options)

    StepControl.__init__ = begin_with_nonsense


def _offer_untrained() -> None:
    make, state = TrainingStateAverager.__init__, TrainingStateAverager.get_current_state
    untrained: list[Any] = []

    def make_and_remember(self: TrainingStateAverager, *args: Any, **options: Any) -> None:
        make(self, *args, **options)
        untrained.extend(parameter.detach().clone() for parameter in self.main_parameters)

    def offered(self: TrainingStateAverager) -> Any:
        metadata, tensors, infos = state(self)
        told = metadata | {"epoch": metadata["epoch"] + EPOCHS_AHEAD}
        return told, [*untrained, *tensors[len(untrained) :]], infos

    TrainingStateAverager.__init__ = make_and_remember  # type: ignore[method-assign]
    TrainingStateAverager.get_current_state = offered
    TrainingStateAverager.state_sharing_priority = property(lambda _: HIGHEST_PRIORITY, lambda *_: None)
