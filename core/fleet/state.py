"""What an observer of a run has been told so far, reduced from the worker's events, and the snapshot that it makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from core.fleet.energy import energy_of
from core.fleet.snapshot import FleetSnapshot
from core.fleet.totals import believed, epoch_of, progress_of, run_ends_in, totals_of
from core.protocol.events import RunFound, RunScored
from core.protocol.peers import PeerSeen, PeersSeen, Suspect, SuspectsSeen
from core.run.signed_scores import MOST_SCORES, Score
from core.run.steering.edit import numbers_at


@dataclass(frozen=True)
class FleetState:
    """``seen`` is ``None`` until the peers have been told once; ``scores`` are those that were signed, by epoch."""

    run: RunFound | None = None
    seen: PeersSeen | None = None
    suspects: tuple[Suspect, ...] = ()
    blocked: tuple[str, ...] = ()
    scores: tuple[Score, ...] = ()

    def after(self, event: object) -> FleetState:
        """The state after an event of the worker, or of the client, has happened; most change nothing."""
        match event:
            case RunFound():
                return replace(self, run=event) if self.run is None or _is_same(self.run, event) else self
            case PeersSeen():
                return replace(self, seen=event)
            case SuspectsSeen():
                return replace(self, suspects=event.suspects, blocked=event.blocked)
            case RunScored():
                earlier = {score.epoch: score for score in self.scores if score.epoch < event.scores[0].epoch}
                return replace(self, scores=(*earlier.values(), *event.scores)[-MOST_SCORES:])
            case _:
                return self

    def snapshot(self, now: float) -> FleetSnapshot | None:
        """The fleet at this time, in seconds since 1970; ``None`` before the run and its peers are known."""
        if self.run is None or self.seen is None:
            return None
        manifest = self.run.manifest
        peers = _at_rest(self.seen.peers) if _rests(self.run) else believed(self.seen.peers)
        run, collaboration = manifest.run, manifest.collaboration
        epoch, epochs = epoch_of(peers), manifest.scheduler.total_epochs
        target = numbers_at(manifest, self.run.edits, epoch or 0).target_batch_size
        samples, ends_in = progress_of(peers, epoch, target)
        totals = totals_of(peers, self.seen.untold)
        end = run_ends_in(epochs, epoch, ends_in, totals.samples_per_second, target)
        return FleetSnapshot(
            at=now,
            run_id=run.id,
            name=run.name,
            state="paused" if self.run.order.state in ("paused", "draining") else run.state,
            notice=run.notice,
            organiser=self.run.organiser,
            mode=collaboration.mode,
            epochs=epochs,
            epoch=epoch,
            samples=samples,
            target=target,
            epoch_ends_in=ends_in,
            run_ends_in=end,
            loss=self.seen.loss,
            totals=totals,
            energy=energy_of(peers, end),
            health=self.seen.health,
            scores=self.scores,
            suspects=self.suspects,
            blocked=self.blocked,
            peers=peers,
        )


def _rests(run: RunFound) -> bool:
    """Whether nobody computes in the run: it is paused, and not only about to be, or it has ended."""
    return run.order.state == "paused" or run.manifest.run.state != "open"


def _at_rest(peers: Sequence[PeerSeen]) -> tuple[PeerSeen, ...]:
    """These peers without the speed that they last reported, and report no more."""
    return tuple(msgspec.structs.replace(each, samples_per_second=0.0) for each in peers)


def _is_same(run: RunFound, other: RunFound) -> bool:
    """Whether both are revisions of one run by one organiser."""
    return (run.manifest.run.id, run.organiser) == (other.manifest.run.id, other.organiser)
