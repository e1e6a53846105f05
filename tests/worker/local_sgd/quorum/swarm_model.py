"""A swarm of local SGD without a network: each member decides by the product's own code, and anything may happen to it.

A member is a LocalSgdOptimizer whose base weights are a name. What it tells a group, what it makes of an exchange, when
it looks for other base weights and which it takes: all that is the product's.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

from hivemind.averaging.matchmaking import MatchmakingException
from hivemind.p2p import PeerID

from core.worker.swarm.aggregation.outcome import AllreduceOutcome
from core.worker.swarm.aggregation.unreached_reducers import UnreachedReducers
from core.worker.swarm.averaging.allreduce import ExchangeFailedError
from core.worker.swarm.local_sgd.codecs.wire import codec
from core.worker.swarm.local_sgd.group_agreement import GroupAgreement
from core.worker.swarm.local_sgd.optimizer import LocalSgdOptimizer
from core.worker.swarm.local_sgd.own_progress import OwnProgress
from core.worker.swarm.local_sgd.repair import DOUBTFUL_TRIES, STANDSTILL_TRIES, Repair
from core.worker.swarm.state_parts.messages import Version
from core.worker.swarm.trust.met_peers import MetPeers
from tests.support.computer.fake_clock import FakeClock

BEGINNING: Version = (0, b"0")
EPOCH = 7


class Fate(enum.Enum):
    """What becomes of a member of a group that has told what it knows."""

    WHOLE = "it has received all parts of the average"
    LACKS_PARTS = "it has lost a reducer"
    BROKEN = "its exchange has failed in the middle"
    NOT_BEGUN = "the others have begun, and it has not heard that they have"
    CRASHED = "its process has ended"


class ModelRound(Future[Any]):
    """A round that may be exchanged, and has ended."""

    triggered = True


class Outer:
    """The outer optimizer, which is told to leave a step out."""

    skips = False

    def skip_next(self) -> None:
        """Leave it out."""
        self.skips = True


class Search:
    """A search for base weights among the ``donors`` that were in reach when it began; its answer takes a while."""

    def __init__(self, member: ModelMember) -> None:
        self._member, self._donors = member, list[tuple[ModelMember, Version]]()
        self._is_under_way = False
        self.reach: Iterable[ModelMember] = ()
        self.found = BEGINNING

    def go_on(self, _averager: Any, _min_epoch: int) -> bool | None:
        """As StateDownload: ask, and later say whether one of the donors had something of use."""
        if not self._is_under_way:
            self._is_under_way = True
            others = [each for each in self.reach if each.is_shared and each is not self._member]
            self._donors = [(each, each.version) for each in others]
            return None
        self._is_under_way = False
        return any(self._is_of_use(*each) for each in self._donors)

    def find(self) -> bool:
        """The same, and wait for it."""
        self._is_under_way = False
        return self.go_on(None, 0) is None and bool(self.go_on(None, 0))

    def _is_of_use(self, donor: ModelMember, version: Version) -> bool:
        if donor.is_gone:  # in the middle of the download
            return False
        ours, self.found = self._member.version, version
        is_like_ours = version == ours
        return self._member._repair.brings_on(version[0], ours[0], is_like_ours=is_like_ours, is_ahead=False)


class ModelMember(LocalSgdOptimizer):
    """A member that has heard of the ``reported`` peers; one that is not ``is_shared`` cannot be asked for weights."""

    _parent_pid = 0  # nothing was forked
    delay_grad_averaging = True
    averaging_timeout = 0.0
    status_loglevel = 0

    def __init__(self, number: int, *, is_shared: bool, organiser: PeerID, version: Version = BEGINNING) -> None:
        self.id, self.is_shared, self.client_mode = peer_id(number), is_shared, not is_shared
        self.reported: set[PeerID] = {self.id}
        self._repair, self._met_peers = Repair(), MetPeers(lambda: self.reported)
        self._version, self._organiser, self._unreached = version, organiser.to_base58(), UnreachedReducers()
        self._progress = OwnProgress(codec("int8"), max_rounds=2)
        self.grad_averager: Any = SimpleNamespace(
            send=lambda _control: None, has_unused_gradient=True, notify_used_averaged_gradients=lambda: None
        )
        self.state_averager: Any = SimpleNamespace(optimizer=Outer(), local_epoch=EPOCH)
        self.search, self.is_gone = Search(self), False

    def _load_averaged_gradients_into_optimizer_(self) -> None:
        """Do nothing: there are no weights."""

    @property
    def version(self) -> Version:
        """That of its base weights."""
        return self._version

    @property
    def is_sure(self) -> bool:
        """Whether it has the right ones, as far as it knows."""
        return self._repair.is_sure(self.version[0])

    @property
    def wanted(self) -> int:
        """How many outer steps those have behind them that it looks for; 0 where it looks for none."""
        return self._repair.min_outer_steps

    @property
    def is_last_try(self) -> bool:
        """Whether its doubt may end with the next search, whatever that finds."""
        repair = self._repair
        return repair._tries + 1 >= DOUBTFUL_TRIES or repair._standstills + 1 >= STANDSTILL_TRIES

    def end_round(self, everybody: Mapping[PeerID, Any], fate: Fate, root: bytes) -> bool:
        """Make of an exchange what a real one makes of it; whether it has taken the step, to weights of that root."""
        control, outer = ModelRound(), Outer()
        self.state_averager.optimizer = outer
        if fate is Fate.BROKEN:
            control.set_exception(ExchangeFailedError())
        elif fate is Fate.NOT_BEGUN:
            control.set_exception(MatchmakingException())
        else:
            outcome = AllreduceOutcome(everybody, everybody=dict(everybody))
            outcome.has_missing_parts = fate is Fate.LACKS_PARTS
            control.set_result(outcome)
        self._average_gradients_and_load_into_optimizer(control)
        if not outer.skips:
            self._version = self.version[0] + 1, root
        return not outer.skips

    def look_for_weights(self, reach: Iterable[ModelMember], *, is_idle: bool = True) -> None:
        """Poll the search that is due, if any, among those in reach, or wait for it; take what it has found."""
        repair, steps, self.search.reach = self._repair, self.version[0], reach
        is_here = repair.poll(self.state_averager, self.search, steps, is_idle=is_idle)
        must_stand_still = is_idle and not is_here and repair.must_stand_still
        if must_stand_still:
            repair.begin_search()
            is_here = self.search.find()
        if is_here:
            self._version = self.search.found
        if is_here or must_stand_still:
            repair.loaded(self.version[0])


def peer_id(number: int) -> PeerID:
    """A made-up one."""
    return PeerID(bytes([0x12, 0x20, number, *bytes(31)]))


class SwarmModel:
    """All members, those included that are ``gone`` and may come back; nobody of those takes part in anything.

    ``is_beyond`` says that a group has stepped that knew of fewer peers than there are.
    """

    def __init__(self, sharing: Sequence[bool], clock: FakeClock) -> None:
        self.clock, self.organiser, self.has_begun, self.is_beyond = clock, peer_id(0), False, False
        self.members = list[ModelMember]()
        self.gone = dict[int, Version]()
        """What those come back with, by their numbers."""
        self._names = itertools.count(1)
        for is_shared in sharing:
            self.join(is_shared=is_shared, version=BEGINNING)
        everybody = [each.id for each in self.members]
        for each in self.members:
            each.reported.update(everybody)
            each._met_peers.end_round(everybody, lacks_quorum=False)
        self.has_begun = True

    def join(self, *, is_shared: bool, version: Version) -> None:
        """A newcomer, who has heard of all others; they have not yet heard of it."""
        new = ModelMember(len(self.members), is_shared=is_shared, organiser=self.organiser, version=version)
        new.reported.update(each.id for each in self.members)
        if self.has_begun:
            new._repair.resumed(version[0])
        self.members.append(new)

    def present(self) -> list[ModelMember]:
        """All that are not gone."""
        return [each for number, each in enumerate(self.members) if number not in self.gone]

    def exchange(self, group: Sequence[ModelMember], fates: Sequence[Fate]) -> None:
        """A group of these tell each other what they know, and then this becomes of each."""
        everybody, root = {each.id: each._group_metadata() for each in group}, b"-%d;" % next(self._names)
        agreed = GroupAgreement.of(everybody, self.organiser.to_base58())
        for each, fate in zip(group, fates, strict=True):
            each.look_for_weights((), is_idle=False)
            if fate is Fate.CRASHED:
                self.crash(each, each.version)
            elif each.end_round(everybody, fate, each.version[1] + root):
                self.is_beyond |= agreed.peers < len(self.members)

    def crash(self, member: ModelMember, version: Version) -> None:
        """It is gone, and has that version on its disk; its report stays for a while."""
        self.gone[self.members.index(member)], member.is_gone = version, True

    def come_back(self, number: int) -> None:
        """With a new process, which knows no more than its disk."""
        before, version = self.members[number], self.gone.pop(number)
        again = ModelMember(number, is_shared=before.is_shared, organiser=self.organiser, version=version)
        again.reported = before.reported
        again._repair.resumed(version[0])
        self.members[number] = again

    def search(self, member: ModelMember, reach: Iterable[ModelMember]) -> None:
        """It looks for other base weights once it is time to; its last try finds whoever is there."""
        self.clock.now += 1000.0
        if not member.is_sure and member.is_last_try:
            if any(version[0] >= member.wanted for version in self.gone.values()):
                return
            reach = self.present()
        member.look_for_weights(reach)

    def branches(self) -> set[bytes]:
        """The newest base weights of those that share theirs: all others lead on to one of them."""
        versions = {
            self.gone.get(number, each.version)[1] for number, each in enumerate(self.members) if each.is_shared
        }
        return {each for each in versions if not any(other != each and other.startswith(each) for other in versions)}
