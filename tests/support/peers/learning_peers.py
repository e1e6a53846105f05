"""Small swarms, forked from one process that has everything loaded; what came of each is a line of JSON.

Its arguments are a folder with ``rows.json``, and how many rows train at a time. With a member's folder alone it is
that member, for whom another Python than the row's was named. The peers are real: an identity, a
DHT, a recipe, and RunParticipation with its trainer and SwarmOptimizer. Their speed is limited, so that the length of
an epoch is the run's choice and not the computer's. From a row's last epoch on they let every averaging round end
before they go on, and save their parameters, until all members have saved those of one epoch; with local SGD those of
one number of outer steps, which say how far somebody has come: a round that was missed is caught up with later.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import re
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import msgspec
import psutil
import torch
from safetensors.torch import load_file
from torch import Tensor

from core.files.temp_folder import lock_temp_folder, remove_temp_folder
from core.protocol.events import CaughtUp, Evaluated, Failed, Progress, RoundFinished
from core.protocol.peers import SuspectsSeen
from core.run.manifest import RunManifest
from core.run.steering.authority import RunAuthority
from core.security.identity import Identity
from core.worker.fetch.file_store import FetchContext, FileStore
from core.worker.network.peer_cache import PeerCache
from core.worker.process import process_tree
from core.worker.process.channel import WorkerChannel
from core.worker.process.supervisor import Supervisor
from core.worker.recipes import build
from core.worker.roles.participation import open_participation
from core.worker.roles.preparation import DownloadProgress, ParticipationConfig
from core.worker.swarm import Swarm
from core.worker.swarm.local_sgd.audit.averager import AuditedAverager
from core.worker.swarm.local_sgd.audit.shown_changes import ShownChanges
from core.worker.training.change_trials import ChangeTrials
from core.worker.training.trainer import STATE_SERVER_SAMPLES_PER_SECOND, RateLimiter
from tests.support.computer.memory_use import memory_use_of_all
from tests.support.forked.own_locks import make_own_locks
from tests.support.learning.change_lies import lie_in_messages
from tests.support.learning.claim_lies import prepare_claims
from tests.support.learning.gradient_lies import lie_in_exchanges
from tests.support.learning.led_run import follow, lead
from tests.support.learning.member_costs import MemberCost, Spent, groups_of, spent
from tests.support.learning.member_events import events_in, has_kept_changes
from tests.support.learning.settling_peer import SettlingPeer
from tests.support.peers import state_peers
from tests.support.peers.learning_rows import AGREED, SCRIPT, Member, Outcome, Row

LATE_FROM_EPOCH = 2
MIN_ROUNDS = 3  # of each member with everybody
MORE_EPOCHS = 12  # in which who has missed steps of the others comes back to them, or a liar is named
POLL_SECONDS = 0.1
CAUGHT_UP = re.compile(r"caught up with \S+ by (\d+) rounds")
DOWNLOADED = re.compile(r"\S+ sent a state of [1-9]\d* bytes")
PARTS = re.compile(r"donors have a state of (\d+) parts\n[^\n]* (\d+) of the parts are here already")
REPAIRED = re.compile(r"during (\d+) micro-batches the right base weights have come")
TRIED = re.compile(r"the changes of (\S+) change the held-out loss by (\S+)")
_Dated = TypeVar("_Dated", Progress, RoundFinished)


def live(member: Member, last_epoch: int, folder: Path, meeting_point: Path, together: tuple[Path, ...]) -> NoReturn:
    """Be that member, in a process of its own, until it is killed; those with the folders ``together`` begin so."""
    os.setpgid(0, 0)
    make_own_locks()
    (folder / "torch").write_text(torch.__version__)
    os.dup2(os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND), sys.stderr.fileno())
    channel = channel_to(folder / "events")
    supervisor = Supervisor(channel)
    channel.start(supervisor.start)
    if member.lies_from is not None:
        prepare_claims(member.lie)
        if member.manifest.collaboration.mode == "local-sgd":
            lie_in_messages(member.lie)
        else:
            lie_in_exchanges(member.lie)
    if member.audits is not None:
        AuditedAverager.audit_chance = member.audits
    if member.tries is not None:
        ShownChanges.most_peers, ChangeTrials.time_share = member.tries, 1.0
    try:
        swarm = entered(member, folder, meeting_point)
        manifest = member.manifest
        size = 1 if member.keeps else manifest.collaboration.batch_size_per_step
        config = ParticipationConfig("cpu", 1, size, pace_of(member), FileStore(folder), is_state_server=member.keeps)
        is_first = not meeting_point.exists()
        cache = PeerCache(() if is_first else meeting_point.read_text().split())
        first = swarm.peer_id if is_first else meeting_point.read_text().rsplit("/", 1)[1]
        authority = RunAuthority.of(manifest, first if member.has_organiser else "")
        channel.emit(
            Evaluated(epoch=0, loss=untrained_loss(manifest, config.store, channel), accuracy=0.0, examples=())
        )
        with open_participation(
            swarm, manifest, authority, config, cache, channel, supervisor, is_first=is_first
        ) as participation:
            peer = SettlingPeer(participation, folder, last_epoch, member)
            peer.save_parameters("untrained")
            if member.is_led and is_first:
                lead(swarm, manifest, folder, participation, channel, supervisor)
            elif member.is_led:
                follow(swarm, manifest.run.id, first, folder, participation, channel, supervisor)
            if is_first:
                publish(meeting_point, swarm)
                wait_for_members(together)
            participation.run_training(peer.save)
    except BaseException as error:
        traceback.print_exc()
        channel.emit(Failed(problem=type(error).__name__, detail=str(error)))
    channel.close()
    os._exit(1)


class Life(msgspec.Struct, frozen=True, kw_only=True):
    """What `live` is told, for a member of another Python, which finds it as ``life.json`` in its folder."""

    member: Member
    last_epoch: int
    folder: str
    meeting_point: str
    together: tuple[str, ...]

    @classmethod
    def in_folder(cls, folder: Path) -> Life:
        """What was written there."""
        return msgspec.json.decode((folder / "life.json").read_bytes(), type=cls)

    def begin(self) -> int:
        """The process id of the member: a copy of this process, or its own Python."""
        if not self.member.python:
            return fork(self.live)
        Path(self.folder, "life.json").write_bytes(msgspec.json.encode(self))
        log = os.open(Path(self.folder, "log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        streams = [(os.POSIX_SPAWN_DUP2, log, stream) for stream in (sys.stdout.fileno(), sys.stderr.fileno())]
        command = [self.member.python, "-m", SCRIPT, self.folder]
        try:
            return os.posix_spawn(command[0], command, os.environ, file_actions=streams, setpgroup=0)
        finally:
            os.close(log)

    def live(self) -> NoReturn:
        """Be that member."""
        together = tuple(map(Path, self.together))
        live(self.member, self.last_epoch, Path(self.folder), Path(self.meeting_point), together)


def wait_for_members(folders: tuple[Path, ...]) -> None:
    """Until each of them could train; on a busy computer that may take longer than a run of some epochs."""
    while not all((folder / "untrained.parameters").exists() for folder in folders):
        time.sleep(POLL_SECONDS)


def untrained_loss(manifest: RunManifest, store: FileStore, channel: WorkerChannel) -> float:
    """On the held-out samples; it is the same for every member."""
    context = FetchContext(store, DownloadProgress(channel))
    with contextlib.closing(build(manifest, seed=0, device=torch.device("cpu"), context=context)) as recipe:
        return recipe.evaluate().loss


def channel_to(path: Path) -> WorkerChannel:
    """A worker's channel whose events go to that file, and to which nobody speaks."""
    commands, _never_closed = os.pipe()
    return WorkerChannel(commands, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND))


