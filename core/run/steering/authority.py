"""Who may sign for a run: its organiser, its keepers, and whoever has taken the run over since its organiser was lost.

The manifest names successors, in order. An organiser, and whoever has taken over from it, signs every now and then that
it is there: its heartbeat. A successor's tells since when it leads, and counts only where the one before it had been
silent for long enough at that time. All peers that know the same heartbeats come to the same authority.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from core.localizable import LocalizedText, localized
from core.run.manifest import RunId, RunManifest
from core.run.signed_record import CLOCK_SECONDS, sign_record, signed_of_run, signed_order
from core.schema import StrictStruct, UnixTime
from core.security.identity import Identity

MAX_HEARTBEAT_BYTES = 1024
_SIGNINGS = 6  # within the time after which a signer counts as silent
_KIND = b"workerbee run heartbeat 1:"


@dataclass(frozen=True)
class RunAuthority:
    """The peer ids that may sign for a run.

    ``line`` are those who have led it, in order: first the organiser, whose key its manifest bears, last the one whose
    orders hold. Of the ``successors`` that the manifest names, those who are not in the line may sign nothing. Where
    nobody has published the run, all are empty.
    """

    line: tuple[str, ...] = ()
    keepers: tuple[str, ...] = ()
    successors: tuple[str, ...] = ()

    @classmethod
    def of(cls, manifest: RunManifest, organiser: str) -> RunAuthority:
        """That of a run which nobody has taken over; ``organiser`` is a peer id, or empty."""
        line, successors = ((organiser,), manifest.succession.keys) if organiser else ((), ())
        return cls(line, manifest.run.keepers, successors)

    @property
    def organiser(self) -> str:
        """Whose key the manifest bears, which is part of the run's name for ever; empty where nobody has signed it."""
        return self.line[0] if self.line else ""

    @property
    def leader(self) -> str:
        """Whose orders hold; empty where nobody's do."""
        return self.line[-1] if self.line else ""

    @property
    def leader_key(self) -> LocalizedText:
        """The leader's key, as a sentence."""
        return localized("Its key: %1.", self.leader)

    @property
    def signers(self) -> tuple[str, ...]:
        """Whose signatures of the run's epochs count: first the leader's, then those before it, then its keepers'."""
        return tuple(dict.fromkeys((*reversed(self.line), *self.keepers)))

    @property
    def widest(self) -> RunAuthority:
        """The same, as if all named successors had led the run: what they have signed may have been obeyed before."""
        return RunAuthority((*self.line, *self.successors), self.keepers, self.successors)

    def is_vouched_for(self, pasted: Sequence[str]) -> bool:
        """Whether an address with these peer ids is that of the organiser, or of who leads the run since then."""
        return bool({self.organiser, self.leader} & {*pasted})


class Heartbeat(StrictStruct, kw_only=True, frozen=True, omit_defaults=True):
    """Its signer was there from ``since`` until ``at``, in seconds since 1970, and never silent for long in between.

    A successor leads the run since ``taken_over``; 0 is the organiser's own.
    """

    run_id: RunId
    since: UnixTime
    at: UnixTime
    taken_over: UnixTime = 0.0

    def renewed(self, now: float, silence_seconds: float) -> Heartbeat:
        """That of the same signer now; its ``since`` is now, too, where the signer has been silent for so long."""
        since = now if now - self.at >= silence_seconds else self.since
        return msgspec.structs.replace(self, since=since, at=max(self.at, now))


def sign_heartbeat(heartbeat: Heartbeat, identity: Identity) -> bytes:
    """The heartbeat in the form in which it will be read, signed."""
    return sign_record(_KIND, msgspec.msgpack.encode(heartbeat), identity)


def heartbeat_in(encoded: bytes, signer: str, run_id: str) -> Heartbeat | None:
    """What that peer id has signed of a run; ``None`` for anything else."""
    said = signed_of_run(_KIND, encoded, signer, MAX_HEARTBEAT_BYTES, Heartbeat, run_id)
    return said if said is not None and said.since <= said.at else None


def signing_seconds(manifest: RunManifest) -> float:
    """The time from one signing of a heartbeat to the next."""
    return min(manifest.succession.after_seconds / _SIGNINGS, 60.0)


def authority_of(
    manifest: RunManifest, organiser: str, heartbeats: Mapping[str, Heartbeat], now: float
) -> RunAuthority:
    """Who leads the run by these heartbeats, the newest of each key that is known; ``now`` is in seconds since 1970.

    Of two successors the one that has taken over earlier counts; what it has signed keeps the other one waiting.
    """
    authority = RunAuthority.of(manifest, organiser)
    line, led_since = list(authority.line), 0.0
    named = [(key, heartbeats[key]) for key in authority.successors if key in heartbeats]
    for key, claim in sorted(named, key=lambda each: each[1].taken_over):
        begun = claim.taken_over
        if not begun or begun > now + CLOCK_SECONDS or key in line:
            continue
        silence = silence_seconds(manifest, key)
        if begun - led_since >= silence and not _has_spoken(heartbeats.get(line[-1]), begun - silence, begun):
            line.append(key)
            led_since = begun
    return RunAuthority(tuple(line), authority.keepers, authority.successors)


def silence_seconds(manifest: RunManifest, successor: str) -> float:
    """How long whoever leads the run has to be silent before that successor may take over."""
    return float(manifest.succession.after_seconds * (manifest.succession.keys.index(successor) + 1))


def _has_spoken(heartbeat: Heartbeat | None, begin: float, end: float) -> bool:
    """Whether its signer was there at any moment after ``begin`` and until ``end``."""
    return heartbeat is not None and heartbeat.at > begin and heartbeat.since <= end


def heartbeat_order(encoded: bytes, signer: str, run_id: str) -> float | None:
    """By what a heartbeat is later than another, as `signed_order` tells it; ``None`` for anything else."""
    return signed_order(_KIND, encoded, signer, MAX_HEARTBEAT_BYTES, run_id)
