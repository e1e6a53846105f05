"""What the worker says of itself: one event for each thing that happened, one JSON object a line.

Sizes are in bytes, batches in samples, times in seconds, rates in samples per second; ``None`` means "not known
yet" and is never zero in disguise. The command line's ``--json`` prints the same lines.
"""

from __future__ import annotations

from typing import Literal

from core.localizable import LocalizedText
from core.protocol.access import RunAccess
from core.protocol.examples import Examples
from core.protocol.experts import ExpertsSeen
from core.protocol.limits import Paced, Traffic
from core.protocol.peers import PeersSeen, SuspectsSeen
from core.protocol.types import Event
from core.run.manifest import RunManifest
from core.run.signed_receipts import Epoch, KeyText, Record, Samples
from core.run.signed_scores import Score
from core.run.steering.control_value import Order
from core.run.steering.data_change import DataChanges
from core.run.steering.edit import Edits
from core.run.steering.rollback import Rollback
from core.schema import Count
from core.security.confinement.gaps import Gap


class Hello(Event, tag="hello", kw_only=True, frozen=True):
    """The worker lives; the first event, sent before any heavy import."""

    protocol: int
    version: str


class Confined(Event, tag="confined", kw_only=True, frozen=True):
    """The worker has confined itself and all that it will start; ``gaps`` are what this computer leaves open."""

    gaps: tuple[Gap, ...] = ()


class EngineChecked(Event, tag="engine_checked", kw_only=True, frozen=True):
    """The libraries load; their versions, and the CUDA devices that torch can use."""

    torch: str
    hivemind: str
    cuda_devices: tuple[str, ...] = ()


class FitMeasured(Event, tag="fit_measured", kw_only=True, frozen=True):
    """What a dry run has found: the micro-batch to train with; 0 where not even one sample fits."""

    device: str
    micro_batch: Count
    samples_per_second: float | None = None
    memory_bytes: Count = 0


class Exported(Event, tag="exported", kw_only=True, frozen=True):
    """The checkpoint of that epoch, with its held-out loss, has been written as others load it."""

    epoch: Count
    loss: float | None = None
    parameters: Count = 0
    size_bytes: Count = 0


class Pushed(Event, tag="pushed", kw_only=True, frozen=True):
    """An exported model has been uploaded to that repository of the hub; ``url`` is the commit's address."""

    repository: str
    url: str = ""


class Connected(Event, tag="connected", kw_only=True, frozen=True):
    """A peer of the swarm has answered; ``peer_id`` is ours, ``peers`` counts those in our routing table."""

    peer_id: str
    peers: Count


class Network(Event, tag="network", kw_only=True, frozen=True):
    """How others can reach us: ``direct`` or ``client`` (only outgoing connections), and why.

    ``advice`` is what the person could do about it, if anything. ``test`` tells whether others were asked to
    connect to us, which is not needed where the person has chosen outgoing connections.
    """

    mode: Literal["direct", "client"]
    reason: LocalizedText
    advice: LocalizedText = LocalizedText()
    test: Literal["not_needed", "running", "done"] = "not_needed"


class LineMeasured(Event, tag="line_measured", kw_only=True, frozen=True):
    """How fast this computer's line is in its network at the least, measured ``at`` that time (seconds since 1970)."""

    direction: Literal["upload", "download"]
    bits_per_second: float
    at: float


class RunFound(Event, tag="run_found", kw_only=True, frozen=True):
    """A run that the swarm publishes, verified. ``organiser`` is the signer's peer id; a local file has none.

    ``vouched`` is true where the pasted address contains the signer's key. ``order`` is what all peers are to do, and
    ``edits`` and ``data_changes`` what its organiser has changed, each from an epoch on; ``rollback`` is the last.
    """

    manifest: RunManifest
    organiser: str
    vouched: bool
    peers: Count | None = None
    epoch: Count | None = None
    samples_per_second: float | None = None
    loss: float | None = None
    order: Order = Order()
    edits: Edits = ()
    rollback: Rollback | None = None
    data_changes: DataChanges = ()
    access: RunAccess = RunAccess()


class SearchFinished(Event, tag="search_finished", kw_only=True, frozen=True):
    """Every run that the swarm publishes has been reported; ``found`` of them."""

    found: Count


class Published(Event, tag="published", kw_only=True, frozen=True):
    """The run is up; ``link`` is the address to share, as one link."""

    addresses: tuple[str, ...]
    link: str
    revision: Count


class StateLoading(Event, tag="state_loading", kw_only=True, frozen=True):
    """The run's current state is being downloaded, or its files: what it learns from or begins with.

    A state's total is what the manifest promises; of the ``rest`` of one from a mirror nobody knows it (0).
    """

    what: Literal["state", "rest", "files"] = "state"
    received_bytes: Count
    total_bytes: Count


class TrainingStarted(Event, tag="training_started", kw_only=True, frozen=True):
    """The first micro-batch is about to be computed."""

    device: str
    epoch: Count
    parameters: Count