def entered(member: Member, folder: Path, meeting_point: Path) -> Swarm:
    """In the swarm's DHT, or in a new one where nobody has met yet."""
    addresses = meeting_point.read_text().split() if meeting_point.exists() else ()
    return state_peers.entered(folder, "/ip4/127.0.0.1/tcp/0", addresses, member.mode)


def pace_of(member: Member) -> RateLimiter:
    """Slow enough for many of them on one computer."""
    return RateLimiter(STATE_SERVER_SAMPLES_PER_SECOND if member.keeps else member.samples_per_second)


def publish(meeting_point: Path, swarm: Swarm) -> None:
    """Where the others find the first member."""
    new = meeting_point.with_suffix(".new")
    new.write_text("\n".join(swarm.addresses()))
    new.rename(meeting_point)


class Training:
    """A row under way."""

    def __init__(self, row: Row, folder: Path) -> None:
        self._began = time.monotonic()
        self._folders = [folder / str(number) for number in range(len(row.members))]
        self._honest = [self._folders[number] for number in row.honest()]
        for each in self._folders:
            each.mkdir(parents=True)
        self.row = with_keepers(row, self._ids())
        self._meeting_point = folder / "addresses"
        self._together = tuple(each for each, member in zip(self._folders, row.members, strict=True) if not member.late)
        self._distances: dict[int, float] = {}
        self._pids: dict[int, int] = {}
        self._spent: dict[int, Spent] = {}
        self._started_at = 0.0

    def poll(self) -> Outcome | None:
        """Start whoever is due; the outcome, once the row is over."""
        for number, member in enumerate(self.row.members):
            if number not in self._pids and self._is_due(number, member) and self._has_room():
                life = Life(
                    member=member,
                    last_epoch=self.row.epochs,
                    folder=str(self._folders[number]),
                    meeting_point=str(self._meeting_point),
                    together=tuple(map(str, self._together)),
                )
                self._pids[number] = life.begin()
        if self.row.costs_from is not None and not self._spent and epoch_in(self._folders[0]) >= self.row.costs_from:
            self._spent = self._spent_by_now(self._groups())
        is_late = time.monotonic() > self._began + self.row.limit_seconds
        return self._end() if is_late or self._has_settled() or self._failures() else None

    def _has_settled(self) -> bool:
        """Whether there is nothing more to wait for."""
        if self.row.costs_from is not None:
            return all(epoch_in(folder) > self.row.epochs for folder in self._folders)
        return self._settled_at() is not None and (self._has_come_to_all() or self._is_late())

    def _is_late(self) -> bool:
        """Whether all have had some more epochs for what the row waits for."""
        return min(map(epoch_in, self._honest)) >= self.row.epochs + MORE_EPOCHS

    def _has_come_to_all(self) -> bool:
        """Whether as many have named a liar as the row waits for, and who misses rounds has kept what it changed."""
        missing = [number for number, member in enumerate(self.row.members) if member.misses_rounds_from is not None]
        named = sum(bool(self._outliers(folder)) for folder in self._honest)
        return named >= self.row.awaited_names and all(has_kept_changes(self._folders[number]) for number in missing)

    def _groups(self) -> dict[int, list[psutil.Process]]:
        """The processes of each member that was started, by its process id."""
        return groups_of(frozenset(self._pids.values()))

    def _spent_by_now(self, groups: Mapping[int, list[psutil.Process]]) -> dict[int, Spent]:
        """What each member has cost since it began, by its process id."""
        now = time.monotonic()
        return {pid: spent(groups[pid], now, self._folders[number]) for number, pid in sorted(self._pids.items())}

    def _costs(self) -> list[MemberCost]:
        """Of every member, since the epoch from which they are measured."""
        if not self._spent:
            return []
        groups = self._groups()
        of_all = ((pid, later) for pid, later in self._spent_by_now(groups).items() if pid in self._spent)
        return [self._spent[pid].until(later, memory_use_of_all(groups[pid]).pss_bytes) for pid, later in of_all]

    def _has_room(self) -> bool:
        """Whether the next member may start; those of a crowd come one a second, as they share the computer."""
        if self.row.costs_from is not None and time.monotonic() - self._started_at < 1.0:
            return False
        self._started_at = time.monotonic()
        return True

    def _is_due(self, number: int, member: Member) -> bool:
        if member.late:
            return epoch_in(self._folders[0]) >= LATE_FROM_EPOCH
        return number == 0 or self._meeting_point.exists()

    def _settled_at(self) -> int | None:
        """The first of the points that all honest members have reached with each other in their rounds.

        Where parameters are averaged and nobody lies, it is the first at which they agree, if there is one in some
        epochs: what a round may move a member is bounded (see `StateAnswers`), so who has missed steps comes back in
        several. Who steps alone and ends an epoch late may also have averaged in it with the next one of another. So it
        is with local SGD, liars or not: who has taken as many outer steps in another group, or with a bent average,
        has other base weights until it has got the right ones.
        """
        saved = [{int(path.stem) for path in each.glob("[0-9]*.parameters")} for each in self._honest]
        whole = sorted(filter(self._was_whole, set.intersection(*saved)))
        together = self.row.members[0].manifest.collaboration
        are_all_honest = len(self._honest) == len(self._folders)
        if not whole or not (together.mode == "local-sgd" or are_all_honest):
            return min(whole, default=None)
        agreed = next((point for point in whole if self._distance(point) <= self._most_apart(point)), None)
        return whole[0] if agreed is None and whole[-1] >= whole[0] + MORE_EPOCHS else agreed

    def _was_whole(self, point: int) -> bool:
        """Whether all have averaged some times with each other by then, and parameters at that very point."""
        return all(self._averaged_at(point, folder) for folder in self._honest)

    def _averaged_at(self, epoch: int, folder: Path) -> bool:
        """With averaged gradients, parameters that agreed an epoch ago still do; local updates part them again.

        So do gradients in 8 bits, of which each peer has other roundings. Local SGD never averages parameters: whoever
        has taken a number of outer steps has taken those of the others.
        """
        together = self.row.members[0].manifest.collaboration
        parts = together.use_local_updates or "8bit" in together.grad_compression
        epochs = (epoch,) if parts else (epoch - 1, epoch)
        whole = [each for each in events_in(folder, RoundFinished) if each.peers >= len(self._honest)]
        if together.mode == "local-sgd":
            return len(whole) >= MIN_ROUNDS
        rounds = [each for each in whole if each.epoch <= epoch]
        if self.row.gradient_epochs:
            kinds = [(each.kind, each.epoch) for each in rounds]
            latest = range(epoch - self.row.gradient_epochs, epoch)
            return all(("gradients", each) in kinds for each in latest) and not any(
                kind == "state" and each in (*latest, epoch) for kind, each in kinds
            )
        was_state = any(each.kind == "state" and each.epoch in epochs for each in rounds)
        return was_state and len(rounds) >= MIN_ROUNDS

    def _failures(self) -> tuple[str, ...]:
        """Of the honest members: a liar may lose the others."""
        told = [(folder.name, each) for folder in self._honest for each in events_in(folder, Failed)]
        return tuple(f"member {number}: {each.problem}: {each.detail}" for number, each in told)

    def _end(self) -> Outcome:
        costs = self._costs()
        for pid in self._pids.values():
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        point = self._settled_at()
        logs = [(folder / "log").read_text() for folder in self._folders]
        outcome = Outcome(
            row=self.row.name,
            losses=[[each.loss or 0.0 for each in events_in(folder, Evaluated)] for folder in self._folders],
            epochs=[epoch_in(folder) for folder in self._folders],
            rounds=[list(map(summary, events_in(folder, RoundFinished))) for folder in self._folders],
            caught_up=[sum(map(int, CAUGHT_UP.findall(log))) for log in logs],
            kept=[sum(each.kept for each in events_in(folder, CaughtUp)) for folder in self._folders],
            downloads=[len(DOWNLOADED.findall(log)) for log in logs],
            parts_fetched=[[(int(of), int(of) - int(here)) for of, here in PARTS.findall(log)] for log in logs],
            repaired=[max(map(int, REPAIRED.findall(log)), default=0) for log in logs],
            outliers=[self._outliers(folder) for folder in self._folders],
            named_after=[self._named_after(folder) for folder in self._folders],
            steps=[
                max((each.steps or 0 for each in events_in(folder, Progress)), default=0) for folder in self._folders
            ],
            counted=[
                sum(each.ok and each.counted for each in events_in(folder, RoundFinished)) for folder in self._folders
            ],
            whole=[self._whole(folder) for folder in self._folders],
            stalled=[
                max(map(attrgetter("stalled_seconds"), self._after_start(folder, Progress)), default=0.0)
                for folder in self._folders
            ],
            trials=list(map(self._trials, logs)),
            least_shares=[
                min((each.counted_share for each in events_in(folder, RoundFinished)), default=1.0)
                for folder in self._folders
            ],
            round_bytes=max(map(encoded_bytes, self._folders[0].rglob("*.round")), default=0),
            costs=costs,
            round_seconds=[
                [each.seconds for each in self._after_start(folder, RoundFinished) if each.ok and each.kind != "state"]
                for folder in self._folders
            ],
            torch=[(folder / "torch").read_text() for folder in self._folders if (folder / "torch").exists()],
            failures=list(self._failures()),
            seconds=round(time.monotonic() - self._began, 1),
        )
        return outcome if point is None else msgspec.structs.replace(outcome, **self._comparison(point))

    def _whole(self, folder: Path) -> float:
        """The share of that member's rounds in which all honest ones were."""
        rounds = [
            each.peers >= len(self._honest) for each in self._after_start(folder, RoundFinished) if each.kind != "state"
        ]
        return sum(rounds) / len(rounds) if rounds else 0.0

    def _after_start(self, folder: Path, kind: type[_Dated]) -> list[_Dated]:
        """What that member has told since all had arrived."""
        return [each for each in events_in(folder, kind) if each.epoch >= self.row.counted_from]

    def _ids(self) -> list[str]:
        """The members' peer ids."""
        return [Identity.load_or_create(each / "identity.key").peer_id for each in self._folders]

    def _outliers(self, folder: Path) -> list[int]:
        """The members that the one with that folder has named, or heard to be found out."""
        named = {peer for event in events_in(folder, RoundFinished) for peer in event.outliers}
        heard = (suspect for event in events_in(folder, SuspectsSeen) for suspect in event.suspects)
        return sorted(map(self._ids().index, named | {each.peer_id for each in heard if each.found_out}))

    def _named_after(self, folder: Path) -> list[int | None]:
        """Of each liar, in which of its exchanges with liars since the first lie that member has named it first.

        A liar that is late, or stands still, misses some; in one with more than all honest members there is a liar.
        """
        lies_from = {
            peer: member.lies_from
            for peer, member in zip(self._ids(), self.row.members, strict=True)
            if member.lies_from is not None
        }
        since = min(lies_from.values(), default=0)
        told = [each for each in events_in(folder, RoundFinished) if each.kind != "state" and each.peers > 1]
        rounds = [each for each in told if each.epoch >= since]
        named = [next((at for at, each in enumerate(rounds) if liar in each.outliers), None) for liar in lies_from]
        with_liars = [each.peers > len(self._honest) for each in rounds]
        return [None if at is None else 1 + sum(with_liars[:at]) for at in named]

    def _trials(self, log: str) -> list[list[float]]:
        """By which shares the held-out loss has changed along the changes of each member, as that log says."""
        found = TRIED.findall(log)
        return [[float(share) for peer, share in found if peer == each] for each in self._ids()]

    def _comparison(self, point: int) -> dict[str, Any]:
        """How the members' parameters compare at that point."""
        return {
            "distance": self._distance(point),
            "moved": self._moved(point),
            "shared_numbers": saved_parameters(self._honest[0], str(point)).numel(),
        }

    def _moved(self, point: int) -> list[float]:
        """By how much the averaging there has moved each honest member, as a share of the way that they have come."""
        travelled = self._travelled(point)
        return [float((folder / f"{point}.moved").read_text()) / travelled for folder in self._honest]

    def _most_apart(self, point: int) -> float:
        """How far members may be apart there: by less than the averaging has moved those who step alone."""
        together = self.row.members[0].manifest.collaboration
        if not together.use_local_updates:
            return AGREED if together.mode == "gradients" else 0.0
        moved = self._moved(point)
        return max(AGREED, sum(moved) / len(moved))

    def _travelled(self, point: int) -> float:
        """How far the first honest member has come by then."""
        first = self._honest[0]
        return float((saved_parameters(first, str(point)) - saved_parameters(first, "untrained")).norm())

    def _distance(self, point: int) -> float:
        """How far the honest members are apart there at the most, as a share of the way that they have come."""
        if point not in self._distances:
            ended = [saved_parameters(folder, str(point)) for folder in self._honest]
            apart = (float((one - other).norm()) for one, other in itertools.combinations(ended, 2))
            self._distances[point] = max(apart, default=0.0) / self._travelled(point)
        return self._distances[point]


