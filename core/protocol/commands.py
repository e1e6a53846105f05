"""What a client asks of its worker: commands, imperatives, one JSON object a line."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from core.protocol.types import NOTHING_DISCLOSED, Command, Disclosure, Name
from core.run.consent import ConsentDigest
from core.run.manifest import KeeperId, RunManifest
from core.run.multiaddr import Multiaddr
from core.run.spec.data import Repository
from core.run.spec.experts import ExpertRole, HostedExperts
from core.run.steering.data_change import DataChanges
from core.run.steering.edit import Edits
from core.schema import Count, MicroBatch, StrictStruct

Multiaddrs = Annotated[tuple[Multiaddr, ...], Meta(max_length=64)]
NetworkMode = Literal["auto", "direct", "client"]
MIRROR_ROUNDS = 2  # of the four in a round log: as many are left for upload and download
MOST_MIRROR_ROUNDS = 3
MirrorRounds = Annotated[int, Meta(ge=1, le=MOST_MIRROR_ROUNDS)]
WeightType = Literal["fp32", "bf16", "fp16"]
MOST_CONTRIBUTORS = 100  # that a model card names


class Join(Command, tag="join", kw_only=True, frozen=True):
    """Connect to a swarm and say which runs it publishes; train nothing yet.

    ``manifest`` stands in for a published one where the swarm publishes none. ``home`` is the folder that
    holds the volunteer's keys. ``lists_peers`` asks for those of the only run, too, and whom they name;
    ``watches_peers`` asks for that again and again until we leave, and never trains.
    """

    addresses: Multiaddrs
    home: str
    run_id: str | None = None
    network: NetworkMode = "auto"
    port: int | None = None
    manifest: RunManifest | None = None
    lists_peers: bool = False
    watches_peers: bool = False


class Start(Command, tag="start", kw_only=True, frozen=True):
    """Train in a run that was found. ``device`` is ``cpu`` or ``cuda:N``; ``threads`` bounds the CPU's.

    ``public_name`` is what others may call this computer, ``disclosure`` what they are told besides;
    ``disk_limit_bytes`` is what all of Workerbee's data may take, ``memory_limit_bytes`` what training may of the
    device's memory. ``micro_batch`` is what a dry run has found; the run's own, where it names one, is never exceeded.
    ``digest`` is that of the manifest which the person was shown (`consent_digest`): the worker refuses to train any
    other. In a run with experts the ``role`` says whether this computer trains, hosts experts, ``hosted_experts`` at
    the most, or both. Without ``train`` it computes almost nothing: it averages for the others, and keeps the run's
    state for newcomers.
    """

    run_id: str
    organiser: str
    digest: ConsentDigest
    device: str
    threads: int | None = None
    public_name: Name = ""
    disclosure: Disclosure = NOTHING_DISCLOSED
    disk_limit_bytes: Count | None = None
    micro_batch: MicroBatch | None = None
    memory_limit_bytes: Count | None = None
    role: ExpertRole = "train"
    hosted_experts: HostedExperts | None = None
    train: bool = True


class Succession(StrictStruct, kw_only=True, frozen=True):
    """A run is taken over from its ``organiser``, a peer id; some of its peers are at these addresses."""

    organiser: KeeperId
    addresses: Multiaddrs = ()


class Publish(Command, tag="publish", kw_only=True, frozen=True):
    """Be a run's first peer: sign the manifest, keep it published, train or only keep the state.

    ``mirror`` is the folder where a local-sgd run's base weights are written for newcomers, every ``mirror_rounds``
    rounds; ``from_checkpoint`` is the epoch of an earlier checkpoint, to which the run goes back. With ``succession``
    the run is led on in its organiser's place, who has signed its manifest.
    """

    manifest: RunManifest
    home: str
    identity: str | None = None
    listen: Multiaddrs = ()
    announce: Multiaddrs = ()
    train: bool = True
    device: str = "cpu"
    threads: int | None = None
    public_name: Name = ""
    checkpoint_every_epochs: Annotated[int, Meta(ge=1)] = 10
    mirror: str | None = None
    mirror_rounds: MirrorRounds = MIRROR_ROUNDS
    from_checkpoint: Count | None = None
    succession: Succession | None = None


class DryRun(Command, tag="dry_run", kw_only=True, frozen=True):
    """A dry run: train on noise for some seconds, without any download or swarm; say what fits, end."""

    manifest: RunManifest
    device: str
    threads: int | None = None
    memory_limit_bytes: Count | None = None


class Evaluation(StrictStruct, kw_only=True, frozen=True):
    """The held-out loss after an epoch, in nats."""

    epoch: Count
    loss: float


class Contributor(StrictStruct, kw_only=True, frozen=True):
    """Who has agreed to be named in a model's card, as they call themselves, and the samples of all their keys."""

    name: Name
    samples: Count


