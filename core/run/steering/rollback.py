"""A rollback: all peers of a run give up what they have, and go on from the state of an earlier checkpoint.

Each rollback begins a new swarm of the run: progress reports, groups and downloads are under another name in the DHT.
So nobody who has obeyed meets the state of anybody who has not, whatever epoch that claims; and who obeys begins as a
newcomer does.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from core.run.manifest import RunId
from core.run.spec.collaboration import Mode
from core.schema import Count, Sha256, StrictStruct, UnixTime

LOCAL_SGD_PROTOCOL = "ls8"  # in the names of all that only peers of this protocol exchange

ControlNumber = Annotated[int, Meta(ge=0, le=2**53)]


class Rollback(StrictStruct, kw_only=True, frozen=True):
    """All go on from the checkpoint of ``epoch``, as its organiser has asked ``at`` a time in seconds since 1970.

    ``number`` is that of the control value which asked for it first, and so rises; ``sha256`` is that of the
    checkpoint's file, by which the organiser's worker knows it.
    """

    number: ControlNumber
    epoch: Count
    at: UnixTime
    sha256: Sha256


def swarm_id(run_id: RunId, mode: Mode, rollback: Rollback | None) -> str:
    """The name of the swarm in which peers of a run of that mode train since that rollback; hivemind's ``run_id``.

    With gradients it is the run's own, so that plain hivemind peers take part. Peers of local SGD could average nothing
    with those: where both reported under one name, each would count the other's samples, and wait for its rounds. No
    run has such another id: it contains a tilde. (A full stop is what hivemind refuses.)
    """
    own = run_id if mode == "gradients" else f"{run_id}~{LOCAL_SGD_PROTOCOL}"
    return own if rollback is None else f"{own}~{rollback.number}"


def least_epoch(rollback: Rollback | None) -> int:
    """The epoch before which no state is the run's."""
    return 0 if rollback is None else rollback.epoch


def is_same(one: Rollback | None, other: Rollback | None) -> bool:
    """Whether peers that follow these two are in the same swarm."""
    return (one and one.number) == (other and other.number)
