"""What the organiser and the keepers of a run have found out about its peers, signed by each of them."""

from __future__ import annotations

import math
from typing import Annotated

import msgspec
from msgspec import Meta

from core.run.signed_record import CLOCK_SECONDS, sign_record, signed_of_run, signed_order
from core.schema import StrictStruct, UnixTime
from core.security.identity import Identity

MOST_FOUND = 32  # peers of each kind in one record; the latest
MAX_FINDINGS_BYTES = 8 * 1024
BARRED_SECONDS = 3600.0  # a liar, after it was found out
_KIND = b"workerbee run findings 1:"

PeerIdText = Annotated[str, Meta(min_length=1, max_length=64)]
Tries = Annotated[int, Meta(ge=0, le=2**31)]


class FoundLiar(StrictStruct, kw_only=True, frozen=True):
    """A peer of which an audit has found, ``at`` a time since 1970, that it returns what is not the average."""

    peer_id: PeerIdText
    at: UnixTime


class TrialScore(StrictStruct, kw_only=True, frozen=True):
    """What a peer's weight changes have done to the held-out loss, in the last ``tries``; ``worse`` of them harm.

    ``change`` is the median change of the loss by them, as a share of it: below zero for who has learned something. Who
    ``is_harmful`` does so much harm, try after try, that the signer names it.
    """

    peer_id: PeerIdText
    tries: Tries
    worse: Tries
    change: float
    is_harmful: bool = False


class AuditFindings(StrictStruct, kw_only=True, frozen=True):
    """The findings of one signer; a record of a later time, in seconds since 1970, replaces it."""

    run_id: str
    at: UnixTime = 0.0
    liars: Annotated[tuple[FoundLiar, ...], Meta(max_length=MOST_FOUND)] = ()
    trials: Annotated[tuple[TrialScore, ...], Meta(max_length=MOST_FOUND)] = ()

    def barred(self, now: float) -> frozenset[str]:
        """The ids of the peers that nobody forms a group with at that time, in seconds since 1970."""
        return frozenset(each.peer_id for each in self.liars if -CLOCK_SECONDS <= now - each.at < BARRED_SECONDS)


def sign_findings(findings: AuditFindings, identity: Identity) -> bytes:
    """The findings in the form in which they will be read, signed."""
    return sign_record(_KIND, msgspec.msgpack.encode(findings), identity)


def findings_in(encoded: bytes, signer: str, run_id: str) -> AuditFindings | None:
    """The findings that an organiser or a keeper has signed of a run; ``None`` for anything else."""
    findings = signed_of_run(_KIND, encoded, signer, MAX_FINDINGS_BYTES, AuditFindings, run_id)
    if findings is None:
        return None
    return findings if all(math.isfinite(each.change) for each in findings.trials) else None


def findings_order(encoded: bytes, signer: str, run_id: str) -> float | None:
    """By what findings are later than others, as `signed_order` tells it; ``None`` for anything else."""
    return signed_order(_KIND, encoded, signer, MAX_FINDINGS_BYTES, run_id)