class Export(Command, tag="export", kw_only=True, frozen=True):
    """Write a checkpoint into the empty ``folder``, as transformers, peft or PyTorch load it; end.

    ``checkpoint`` is the file of the run's newest, beside which the older ones are; ``epoch`` chooses one of them.
    ``merge`` adds trained adapters to the base model; ``evaluations``, ``edits`` and ``data_changes`` are for the model
    card, and so are ``contributors``, besides whom ``further_contributors`` have agreed to be named.
    """

    manifest: RunManifest
    home: str
    checkpoint: str
    folder: str
    epoch: Count | None = None
    merge: bool = False
    dtype: WeightType = "fp32"
    evaluations: Annotated[tuple[Evaluation, ...], Meta(max_length=4096)] = ()
    edits: Edits = ()
    data_changes: DataChanges = ()
    contributors: Annotated[tuple[Contributor, ...], Meta(max_length=MOST_CONTRIBUTORS)] = ()
    further_contributors: Count = 0


class Push(Command, tag="push", kw_only=True, frozen=True):
    """Upload a folder's files to a model repository of the hub, as one commit with that message; end.

    ``token_file`` holds the token, which is in no command.
    """

    folder: str
    repository: Repository
    message: Annotated[str, Meta(min_length=1, max_length=200)]
    token_file: str


class Leave(Command, tag="leave", kw_only=True, frozen=True):
    """Stop computing, say goodbye to the swarm, end: in a few seconds, but an organiser's worker saves its state first.

    That takes SAVE_LIMIT_SECONDS at the most.
    """


class Check(Command, tag="check", kw_only=True, frozen=True):
    """Load the engine, say what it is, end; ``doctor`` asks it."""


class TestNetwork(Command, tag="test_network", kw_only=True, frozen=True):
    """Find out again whether others can reach this computer."""

    __test__ = False  # pytest would collect it as a test


LEAST_LINE_RATE = 10_000
LineRate = Annotated[int, Meta(ge=LEAST_LINE_RATE, le=10**10)]
"""Bytes a second; with less, no round of averaging comes to its end."""
SAVE_LIMIT_SECONDS = 120.0  # for the last checkpoint, once we are to leave
REPORT_SECONDS = 0.5  # between two reports of a worker's progress, unless its client asks for fewer


class SetPace(Command, tag="set_pace", kw_only=True, frozen=True):
    """Work at this pace from now on, without a restart.

    ``compute_share`` is the share of the time in which something is computed; between micro-batches, nothing is in the
    rest of it. ``upload_bytes_a_second`` bounds what is sent, ``download_bytes_a_second`` what is received; ``None``
    does not. At least ``report_seconds`` pass between two reports of progress, which nobody needs often while no
    window shows them.
    """

    compute_share: Annotated[float, Meta(ge=0.01, le=1)] = 1.0
    upload_bytes_a_second: LineRate | None = None
    download_bytes_a_second: LineRate | None = None
    report_seconds: Annotated[float, Meta(ge=0.1, le=60)] = REPORT_SECONDS


AnyCommand = Join | Start | Publish | DryRun | Export | Push | Leave | Check | TestNetwork | SetPace
