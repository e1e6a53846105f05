"""What a member knows of a round, and when it begins to look for the group of the next one."""

from __future__ import annotations

import asyncio
import contextlib
import math
import pickle
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from hivemind import DecentralizedAverager, Optimizer
from hivemind.averaging import averager
from hivemind.averaging.matchmaking import MatchmakingException
from hivemind.p2p import PeerID

from core.protocol.events import RoundFinished
from core.worker.swarm.aggregation.outcome import AllreduceOutcome
from core.worker.swarm.aggregation.silent_reducers import AnswerDeadlines
from core.worker.swarm.aggregation.unreached_reducers import UnreachedReducers
from core.worker.swarm.averaging.allreduce import ExchangeFailedError, ValidatingRunner
from core.worker.swarm.averaging.rounds import Rounds
from core.worker.swarm.local_sgd.averagers import DeltaAverager
from core.worker.swarm.local_sgd.codecs.wire import codec
from core.worker.swarm.local_sgd.group_agreement import GroupAgreement, Told
from core.worker.swarm.local_sgd.optimizer import LocalSgdOptimizer
from core.worker.swarm.local_sgd.own_progress import OwnProgress
from core.worker.swarm.local_sgd.repair import Repair
from core.worker.swarm.patches.matchmaking import StaleRoundError

MEMBERS = tuple(PeerID(name) for name in (b"one", b"other", b"asleep"))
TOLD = Told(epoch=9, unreached=(), steps=5, root=b"root", is_shared=True, peers=5).packed()


def outcome_of(member: PeerID, banned: set[PeerID]) -> AllreduceOutcome:
    """Of a member that has sorted these senders out, as it comes from the averager's process."""
    runner: Any = ValidatingRunner.__new__(ValidatingRunner)
    runner.tensor_part_container = SimpleNamespace(invalid_senders=set())
    finished = SimpleNamespace(is_set=lambda: True)
    runner.tensor_part_reducer = SimpleNamespace(
        invalid_senders=set(), outliers=set, norm_ratios=dict, finished=finished
    )
    runner.ordered_peer_ids = runner.sender_peer_ids = MEMBERS
    runner.peer_id, runner._lost, runner.banned_senders = member, set(), banned
    runner._deadlines = AnswerDeadlines(len(MEMBERS), 1.0, {})
    outcome: AllreduceOutcome = pickle.loads(pickle.dumps(runner.outcome(dict.fromkeys(MEMBERS, TOLD))))
    return outcome


def test_who_has_seen_a_sender_vanish_and_who_has_not_agree_on_the_group() -> None:
    reducer, client = outcome_of(MEMBERS[0], {MEMBERS[2]}), outcome_of(MEMBERS[1], set())
    assert (len(reducer), reducer.lost) == (2, 1)
    assert (len(client), client.lost) == (3, 0)
    for outcome in (reducer, client):
        group = GroupAgreement(outcome.everybody.values())
        assert (group.size, group.peers, group.has_quorum) == (3, 5, True)


@pytest.mark.parametrize(("peers", "stepped"), [(9, False), (3, True)])
def test_the_event_of_a_round_says_whether_its_group_has_stepped_however_soon_the_base_weights_move(
    peers: int, stepped: bool
) -> None:
    told = Told(epoch=9, unreached=(), steps=5, root=b"root", is_shared=True, peers=peers).packed()
    outcome, control, events = AllreduceOutcome(dict.fromkeys(MEMBERS, told)), Future[Any](), list[RoundFinished]()
    outcome.everybody = dict(outcome)
    control.set_result(outcome)
    optimizer: Any = LocalSgdOptimizer.__new__(LocalSgdOptimizer)
    optimizer._parent_pid = 0  # so that nothing is shut down in the end
    optimizer._listeners, optimizer._is_keeper, optimizer._organiser = SimpleNamespace(on_round=events.append), True, ""
    optimizer._sent_from, optimizer._version, optimizer._unreached = (5, b"root"), (6, b"moved"), UnreachedReducers()
    optimizer._report("changes", control, 1.0, 9, step_error=optimizer._step_error)
    assert [(each.ok, each.peers, each.stepped, bool(each.reason)) for each in events] == [
        (True, 3, stepped, not stepped)
    ]


