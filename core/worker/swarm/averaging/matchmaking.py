"""Groups whose members are at one epoch: a round that is left over does not take the next one's place."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from typing import Any

from hivemind.averaging import averager
from hivemind.averaging.control import StepControl
from hivemind.averaging.group_info import GroupInfo
from hivemind.averaging.matchmaking import Matchmaking, MatchmakingException
from hivemind.p2p import P2P, P2PContext, PeerID
from hivemind.proto import averaging_pb2
from hivemind.utils import MSGPackSerializer

log = logging.getLogger(__name__)


class StaleRoundError(MatchmakingException):
    """Whoever is left to average with is at a later epoch already."""


def epoch_of(gathered: bytes) -> int | None:
    """The epoch that a round belongs to, as its owner tells the group; ``None`` where it does not say."""
    try:
        _bandwidth, _mode, said = MSGPackSerializer.loads(gathered)
        epoch = MSGPackSerializer.loads(said)
    except Exception:  # anybody may send anything
        return None
    return epoch if type(epoch) is int else None


class _StubProxy:
    """The averager's servicer as matchmaking knows it, which hears what leaders answer to our requests."""

    def __init__(self, servicer: Any, on_answer: Callable[[averaging_pb2.MessageFromLeader], None]) -> None:
        self._servicer, self._on_answer = servicer, on_answer

    def get_stub(self, p2p: P2P, leader: PeerID, *, namespace: str | None = None) -> _Leader:
        """As the servicer's."""
        return _Leader(self._servicer.get_stub(p2p, leader, namespace=namespace), self._on_answer)


class _Leader:
    """A peer that we ask to let us into its group."""

    def __init__(self, stub: Any, on_answer: Callable[[averaging_pb2.MessageFromLeader], None]) -> None:
        self._stub, self._on_answer = stub, on_answer

    async def rpc_join_group(
        self, request: averaging_pb2.JoinRequest
    ) -> AsyncIterator[averaging_pb2.MessageFromLeader]:
        """As the stub's: what it answers, as it comes."""
        return self._heard(await self._stub.rpc_join_group(request))

    async def _heard(self, answers: Any) -> AsyncIterator[averaging_pb2.MessageFromLeader]:
        async with contextlib.aclosing(answers):
            async for answer in answers:
                self._on_answer(answer)
                yield answer


class EpochMatchmaking(Matchmaking):
    """Matchmaking that lets nobody join a round of another epoch, and ends a round that is left over.

    WORKAROUND: hivemind puts whoever looks at the same time into one group. After a cut or a crash a round of
    an earlier epoch is still looking, and takes the next one of whoever comes back. From then on one of them
    waits for the other's parameters before it gives its gradients, the other for the gradients before it
    gives its parameters: rounds end by timeouts, and each of them leaves another one over.

    A left-over round ends when somebody of a later epoch asks to join it. In client mode nobody can ask: it
    ends when the leader that we ask last says, as it refuses us, that it is in a later one. Plain hivemind
    peers say nothing there, and nothing is lost by it but time.
    """

    _servicer_type: Any
    _refused_for: int | None = None  # the epoch of whoever has refused us last, if it says so

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._servicer_type = _StubProxy(self._servicer_type, self._hear)

    def _check_reasons_to_reject(
        self, request: averaging_pb2.JoinRequest, context: P2PContext
    ) -> averaging_pb2.MessageFromLeader | None:
        reason = super()._check_reasons_to_reject(request, context)
        if self.step_control is None:
            return reason
        said = self.step_control.data_for_gather
        mine, theirs = epoch_of(said), epoch_of(request.gather)
        if reason is None and None not in (mine, theirs) and mine != theirs:
            log.info("%s looks for a group of epoch %d, we do for one of %d", context.remote_id, theirs, mine)
            reason = averaging_pb2.MessageFromLeader(code=averaging_pb2.NOT_LOOKING_FOR_GROUP)
            self._give_way_to(theirs, self.step_control)
        if reason is not None:
            reason.gathered.append(said)
        return reason

    async def _request_join_group(self, leader: PeerID) -> GroupInfo | None:
        self._refused_for, step = None, self.step_control
        group: GroupInfo | None = await super()._request_join_group(leader)
        is_last = not self.potential_leaders.leader_queue  # others may still be in our round
        if group is None and step is not None and is_last:
            self._give_way_to(self._refused_for, step)
        return group

    def _hear(self, answer: averaging_pb2.MessageFromLeader) -> None:
        is_refusal = answer.code not in (averaging_pb2.ACCEPTED, averaging_pb2.BEGIN_ALLREDUCE)
        self._refused_for = epoch_of(answer.gathered[0]) if is_refusal and answer.gathered else None

    def _give_way_to(self, theirs: int | None, step: StepControl) -> None:
        """Nobody comes to our round any more if others are in a later one; and the next waits for its end."""
        mine = epoch_of(step.data_for_gather)
        is_late = mine is not None and theirs is not None and theirs > mine
        if not is_late or not step.triggered or self.current_followers or self.assembled_group.done():
            return
        error = StaleRoundError("whoever is there has begun a later epoch")
        if not step.done():
            step.set_exception(error)
        self.assembled_group.set_exception(error)


averager.Matchmaking = EpochMatchmaking
