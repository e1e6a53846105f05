"""Form groups whose members are at one epoch: a round that is left over does not take the next one's place.

hivemind's protocol is described in ``hivemind/averaging/matchmaking.py``: averagers that look for a group declare
themselves in the DHT under the group's key; each asks those whose declarations end before its own, its potential
leaders, whether it may follow them; a leader begins the all-reduce when its time has come.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Any

from hivemind.averaging import averager
from hivemind.averaging.control import StepControl
from hivemind.averaging.group_info import GroupInfo
from hivemind.averaging.key_manager import GroupKeyManager
from hivemind.averaging.matchmaking import Matchmaking, MatchmakingException
from hivemind.p2p import P2P, P2PContext, PeerID
from hivemind.proto import averaging_pb2

from core.worker.swarm.aggregation.member_metadata import MemberMetadata
from core.worker.swarm.patches.group_checks import MAX_GROUP, InvalidGroupError, check_group, gathered_error
from core.worker.swarm.patches.shunned_peers import ShunnedPeers
from core.worker.swarm.patches.size_limits import is_peer_id

SEARCH_SECONDS = 0.3  # between two searches for groupmates
MAX_REDIRECTIONS = 8  # from one leader to another, in one go
MAX_JOINS = 3  # of one leader in one search, who has led us to no group

log = logging.getLogger(__name__)


def install_epoch_matchmaking() -> None:
    """Have averagers form their groups by `EpochMatchmaking`; hivemind has no parameter for that class."""
    averager.Matchmaking = EpochMatchmaking


class StaleRoundError(MatchmakingException):
    """Whoever is left to average with is at a later epoch already."""


def epoch_of(gathered: bytes) -> int | None:
    """The epoch that a round belongs to, as its owner tells the group; ``None`` where it does not say.

    ``gathered`` is the member's packed metadata; what is told in it is the epoch, or a tuple that begins with it.
    """
    try:
        told = MemberMetadata.unpacked(gathered).told
        epoch = told[0] if isinstance(told, tuple) else told
    except Exception:  # anybody may send anything
        return None
    return epoch if type(epoch) is int else None


def _is_later(theirs: int | None, step: StepControl) -> bool:
    """Whether that is an epoch after the one of our round."""
    mine = epoch_of(step.data_for_gather)
    return mine is not None and theirs is not None and theirs > mine


class CheckedKeyManager(GroupKeyManager):
    """A group key manager that asks the DHT for groupmates at most every ``SEARCH_SECONDS``, and reads peer ids only.

    WORKAROUND H8: matchmaking with an empty queue of leaders repeats the question the moment it is answered.

    WORKAROUND H81: hivemind takes whatever anybody has stored under the group's key for a peer to be asked.
    """

    _due = 0.0

    async def get_averagers(self, group_key: str, only_active: bool) -> list[tuple[PeerID, float]]:
        """The declared averagers of a group as GroupKeyManager returns them, when it is time to ask again."""
        await asyncio.sleep(self._due - time.monotonic())
        self._due = time.monotonic() + SEARCH_SECONDS
        found = await self.dht.get(group_key, latest=True, return_future=True)
        declared = found.value if found is not None and isinstance(found.value, dict) else {}
        return [
            (PeerID(subkey), each.expiration_time)
            for subkey, each in declared.items()
            if is_peer_id(subkey) and (each.value or not only_active)
        ]


class _StubProxy:
    """The averager's servicer as matchmaking uses it; ``on_answer`` hears what leaders answer to our requests."""

    def __init__(self, servicer: Any, on_answer: Callable[[averaging_pb2.MessageFromLeader], None]) -> None:
        self._servicer, self._on_answer = servicer, on_answer

    def get_stub(self, p2p: P2P, leader: PeerID, *, namespace: str | None = None) -> _LeaderStub:
        """Return a stub of the leader whose answers are heard."""
        return _LeaderStub(self._servicer.get_stub(p2p, leader, namespace=namespace), self._on_answer)