def saved_parameters(folder: Path, name: str) -> Tensor:
    """What a member has saved under that name."""
    parameters: Tensor = torch.load(folder / f"{name}.parameters")
    return parameters


def with_keepers(row: Row, ids: Sequence[str]) -> Row:
    """That row, whose run names those members as keepers."""
    keepers = tuple(ids[number] for number in row.keepers)

    def told(manifest: RunManifest) -> RunManifest:
        return msgspec.structs.replace(manifest, run=msgspec.structs.replace(manifest.run, keepers=keepers))

    members = tuple(msgspec.structs.replace(each, manifest=told(each.manifest)) for each in row.members)
    return msgspec.structs.replace(row, members=members)


def epoch_in(folder: Path) -> int:
    """The member's epoch."""
    path = folder / "epoch"
    return int(path.read_text()) if path.exists() else 0


def summary(event: RoundFinished) -> str:
    """A round in some words."""
    return f"{event.kind} {event.epoch}: {event.peers} peers, {event.seconds} s {event.reason.sentence}".strip()


def encoded_bytes(path: Path) -> int:
    """Of the average of a round in that file of a round log."""
    return sum(part.numel() for part in load_file(path).values())


def fork(target: Callable[[], NoReturn]) -> int:
    """The process id of a copy of this process that does that and nothing else."""
    return os.fork() or target()


def main() -> None:
    """Let all rows train, or be one member."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(process)d %(name)s: %(message)s")
    process_tree.setup_fork_handling()
    torch.set_num_threads(1)
    folder, *side_by_side = sys.argv[1:]
    if not side_by_side:
        Life.in_folder(Path(folder)).live()
    with lock_temp_folder() as scratch:
        tempfile.tempdir = os.environ["TMPDIR"] = str(scratch.path)
        train(Path(folder), int(side_by_side[0]))
        remove_temp_folder(scratch.path)


def train(folder: Path, side_by_side: int) -> None:
    """Let the rows in that folder train, so many at a time, and print what came of each."""
    waiting = msgspec.json.decode((folder / "rows.json").read_bytes(), type=list[Row])
    under_way: list[Training] = []
    while waiting or under_way:
        while waiting and len(under_way) < side_by_side:
            row = waiting.pop(0)
            under_way.append(Training(row, folder / row.name))
        for training in tuple(under_way):
            if (outcome := training.poll()) is not None:
                print(msgspec.json.encode(outcome).decode(), flush=True)
                under_way.remove(training)
        time.sleep(POLL_SECONDS)


if __name__ == "__main__":
    main()
