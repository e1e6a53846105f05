"""Groups whose members are at one epoch: a round that is left over does not take the next one's place."""

from __future__ import annotations

import logging

from hivemind.averaging import averager
from hivemind.averaging.matchmaking import Matchmaking, MatchmakingException
from hivemind.p2p import P2PContext
from hivemind.proto import averaging_pb2
from hivemind.utils import MSGPackSerializer

log = logging.getLogger(__name__)


class OvertakenError(MatchmakingException):
    """Whoever is left to average with is at a later epoch already."""


def epoch_of(gathered: bytes) -> int | None:
    """The epoch that a round belongs to, as its owner tells the group; ``None`` where it does not say."""
    try:
        _bandwidth, _mode, said = MSGPackSerializer.loads(gathered)
        epoch = MSGPackSerializer.loads(said)
    except Exception:  # anybody may send anything
        return None
    return epoch if type(epoch) is int else None


class OfOneEpoch(Matchmaking):
    """Matchmaking that lets nobody join a round of another epoch.

    WORKAROUND: hivemind puts whoever looks at the same time into one group. After a cut or a crash a round of
    an earlier epoch is still looking, and takes the next one of whoever comes back. From then on one of them
    waits for the other's parameters before it gives its gradients, the other for the gradients before it
    gives its parameters: rounds end by timeouts, and each of them leaves another one over.
    """

    def _check_reasons_to_reject(
        self, request: averaging_pb2.JoinRequest, context: P2PContext
    ) -> averaging_pb2.MessageFromLeader | None:
        reason = super()._check_reasons_to_reject(request, context)
        if reason is not None:
            return reason
        mine, theirs = epoch_of(self.step_control.data_for_gather), epoch_of(request.gather)
        if mine is None or theirs is None or mine == theirs:
            return None
        log.info("%s looks for a group of epoch %d, we do for one of %d", context.remote_id, theirs, mine)
        if theirs > mine and self.step_control.triggered and not self.current_followers:
            self._give_up()
        return averaging_pb2.MessageFromLeader(code=averaging_pb2.NOT_LOOKING_FOR_GROUP)

    def _give_up(self) -> None:
        """Nobody comes to our round any more, and the next one may begin only when it has ended."""
        error = OvertakenError("whoever is there has begun a later epoch")
        if not self.step_control.done():
            self.step_control.set_exception(error)
        self.assembled_group.set_exception(error)


averager.Matchmaking = OfOneEpoch
