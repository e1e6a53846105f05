"""Which experts a peer hosts, signed by its identity and kept in the DHT under the run's prefix for half a minute.

A peer id contains the key that signs (Ed25519), and libp2p proves the same key in every connection, so nobody can
announce experts in another's name, nor answer in its place.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated

import msgspec
from hivemind.dht import DHT
from msgspec import Meta

from core.run.manifest import RunId
from core.run.signed_record import CLOCK_SECONDS, sign_record, signed_of_run
from core.run.spec.experts import MOST_HOSTED, ExpertLayer, ExpertNumber
from core.schema import Count, StrictStruct, UnixTime
from core.security.identity import Identity
from core.worker.experts.block import ExpertId
from core.worker.swarm.dht.peer_values import PeerValueValidator, dht_key, guard_values, peer_values
from core.worker.swarm.dht.publisher import keep_value
from core.worker.swarm.patches.monotonic_clock import steady_time

LIFETIME_SECONDS = 30.0
MAX_ANNOUNCEMENT_BYTES = 16 * 1024
DHT_KIND = "workerbee_experts"  # of values, in the DHT key
_KIND = b"workerbee hosted experts 1:"


IsPeer = Callable[[str], bool]
"""Whether something is so of the peer of that id: that it is barred from the run, or that it leads it."""
Steps = Mapping[ExpertId, int]
"""The number of optimizer steps that each of some experts has behind it."""
_Experts = Annotated[tuple[tuple[ExpertLayer, ExpertNumber, Count, Count], ...], Meta(max_length=MOST_HOSTED)]
_Copies = Annotated[tuple[tuple[ExpertLayer, ExpertNumber, Count], ...], Meta(max_length=MOST_HOSTED)]


class Announcement(StrictStruct, kw_only=True, frozen=True):
    """The experts of a host ``at`` a time, in seconds since 1970; each with its number of optimizer steps.

    It answers for its ``experts``, and tells also with how many tokens it has trained each. Of its ``copies`` it only
    keeps the state, for the case that their host is gone.
    """

    run_id: RunId
    at: UnixTime
    experts: _Experts
    copies: _Copies = ()


@dataclass(frozen=True)
class Hosted:
    """What a host answers for, and of what it keeps a copy; ``tokens`` are those it has trained its experts with."""

    experts: Steps
    copies: Steps = field(default_factory=dict)
    tokens: Mapping[ExpertId, int] = field(default_factory=dict)

    def among(self, experts: Collection[ExpertId]) -> Hosted:
        """The same without what is told of any others than these experts."""
        told = (self.experts, self.copies, self.tokens)
        return Hosted(*({expert: each[expert] for expert in each if expert in experts} for each in told))


def sign_announcement(announcement: Announcement, host: Identity) -> bytes:
    """The announcement in the form in which it will be read, signed."""
    return sign_record(_KIND, msgspec.msgpack.encode(announcement), host)


def announcement_in(encoded: bytes, host: str, run_id: str, now: float) -> Hosted | None:
    """What this peer id announces at that time; ``None`` for anything else, and for an old announcement."""
    told = _announced(encoded, host, run_id, now)
    if told is None:
        return None
    tokens = {ExpertId(layer, number): count for layer, number, _steps, count in told.experts}
    return Hosted(_steps(each[:3] for each in told.experts), _steps(told.copies), tokens)


def guard_announcements(dht: DHT, run_id: str) -> None:
    """Refuse forged and old announcements, and forget those that are there; call it before anything is read."""
    key, order_of = dht_key(run_id, DHT_KIND), partial(_announced_at, run_id=run_id)
    guard_values(dht, PeerValueValidator(key, MAX_ANNOUNCEMENT_BYTES, order_of, LIFETIME_SECONDS))


def announce(dht: DHT, identity: Identity, run_id: str, hosted: Hosted) -> None:
    """Say for half a minute what that identity hosts, to the DHT and to whoever asks us. Does not wait."""
    experts = tuple((*each, hosted.tokens.get(ExpertId(*each[:2]), 0)) for each in _told(hosted.experts))
    announcement = Announcement(run_id=run_id, at=time.time(), experts=experts, copies=_told(hosted.copies))
    value, key = sign_announcement(announcement, identity), dht_key(run_id, DHT_KIND)
    until = steady_time() + LIFETIME_SECONDS
    keeping = partial(keep_value, key=key, subkey=identity.peer_id, value=value, until=until)
    dht.run_coroutine(keeping, return_future=True)
    dht.store(key, subkey=identity.peer_id, value=value, expiration_time=until, return_future=True)


def announced_experts(
    dht: DHT, run_id: str, experts: Collection[ExpertId], is_barred: IsPeer, also_ask: Iterable[str] = ()
) -> dict[str, Hosted]:
    """What each host announces at present of the ``experts`` of the run, by peer id; blocks for a few seconds at most.

    Who ``is_barred`` is not among them. ``also_ask`` are peer ids.
    """
    now, found = time.time(), peer_values(dht, dht_key(run_id, DHT_KIND), MAX_ANNOUNCEMENT_BYTES, also_ask)
    announced = ((host, announcement_in(encoded, host, run_id, now)) for host, encoded in found)
    return {host: each.among(experts) for host, each in announced if each is not None and not is_barred(host)}


def nobody(_peer: str) -> bool:
    """An `IsPeer` of what is so of no peer."""
    return False


def _announced(encoded: bytes, host: str, run_id: str, now: float) -> Announcement | None:
    told = signed_of_run(_KIND, encoded, host, MAX_ANNOUNCEMENT_BYTES, Announcement, run_id)
    return told if told is not None and -CLOCK_SECONDS <= now - told.at <= LIFETIME_SECONDS + CLOCK_SECONDS else None


def _announced_at(host: str, encoded: bytes, run_id: str) -> float | None:
    told = _announced(encoded, host, run_id, time.time())
    return None if told is None else told.at


def _told(steps: Steps) -> tuple[tuple[int, int, int], ...]:
    return tuple((expert.layer, expert.number, count) for expert, count in sorted(steps.items()))


def _steps(told: Iterable[tuple[int, int, int]]) -> dict[ExpertId, int]:
    return {ExpertId(layer, number): count for layer, number, count in told}
