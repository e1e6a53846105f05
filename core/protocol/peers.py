"""The events about all peers of a run, and what they tell of each."""

from __future__ import annotations

from core.protocol.types import Country, DeviceName, Event, Name, PeerVersion
from core.schema import Count, StrictStruct


class PeerActivity(StrictStruct, kw_only=True, frozen=True, omit_defaults=True):
    """What one peer says of its worker's life so far: its version of Workerbee, its rounds and its traffic.

    Rounds of gradients or changes were ``whole``, ``partial`` (averaged, but what somebody sent was lost or left out)
    or ``failed``. Nothing is told where there is no version: by other programs and by an older Workerbee.
    """

    version: PeerVersion = ""
    whole: Count = 0
    partial: Count = 0
    failed: Count = 0
    sent_bytes: Count = 0
    received_bytes: Count = 0

    @property
    def is_told(self) -> bool:
        """Whether the peer has published anything of this."""
        return bool(self.version)


class PeerPower(StrictStruct, kw_only=True, frozen=True):
    """What a peer says that its device draws, and has drawn since its worker started."""

    watts: Count
    joules: Count


class PeerSeen(StrictStruct, kw_only=True, frozen=True):
    """What one peer of the run says of itself; ``peer_id`` is its libp2p id.

    ``name`` and ``device`` are a stranger's words, and empty where it is not a Workerbee or has no name. Only whoever
    watches a fleet hears of its ``activity``, of its ``power`` where its driver measures that, of its ``country`` if it
    tells one, and of the ``norm_ratio`` that others have measured: the norm of what it has sent ÷ the median of all
    senders', itself the median of the last rounds.
    """

    peer_id: str
    epoch: Count
    samples: Count
    samples_per_second: float
    client_mode: bool
    is_me: bool = False
    name: Name = ""
    device: DeviceName = ""
    activity: PeerActivity = PeerActivity()
    norm_ratio: float | None = None
    country: Country = ""
    power: PeerPower | None = None


class Suspect(StrictStruct, kw_only=True, frozen=True):
    """A peer of which ``named_by`` others say that it has sent what cannot be right.

    They were ``rounds`` in which it was an outlier, counted once for each of them, and ``refused_states`` of it. By
    averaging once more, so many of organiser and keepers have ``found_out`` that it returns what is not the average; in
    ``worse`` of their last ``tries``, what it has changed made the held-out loss worse.
    """

    peer_id: str
    named_by: Count
    rounds: Count
    refused_states: Count
    found_out: Count = 0
    tries: Count = 0
    worse: Count = 0


class Reason(StrictStruct, kw_only=True, frozen=True):
    """Why rounds were not whole, in a stranger's words, and how many peers say it of their last such round."""

    words: str
    peers: Count


class FleetHealth(StrictStruct, kw_only=True, frozen=True, omit_defaults=True):
    """What peers tell of what goes wrong, those told by most first.

    Of the peers that have tried to dial the organiser's, ``reached`` could and ``unreached`` could not, as it says.
    """

    reasons: tuple[Reason, ...] = ()
    reached: Count = 0
    unreached: Count = 0


class PeersSeen(Event, tag="peers_seen", kw_only=True, frozen=True):
    """Everybody who reports progress in the run, us included; ``loss`` is the mean of what they report.

    Of very many, ``untold`` is how many more there are. Only whoever watches a fleet hears of its ``health``.
    """

    peers: tuple[PeerSeen, ...]
    loss: float | None = None
    untold: Count = 0
    health: FleetHealth = FleetHealth()


class SuspectsSeen(Event, tag="suspects_seen", kw_only=True, frozen=True):
    """Whom the peers of the run name, those named by most of them first; sent when others are named, or by more.

    ``blocked`` are the peer ids on the organiser's block list, which only whoever lists or watches peers hears of.
    """

    suspects: tuple[Suspect, ...]
    blocked: tuple[str, ...] = ()