@pytest.mark.parametrize("is_over", [True, False])
def test_a_group_is_looked_for_beforehand_only_once_the_last_exchange_is_over(
    monkeypatch: pytest.MonkeyPatch, is_over: bool
) -> None:
    looked: list[Any] = []
    monkeypatch.setattr(Optimizer, "_maybe_schedule_gradient_averaging", lambda self: looked.append(self))
    optimizer: Any = LocalSgdOptimizer.__new__(LocalSgdOptimizer)
    optimizer._parent_pid = 0  # so that nothing is shut down in the end
    optimizer.state_averager = SimpleNamespace(pending_updates=set() if is_over else {Future()})
    optimizer._maybe_schedule_gradient_averaging()
    assert bool(looked) == is_over


@pytest.mark.parametrize(
    ("error", "is_sure"),
    [(StaleRoundError("whoever is there has begun a later epoch"), False), (MatchmakingException("no group"), True)],
)
def test_whose_round_has_failed_looks_at_once_for_its_outcome_among_the_others(
    monkeypatch: pytest.MonkeyPatch, error: Exception, is_sure: bool
) -> None:
    """Whoever has found no group has seen no sign that others have stepped: its word on the weights stays good."""
    monkeypatch.setattr(Optimizer, "_average_gradients_and_load_into_optimizer", lambda *_: None)
    optimizer: Any = LocalSgdOptimizer.__new__(LocalSgdOptimizer)
    optimizer._parent_pid = 0  # so that nothing is shut down in the end
    optimizer._progress, optimizer._repair = OwnProgress(codec("int8"), max_rounds=2), Repair()
    optimizer._version, optimizer.grad_averager = (5, b"root"), SimpleNamespace(send=lambda _control: None)
    optimizer.delay_grad_averaging = True
    control: Future[Any] = Future()
    control.set_exception(error)
    optimizer._average_gradients_and_load_into_optimizer(control)
    assert optimizer._repair.min_outer_steps == 6 and optimizer._repair.is_sure(5) == is_sure


class Began(Future[Any]):
    """A round that looks for a group, and may be exchanged at once."""

    deadline, weight, data_for_gather, triggered = math.inf, 1.0, b"sure", True

    def __init__(self, *, allow_retries: bool = True, **_options: Any) -> None:
        super().__init__()
        self.allow_retries = allow_retries

    def attach(self, *_futures: Any) -> None:
        """Nobody cancels it."""

    async def wait_for_cancel(self) -> None:
        """Nobody does."""
        await asyncio.Event().wait()


def test_whose_exchange_has_failed_is_in_no_other_group_with_what_it_has_told_that_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Who has received all parts has stepped; with others, who are told that nobody has, another step was taken."""
    monkeypatch.setattr(averager, "MPFuture", Future)
    monkeypatch.setattr(DecentralizedAverager, "step", lambda _self, **options: Began(**options))
    round_of: Any = DeltaAverager.__new__(DeltaAverager)
    round_of._parent_pid, round_of.rounds = 0, Rounds(60.0)
    control, groups = round_of.schedule_step(), list[bytes]()

    async def look_for_group(step: Began) -> SimpleNamespace:
        groups.append(step.data_for_gather)
        return SimpleNamespace()

    async def fail(*_args: Any, **_options: Any) -> None:
        control.deadline = 0.0 if len(groups) > 1 else math.inf
        raise ExchangeFailedError

    inside = SimpleNamespace(
        _pending_groups_registered=SimpleNamespace(clear=lambda: None),
        _matchmaking=SimpleNamespace(look_for_group=look_for_group),
        _register_allreduce_group=contextlib.nullcontext,
        _aggregate_with_group=fail,
        _allreduce_timeout=None,
        tensor_infos=(),
        allreduce_kwargs={},
    )
    inside_step: Any = DecentralizedAverager._step
    asyncio.run(inside_step(inside, step=control, future_for_init=Future()))
    assert groups == [b"sure"] and isinstance(control.exception(), ExchangeFailedError)
