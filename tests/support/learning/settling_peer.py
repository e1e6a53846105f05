"""A member of a small swarm that writes down what it has come to, and does what its `Member` says, lies included."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any, NoReturn

import torch
from hivemind.averaging.control import StepControl
from torch import Tensor
from torch.nn.utils import parameters_to_vector

from core.files.atomic import write_atomically
from core.protocol.events import Evaluated
from core.worker.roles.participation import RunParticipation
from core.worker.swarm import LocalSgdOptimizer, streamed_bytes
from tests.support.learning.change_lies import lie_about_changes
from tests.support.learning.claim_lies import lie_about_progress
from tests.support.learning.gradient_lies import lie_about_gradients
from tests.support.learning.member_costs import STREAMED
from tests.support.learning.member_events import has_kept_changes
from tests.support.peers.learning_rows import Member

SEARCH_SECONDS = 400.0  # for a group that nobody else looks for
EPOCHS_TO_COME_BACK = 4  # after a round that was missed


class SettlingPeer:
    """A peer that writes down its loss after every epoch, and its parameters from ``last_epoch`` on."""

    def __init__(self, participation: RunParticipation, folder: Path, last_epoch: int, member: Member) -> None:
        self.optimizer, self.folder, self.last_epoch = participation.optimizer, folder, last_epoch
        self._member, self._is_lying, self._has_done, self._missed_at = member, False, set[str](), 0
        if member.sends_late:
            self._send_late(member.sends_late)

    def save(self, evaluated: Evaluated) -> None:
        """Called between two micro-batches, once an epoch has begun."""
        epoch = self.optimizer.local_epoch
        write_atomically(self.folder / STREAMED, str(streamed_bytes()).encode())
        write_atomically(self.folder / "epoch", str(epoch).encode())
        if self._is_due("diverges_at"):
            assert isinstance(self.optimizer, LocalSgdOptimizer)
            with torch.no_grad():
                self.optimizer.base_weights()[0].add_(0.01)
        if self._is_due("breaks_at"):
            for weights in self.optimizer.state_averager.main_parameters:
                weights.detach().fill_(math.nan)
        if self._member.lies_from is not None and epoch >= self._member.lies_from and not self._is_lying:
            self._is_lying = True
            lie_about_progress(self.optimizer, self._member.lie)
            if isinstance(self.optimizer, LocalSgdOptimizer):
                lie_about_changes(self.optimizer, self._member.lie)
            else:
                lie_about_gradients(self.optimizer, self._member.lie)
        if self._is_round_missed():
            self._miss_round()
        if self._is_due("left_over_at"):
            averager = self.optimizer.state_averager
            averager.step(wait_for_delayed_updates=True)
            averager.step(averaging_round=True, delay_averaging=True, averaging_opts={"timeout": SEARCH_SECONDS})
        if self._is_due("searches_at_end_of"):
            self._search_at_end()
        if epoch >= self.last_epoch:
            before = self.parameters()
            self.optimizer.state_averager.step(wait_for_delayed_updates=True)
            point = self._point(epoch)
            (self.folder / f"{point}.moved").write_text(str(float((self.parameters() - before).norm())))
            self.save_parameters(str(point))

    def _is_due(self, name: str) -> bool:
        """Whether the epoch of that in our `Member` has come, once; a busy computer may pass it over."""
        epoch = getattr(self._member, name)
        is_due = epoch is not None and self.optimizer.local_epoch >= epoch and name not in self._has_done
        if is_due:
            self._has_done.add(name)
        return is_due

    def _is_round_missed(self) -> bool:
        """Whether it misses a round once more: on a busy computer it may come back too late to keep what it changed."""
        first, epoch = self._member.misses_rounds_from, self.optimizer.local_epoch
        is_due = first is not None and epoch >= max(first, self._missed_at + EPOCHS_TO_COME_BACK)
        if not is_due or has_kept_changes(self.folder):
            return False
        self._missed_at = epoch
        return True

    def _point(self, epoch: int) -> int:
        """What all members that have come as far as this have in common."""
        return self.optimizer.outer.version()[0] if isinstance(self.optimizer, LocalSgdOptimizer) else epoch

    def _miss_round(self) -> None:
        """Let the round at the end of this epoch fail before it begins, as one does whose group is not found."""
        optimizer, averager = self.optimizer, self.optimizer.grad_averager
        schedule, begin = optimizer._maybe_schedule_gradient_averaging, averager.step

        def fail(*_args: Any, **_options: Any) -> NoReturn:
            optimizer._maybe_schedule_gradient_averaging = schedule
            averager.step = begin
            raise RuntimeError("this round is missed")

        optimizer._maybe_schedule_gradient_averaging = lambda: None
        averager.step = fail

    def _send_late(self, seconds: float) -> None:
        """Let every exchange begin so much later."""
        assert isinstance(self.optimizer, LocalSgdOptimizer)
        averager = self.optimizer.grad_averager
        send = averager.send

        def send_late(control: StepControl) -> None:
            time.sleep(seconds)
            send(control)

        averager.send = send_late  # type: ignore[method-assign]

    def _search_at_end(self) -> None:
        """Look for a group to average parameters with as this epoch ends, when the others do not."""
        optimizer, averager = self.optimizer, self.optimizer.state_averager
        end = optimizer._update_global_epoch

        def search_and_end(*args: Any, **options: Any) -> None:
            optimizer._update_global_epoch = end  # type: ignore[method-assign]
            averager.step(wait_for_delayed_updates=True)
            averager.step(averaging_round=True, delay_averaging=True, averaging_opts={"timeout": SEARCH_SECONDS})
            end(*args, **options)

        optimizer._update_global_epoch = search_and_end  # type: ignore[method-assign]

    def parameters(self) -> Tensor:
        """A copy of all of them, as one vector; with local SGD of those that all peers have in common."""
        if isinstance(self.optimizer, LocalSgdOptimizer):
            return parameters_to_vector(self.optimizer.base_weights()).detach()
        return parameters_to_vector(self.optimizer.state_averager.main_parameters).detach()

    def save_parameters(self, name: str) -> None:
        """Under that name, in one piece."""
        torch.save(self.parameters(), self.folder / "new")
        (self.folder / "new").rename(self.folder / f"{name}.parameters")