class Progress(Event, tag="progress", kw_only=True, frozen=True):
    """Where training is, at most twice a second.

    ``samples`` of ``target`` is the swarm's progress to the next step, ``my_samples`` our part of it;
    ``contributed_samples`` is all that this worker has computed. ``stalled_seconds`` is the longest time that the loop
    has stood still in the optimizer since the last event. With local SGD ``steps`` counts our own in this round, of
    which the run allows ``most_steps``; ``exchanged_share`` is how much of an exchange is done while training goes on,
    0 to 1. The ``learning_rate``, of the step that ends the epoch, is told where the organiser may change it meanwhile.
    Without local SGD the loop ``is_waiting`` where it has computed enough with weights that lack the last step.
    """

    epoch: Count
    samples: Count
    target: Count
    samples_per_second: float | None
    swarm_samples_per_second: float | None
    peers: Count
    clients: Count
    loss: float | None
    my_samples: Count = 0
    contributed_samples: Count = 0
    next_step_seconds: float | None = None
    sent_bytes: Count = 0  # what our line has carried since the worker began, as the next
    received_bytes: Count = 0
    stalled_seconds: float = 0.0
    steps: Count | None = None
    most_steps: Count | None = None
    exchanged_share: float | None = None
    learning_rate: float | None = None
    is_waiting: bool = False


class RoundFinished(Event, tag="round_finished", kw_only=True, frozen=True):
    """An averaging round ended: with ``peers`` in the group, us included; or failed, and why.

    What was averaged may still not be ``stepped`` with: with local SGD that takes more than half of the run's peers,
    and the right base weights; ``reason`` says what was in the way, and what follows. ``epoch`` is the one whose
    gradients, or ``changes`` of local SGD, were averaged; of the state, the one in which it has ended. ``outliers`` are
    the peer ids of those who have sent us what cannot be right, or far larger numbers than others; ``liars`` return
    what is not the average, as our audits have found; the ``unreached``, who average for the group, did not answer.
    ``norm_ratios`` are norms of what three or more have sent us ÷ their median. Our part is not ``counted`` where we
    took too few steps; ``counted_share``, 0 to 1, says how far.
    """

    epoch: Count
    kind: Literal["gradients", "state", "changes"]
    ok: bool
    peers: Count
    seconds: float
    reason: LocalizedText = LocalizedText()
    stepped: bool = True
    counted: bool = True
    counted_share: float = 1.0
    outliers: tuple[str, ...] = ()
    unreached: tuple[str, ...] = ()
    liars: tuple[str, ...] = ()
    norm_ratios: tuple[tuple[str, float], ...] = ()


class CaughtUp(Event, tag="caught_up", kw_only=True, frozen=True):
    """Base weights of local SGD are those of the others again, who were ``rounds`` ahead.

    What was learned here meanwhile is ``kept`` for the next round; or dropped, as too old or on a base that nobody has.
    """

    rounds: Count
    kept: bool


class ContributionStatus(Event, tag="contribution_status", kw_only=True, frozen=True):
    """Whether this computer contributes to the run at present, and why or why not.

    Rounds in a row of which none was stepped with are ``without_step``: others are there, and nobody's work counts.
    """

    state: Literal["helping", "alone", "without_step", "out_of_sync", "starting"]
    reason: LocalizedText = LocalizedText()


class Evaluated(Event, tag="evaluated", kw_only=True, frozen=True):
    """Loss and ``accuracy`` (exact matches, 0 to 1) on the validation set; neither where experts were lacking."""

    epoch: Count
    loss: float | None
    accuracy: float | None
    examples: Examples = ()


class RunScored(Event, tag="run_scored", kw_only=True, frozen=True):
    """The evaluations that the organiser's peer has signed since the last such event; ``earlier`` by rising epoch."""

    latest: Score
    earlier: tuple[Score, ...] = ()

    @property
    def scores(self) -> tuple[Score, ...]:
        """All new evaluations by rising epoch."""
        return (*self.earlier, self.latest)


class ReceiptSeen(Event, tag="receipt_seen", kw_only=True, frozen=True):
    """The organiser or a keeper has signed for samples of ours, in all up to an epoch.

    ``key`` is a hash of our reports' key in hexadecimal; ``record`` is what was signed, which proves it to others.
    """

    run_id: str
    signer: str
    key: KeyText
    samples: Samples
    epoch: Epoch
    record: Record


class CheckpointSaved(Event, tag="checkpoint_saved", kw_only=True, frozen=True):
    """The run's state has been written to ``path`` on disk."""

    path: str
    epoch: Count


class Warned(Event, tag="warned", kw_only=True, frozen=True):
    """Something a person should know, and training goes on."""

    problem: str
    detail: LocalizedText | str = ""


class Failed(Event, tag="failed", kw_only=True, frozen=True):
    """The worker cannot go on; ``problem`` is the key of an ErrorKind."""

    problem: str
    detail: LocalizedText | str = ""


class Left(Event, tag="left", kw_only=True, frozen=True):
    """The worker has said goodbye to the swarm and is about to end."""

    contributed_samples: Count = 0


class Restarting(Event, tag="restarting", kw_only=True, frozen=True):
    """The client starts the worker again after ``seconds``; the first attempt is 1.

    ``problem``, a key of ErrorKind, ended the one before; of a full disk, ``detail`` says what has no room. After
    ``last_attempt``, if there is one, the client gives up.
    """

    attempt: Count
    seconds: float
    problem: str = "worker_crashed"
    last_attempt: Count | None = None
    detail: LocalizedText | str = ""


AnyEvent = (
    Hello
    | Confined
    | EngineChecked
    | FitMeasured
    | Exported
    | Pushed
    | Connected
    | Network
    | LineMeasured
    | Paced
    | RunFound
    | SearchFinished
    | Published
    | StateLoading
    | TrainingStarted
    | Progress
    | Traffic
    | RoundFinished
    | CaughtUp
    | PeersSeen
    | SuspectsSeen
    | ExpertsSeen
    | ContributionStatus
    | Evaluated
    | RunScored
    | ReceiptSeen
    | CheckpointSaved
    | Warned
    | Failed
    | Left
    | Restarting
)
