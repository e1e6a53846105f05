"""What a peer has changed since the last round, kept while it catches up with the others, or their average arrives.

Who has missed a round has changed something that is in nobody's average. Taken along to the base weights of a round or
two later it still leads the right way, so it goes into the next average; after more rounds it does not (a *stale*
pseudo-gradient), and is dropped.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeGuard

import torch
from hivemind.averaging.control import StepControl
from torch import Tensor

from core.worker.compute.process_memory import return_free_memory
from core.worker.swarm.averaging.allreduce import ExchangeFailedError, are_finite
from core.worker.swarm.local_sgd.codecs.codec import Codec
from core.worker.swarm.local_sgd.codecs.encoded_tensors import EncodedTensors, changes_of, in_parts
from core.worker.swarm.local_sgd.outer_optimizer import OuterNesterov
from core.worker.swarm.patches.matchmaking import StaleRoundError

log = logging.getLogger(__name__)


class OwnProgress:
    """Our changes, encoded by ``codec``, for at most ``max_rounds`` outer steps of others.

    ``may_be_sent`` says that others may have stepped with the changes of our last exchange. It is set by whoever knows
    how that ended, and until our own base weights move. ``on_caught_up`` hears how many rounds we were behind, and
    whether something was kept.
    """

    def __init__(
        self, codec: Codec, max_rounds: int, on_caught_up: Callable[[int, bool], None] = lambda _rounds, _kept: None
    ) -> None:
        self._codec, self._max_rounds, self._on_caught_up = codec, max_rounds, on_caught_up
        self._changes: EncodedTensors | None = None
        self._rounds = 0  # of others that the changes in the model's weights were carried over
        self.may_be_sent = False

    @torch.no_grad()
    def keep(self, base: Iterable[Tensor], weights: Iterable[Tensor], sent: EncodedTensors | None) -> None:
        """Keep how far the model's ``weights`` are from their ``base``, less what was ``sent`` if others have it."""
        self._changes = None
        if self.may_be_sent and sent is None:
            return
        try:
            self._changes = self._encoded(list(zip(base, weights, strict=True)), sent if self.may_be_sent else None)
        except ValueError as error:
            log.warning("our changes cannot be kept: %s", error)

    def _encoded(self, pairs: Sequence[tuple[Tensor, Tensor]], sent: EncodedTensors | None) -> EncodedTensors:
        encoded = EncodedTensors([base.shape for base, _ in pairs], self._codec)
        for number, difference in enumerate(part for base, weights in pairs for part in changes_of(base, weights)):
            if sent is not None:
                difference -= sent.decoded_part(number)
            if not are_finite([difference]):
                raise ValueError("they are not finite")
            encoded.encode_part(number, difference)
        return encoded

    def forget(self) -> None:
        """Our base weights have not moved: the model's weights still have what was kept."""
        self._changes = None

    def take(self, rounds: int, *, is_led_on: bool) -> EncodedTensors | None:
        """What was kept, for base weights so many rounds later; ``None`` where there is nothing, or it is void.

        It is void where the new base weights were not ``is_led_on`` from ours: then ours were wrong. Rounds that it was
        carried over before count, until our changes go into an average.
        """
        changes, self._changes, self.may_be_sent = self._changes, None, False
        before, self._rounds = self._rounds, 0
        if changes is None:
            return None
        rounds = before + max(0, rounds)
        is_kept = is_led_on and rounds <= self._max_rounds
        self._rounds = rounds if is_kept else 0
        self._on_caught_up(rounds, is_kept)
        if not is_led_on:
            log.warning("no round leads from our base weights to the new ones: what we had changed is dropped")
        elif not is_kept:
            log.warning("we were %d rounds behind: what we had changed is too old, and is dropped", rounds)
        else:
            log.info("we were %d rounds behind, and keep what we have changed", rounds)
        return changes if is_kept else None


class Rebase:
    """Carries a model that trains on to base weights which an outer step has moved, some numbers at a time.

    A model's weights are its base weights and what was learned since. What of that was ``sent`` is in the new base
    weights, so each weight moves by sent - update. While some are moved and others are not, training goes on, as where
    parts of a model are averaged in turn (Douillard and others, Streaming DiLoCo, arXiv:2501.18512).
    """

    def __init__(self, weights: Iterable[Tensor], sent: EncodedTensors, outer: OuterNesterov) -> None:
        self._moves = self._moved(list(weights), sent, outer)

    @torch.no_grad()
    def go_on(self, numbers: float = math.inf) -> bool:
        """Move so many numbers more, or some more than that; whether all are moved."""
        while numbers > 0:
            moved = next(self._moves, None)
            if moved is None:
                return_free_memory()  # what all moves have needed
                return True
            numbers -= moved
        return False

    @staticmethod
    def _moved(weights: Sequence[Tensor], sent: EncodedTensors, outer: OuterNesterov) -> Iterator[int]:
        """How many numbers each move has moved."""
        for index, tensor in enumerate(weights):
            parts = zip(in_parts(tensor), sent.part_numbers(index), outer.last_updates(index), strict=True)
            for part, number, update in parts:
                part.add_((sent.decoded_part(number) - update).to(part))
                yield len(part)


def has_result(control: StepControl | None) -> TypeGuard[StepControl]:
    """Whether a round has come to its end."""
    return control is not None and control.done() and not control.cancelled() and control.exception() is None


def has_broken(control: StepControl | None) -> bool:
    """Whether an exchange has failed in the middle, or goes on unwaited for: others may step with what we have sent."""
    lasts = control is not None and not control.done() and control.began_allreduce
    return lasts or isinstance(_error_of(control), ExchangeFailedError)


def may_have_missed(control: StepControl | None) -> bool:
    """Whether others may have stepped without us: an exchange has broken, or they are in a later round."""
    return has_broken(control) or isinstance(_error_of(control), StaleRoundError)


def _error_of(control: StepControl | None) -> BaseException | None:
    """Why a round has failed; ``None`` where it has not, or not yet."""
    if control is None or not control.done() or control.cancelled():
        return None
    error: BaseException | None = control.exception()
    return error