class _LeaderStub:
    """The RPC stub of a peer that we ask to let us into its group."""

    def __init__(self, stub: Any, on_answer: Callable[[averaging_pb2.MessageFromLeader], None]) -> None:
        self._stub, self._on_answer = stub, on_answer

    async def rpc_join_group(
        self, request: averaging_pb2.JoinRequest
    ) -> AsyncIterator[averaging_pb2.MessageFromLeader]:
        """Ask to join, and return the leader's answers as they come."""
        return self._heard(await self._stub.rpc_join_group(request))

    async def _heard(self, answers: Any) -> AsyncIterator[averaging_pb2.MessageFromLeader]:
        async with contextlib.aclosing(answers):
            async for answer in answers:
                self._on_answer(answer)
                yield answer


class EpochMatchmaking(Matchmaking):
    """Matchmaking that lets nobody join a round of another epoch, and ends a round that is left over.

    WORKAROUND H9: hivemind puts whoever looks at the same time into one group. After a cut or a crash a round of
    an earlier epoch is still looking, and takes the next one of whoever comes back. From then on one of them
    waits for the other's parameters before it gives its gradients, the other for the gradients before it
    gives its parameters: rounds end by timeouts, and each of them leaves another one over.

    A left-over round ends when half of the others tell us of a later epoch, as they ask to join it or, as leaders,
    refuse us: of the ``known`` ones, whose reports are believed, since anybody tells any epoch. It also ends once half
    of the swarm reports one, see ``GradientAverager.wait_for_group`` and ``SwarmOptimizer``; that is an epoch later
    where exchanges go on beside training. Plain hivemind peers tell no epoch, and nothing is lost by it but time.

    WORKAROUND H81: hivemind ends the search for a group where a single leader answers what it does not expect, follows
    from one leader to another for as long as each names the next, and sends its own followers away for a leader that
    has accepted it and dropped it again a moment ago.
    """

    _servicer_type: Any
    group_key_manager: GroupKeyManager
    client_mode: bool
    known: frozenset[PeerID] = frozenset()
    _refused_for: int | None = None  # the epoch of whoever has refused us last, if it says so
    _redirections = 0  # that led us to the leader whom we ask
    _leader: PeerID | None = None
    follows_only = False  # as members of our last group cannot reach us: nobody joins us then, and we join others

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._joined = Counter[PeerID]()  # how often each leader has accepted us in this search
        self._ahead = set[PeerID]()  # who has told us in this search that it is in a later epoch
        super().__init__(*args, **kwargs)
        self._cannot_be_reached = self.client_mode
        # after the constructor, which accepts only a subclass of ServicerBase
        self._servicer_type = _StubProxy(self._servicer_type, self._on_leader_message)
        self.shunned = ShunnedPeers()
        keys = self.group_key_manager
        self.group_key_manager = CheckedKeyManager(keys.dht, keys.prefix, keys.group_bits, keys.target_group_size)

    async def look_for_group(self, step: StepControl) -> GroupInfo | None:
        """As Matchmaking does; who only follows is like a client, and leads again where it has found no group so."""
        self.client_mode, self.follows_only = self._cannot_be_reached or self.follows_only, False
        self._joined.clear()
        self._ahead.clear()
        group: GroupInfo | None = await super().look_for_group(step)
        return group

    @property
    def current_leader(self) -> PeerID | None:
        """The leader whom we follow, as Matchmaking sets it."""
        return self._leader

    @current_leader.setter
    def current_leader(self, leader: PeerID | None) -> None:
        self._leader = leader
        if leader is not None:
            self._joined[leader] += 1

    def _check_reasons_to_reject(
        self, request: averaging_pb2.JoinRequest, context: P2PContext
    ) -> averaging_pb2.MessageFromLeader | None:
        """As Matchmaking's, which knows no epochs; every refusal also tells our own epoch, in ``gathered``."""
        reason = super()._check_reasons_to_reject(request, context)
        if self.step_control is None:
            return reason
        gathered = self.step_control.data_for_gather
        if reason is None:
            reason = self._reason_to_reject(request, context)
        mine, theirs = epoch_of(gathered), epoch_of(request.gather)
        if reason is None and None not in (mine, theirs) and mine != theirs:
            log.info("%s looks for a group of epoch %d, we do for one of %d", context.remote_id, theirs, mine)
            reason = averaging_pb2.MessageFromLeader(code=averaging_pb2.NOT_LOOKING_FOR_GROUP)
            self._hear_epoch(context.remote_id, theirs, self.step_control)
        if reason is not None:
            reason.gathered.append(gathered)
        return reason

    def _reason_to_reject(
        self, request: averaging_pb2.JoinRequest, context: P2PContext
    ) -> averaging_pb2.MessageFromLeader | None:
        """Why somebody who may join by hivemind's rules may not: the group has enough, or could not begin with it."""
        if len(self.current_followers) + 1 >= MAX_GROUP:
            return averaging_pb2.MessageFromLeader(code=averaging_pb2.GROUP_IS_FULL)
        if context.remote_id in self.shunned:
            return averaging_pb2.MessageFromLeader(code=averaging_pb2.PROTOCOL_VIOLATION)
        if error := gathered_error(request.gather):
            log.warning("%s may not join a group, because of what it tells: %s", context.remote_id, error)
            self.shunned.distrust([context.remote_id])
            return averaging_pb2.MessageFromLeader(code=averaging_pb2.PROTOCOL_VIOLATION)
        return None

    async def follower_assemble_group(self, leader: PeerID, msg: averaging_pb2.MessageFromLeader) -> GroupInfo:
        """As Matchmaking's, which believes its leader. Raises InvalidGroupError for what no honest leader begins."""
        named = msg.ordered_peer_ids[: MAX_GROUP + 1]
        if not all(map(is_peer_id, named)):
            raise InvalidGroupError("a member of the group has no peer id", leader)
        members = [PeerID(each) for each in named]
        check_group(members, list(msg.gathered))
        if strangers := self.shunned.strangers_among(members):  # our parts are not for them
            raise InvalidGroupError(f"{', '.join(map(str, strangers))} may not take part in this run")
        group: GroupInfo = await super().follower_assemble_group(leader, msg)
        return group

    async def _request_join_group(self, leader: PeerID) -> GroupInfo | None:
        if leader in self.shunned or self._redirections > MAX_REDIRECTIONS or self._has_dropped_us(leader):
            return None
        self._redirections += 1  # hivemind calls this for the next leader before it returns from the one before
        self._refused_for, step = None, self.step_control
        try:
            group: GroupInfo | None = await super()._request_join_group(leader)
        except InvalidGroupError as error:
            log.warning("the group of %s is left out: %s", leader, error)
            if error.teller == leader:  # of the others it may say anything
                self.shunned.distrust([leader])  # who waits for its group finds the other groups begun
            return None
        except Exception as error:  # others may lead us yet
            log.warning("%s does not lead us to a group: %r", leader, error)
            return None
        finally:
            self._redirections -= 1
        is_last = not self.potential_leaders.leader_queue  # others may still be in our round
        if group is None and step is not None and is_last:
            self._hear_epoch(leader, self._refused_for, step)
        return group

    def _on_leader_message(self, message: averaging_pb2.MessageFromLeader) -> None:
        is_refusal = message.code not in (averaging_pb2.ACCEPTED, averaging_pb2.BEGIN_ALLREDUCE)
        self._refused_for = epoch_of(message.gathered[0]) if is_refusal and message.gathered else None

    def _hear_epoch(self, peer: PeerID, theirs: int | None, step: StepControl) -> None:
        """A peer tells us of which epoch its round is: ours may be left over."""
        if peer not in self.known or not _is_later(theirs, step):
            return
        self._ahead.add(peer)
        if 2 * len(self._ahead & self.known) >= len(self.known):
            self._end_if_stale(theirs, step)

    def _has_dropped_us(self, leader: PeerID) -> bool:
        """Whether we ask that leader no more in this search: it is no better than those who follow us, or than none."""
        joined = self._joined[leader]
        return joined >= MAX_JOINS or (joined > 0 and bool(self.current_followers))

    def end_round_before(self, epoch: int) -> None:
        """End our round if it is of an earlier epoch than that, which others have begun, and no leader has taken us."""
        if self.step_control is not None and self.current_leader is None:
            self._end_if_stale(epoch, self.step_control)

    def _end_if_stale(self, theirs: int | None, step: StepControl) -> None:
        """End our round if others are in a later one: nobody comes to it any more, and the next waits for its end.

        Only a round that waits for nothing but a group is ended: neither one that the trainer has not allowed to
        begin yet, nor one that has followers or a group.
        """
        is_bound = not step.triggered or self.current_followers or self.assembled_group.done()
        if is_bound or not _is_later(theirs, step):
            return
        error = StaleRoundError("whoever is there has begun a later epoch")
        if not step.done():
            step.set_exception(error)
        self.assembled_group.set_exception(error)
