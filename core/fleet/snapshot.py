"""The fleet of a run at one moment: what `workerbee fleet --json` prints, its log keeps, and its page shows."""

from __future__ import annotations

from typing import Literal

from core.protocol.peers import FleetHealth, PeerSeen, Suspect
from core.protocol.types import Event
from core.run.signed_scores import Score
from core.run.spec.collaboration import Mode
from core.schema import Count, StrictStruct, UnixTime


class Group(StrictStruct, kw_only=True, frozen=True):
    """The peers that have one device or one version in common: how many, and their samples per second."""

    name: str
    peers: Count
    samples_per_second: float


class FleetTotals(StrictStruct, kw_only=True, frozen=True):
    """Sums over all peers that were told, as the peers report them; ``peers`` also counts those that were not told.

    Of a peer's speed no more counts than `totals.believed` takes. Rounds and traffic are those since each peer's worker
    started, of the ``telling`` peers that publish them. One round of the run is counted by each of those who took part.
    ``stragglers`` report an epoch before that of most. ``countries`` are those of peers that name one.
    """

    peers: Count
    direct: Count
    outgoing: Count
    stragglers: Count = 0
    samples_per_second: float
    devices: tuple[Group, ...] = ()
    versions: tuple[Group, ...] = ()
    countries: tuple[Group, ...] = ()
    telling: Count = 0
    whole_rounds: Count = 0
    partial_rounds: Count = 0
    failed_rounds: Count = 0
    sent_bytes: Count = 0
    received_bytes: Count = 0


class FleetEnergy(StrictStruct, kw_only=True, frozen=True):
    """What the devices of the ``telling`` peers draw, and have drawn since each of their workers started.

    Of the ``capped`` ones less counts than they tell, see `energy.energy_of`. ``joules_at_end`` is what the figure
    comes to until the run's last epoch ends, at this power and speed; ``None`` where nobody knows when.
    """

    telling: Count
    capped: Count = 0
    watts: float
    joules: float
    joules_at_end: float | None = None


class FleetSnapshot(Event, tag="fleet", kw_only=True, frozen=True):
    """A run's fleet at a time in seconds since 1970.

    ``samples`` of ``target`` are those of the ``epoch`` that most peers are in, which ends in ``epoch_ends_in``
    seconds at their present speed; ``run_ends_in`` is until the last of ``epochs``, where the run file names that.
    ``loss`` is the mean of what they report, ``scores`` are the signed evaluations, ``organiser`` is a peer id. While
    the run is at rest in a pause, or once it has ended, nobody has a speed. No ``energy`` is told by any peer without
    a sensor for it; what each one in ``peers`` tells of its power is as it was told.
    """

    at: UnixTime
    run_id: str
    name: str
    state: Literal["open", "paused", "finished"] = "open"
    notice: str = ""
    organiser: str = ""
    mode: Mode = "gradients"
    epochs: Count | None = None
    epoch: Count | None = None
    samples: Count = 0
    target: Count = 0
    epoch_ends_in: float | None = None
    run_ends_in: float | None = None
    loss: float | None = None
    totals: FleetTotals
    energy: FleetEnergy | None = None
    health: FleetHealth = FleetHealth()
    scores: tuple[Score, ...] = ()
    suspects: tuple[Suspect, ...] = ()
    blocked: tuple[str, ...] = ()
    peers: tuple[PeerSeen, ...] = ()

    def fastest(self, number: int) -> tuple[PeerSeen, ...]:
        """So many peers at the most, the fastest first."""
        return tuple(sorted(self.peers, key=lambda peer: -peer.samples_per_second)[:number])
