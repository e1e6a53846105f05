"""GPT-2 small, in its real shape, by local SGD: two volunteers on lines of 50 Mbit/s, and a keeper on a fast one.

The kernel limits the lines, without a delay: a line in user space would want the cores that the volunteers compute on.
"""

from __future__ import annotations

import contextlib
import hashlib
import statistics
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import msgspec

from core.protocol.events import Evaluated, Progress, RoundFinished
from core.run.manifest import RunManifest, SchedulerSpec
from core.run.requirements import estimate_requirements
from core.run.run_file import load_run_file
from core.run.spec.data import FileAt, TextFiles
from core.run.spec.optimizer import AdamW
from core.run.spec.recipe import CausalLM
from tests.bench.local_sgd.recorded_peers import RecordedPeer, RecordedPeers
from tests.bench.local_sgd.root_counts import root_counts_of
from tests.bench.peers.home_lines import is_whole
from tests.bench.setup import Ground, NotMeasured, told_as_not_measured
from tests.support.checkout import ROOT
from tests.support.environment.network_namespaces import Host, internet, why_not
from tests.support.environment.slow_link import Line

HOME = Line(delay_seconds=0.0, lost_share=0.0, bits_per_second=50e6)
NO_LIMIT = 1e9  # samples a second
ROUND_SECONDS = 120.0
LIMIT_SECONDS = 900.0
LOOK_SECONDS = 0.5
BUSY_SHARE = 0.05  # of a line, from which on an exchange is under way
MAX_GAP_SECONDS = 3.0
TEXT_BYTES = 2_000_000
PORT = 80


@dataclass(frozen=True)
class Exchange:
    """One volunteer's exchange of one round: from the first bytes to the average."""

    seconds: float
    bytes_each_way: int
    """Of the way on which more were sent."""

    @property
    def times_longer(self) -> float:
        """Than the line takes for these bytes."""
        return self.seconds / (self.bytes_each_way * 8 / HOME.bits_per_second)


@dataclass(frozen=True)
class Gpt2:
    """What came of so many rounds."""

    parameters: int
    exchanges: tuple[Exchange, ...]
    rounds: int
    whole_rounds: int
    is_equal: bool
    losses: tuple[float, float]
    """Of held-out text, at the beginning and at the end."""
    stall_seconds: float

    @property
    def worst(self) -> float:
        """The longest exchange, in times what the line takes."""
        return max(each.times_longer for each in self.exchanges)

    @property
    def usual(self) -> float:
        """The median of all."""
        return statistics.median(each.times_longer for each in self.exchanges)


def measure_gpt2(ground: Ground, rounds: int) -> Gpt2:
    """So many rounds of both volunteers."""
    if reason := why_not():
        raise NotMeasured(reason)
    folder = ground.folder / "gpt2"
    with told_as_not_measured(), contextlib.closing(RecordedPeers(folder)) as group, internet() as net:
        group.pace = NO_LIMIT
        keeper = net.host()
        manifest = gpt2_run(keeper.address, _write_text(folder / "text"))
        with _serving(keeper, folder / "text"):
            organiser = group.at(keeper).organiser(manifest=manifest, train=False)
            homes = [net.host(line=HOME) for _ in range(2)]
            for home, name in zip(homes, ("one", "other"), strict=True):
                group.at(home).newcomer(organiser.posted, name, "client")
            with _looked_at(homes) as lines:
                return _watched(group.started, lines, rounds, manifest)


def gpt2_run(server: str, text: Path) -> RunManifest:
    """The example with blocks of 64 bytes of that text, and rounds that end by the clock, as a CPU makes few steps."""
    run = load_run_file(ROOT / "examples" / "home-gpt2-small.toml")
    assert isinstance(run.recipe, CausalLM)
    content = text.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    file = FileAt(url=f"http://{server}:{PORT}/{text.name}", sha256=digest, size_bytes=len(content))
    clock = {"target_batch_size": 1_000_000, "batch_size_per_step": 4, "max_round_seconds": ROUND_SECONDS}
    return msgspec.structs.replace(
        run,
        recipe=msgspec.structs.replace(run.recipe, sequence_length=64),
        data=TextFiles(files=(file,), format="text", held_out_one_in=64),
        optimizer=AdamW(learning_rate=6e-4, weight_decay=0.1),
        scheduler=SchedulerSpec(),
        collaboration=msgspec.structs.replace(run.collaboration, **clock),
    )


def _write_text(folder: Path) -> Path:
    """Some of Python's own library."""
    folder.mkdir(parents=True)
    library = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    text = b"\n\n".join(each.read_bytes() for each in library)[:TEXT_BYTES]
    (folder / "library.txt").write_bytes(text.decode(errors="ignore").encode())
    return folder / "library.txt"


@contextlib.contextmanager
def _serving(host: Host, folder: Path) -> Iterator[None]:
    command = [*host.within, sys.executable, "-m", "http.server", str(PORT), "--directory", str(folder)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet) as server:
        try:
            yield
        finally:
            server.kill()


class LineUse:
    """What one computer has sent and received by its network device, as looked at again and again."""

    def __init__(self) -> None:
        self._looks: list[tuple[float, int, int]] = []

    def note(self, at: float, sent: int, received: int) -> None:
        """So many bytes in all by then, in seconds on the monotonic clock."""
        self._looks.append((at, sent, received))

    def exchange_before(self, end: float) -> Exchange | None:
        """The last stretch before ``end`` in which the line was busy, gaps of `MAX_GAP_SECONDS` aside."""
        looks = [look for look in self._looks if look[0] <= end + LOOK_SECONDS]
        least = BUSY_SHARE * HOME.bits_per_second / 8
        busy = [
            (before, after)
            for before, after in pairwise(looks)
            if max(after[1] - before[1], after[2] - before[2]) > least * (after[0] - before[0])
        ]
        if not busy:
            return None
        first, last = busy[-1]
        for before, after in reversed(busy):
            if first[0] - after[0] > MAX_GAP_SECONDS:
                break
            first = before
        return Exchange(end - first[0], max(last[1] - first[1], last[2] - first[2]))


@contextlib.contextmanager
def _looked_at(hosts: Sequence[Host]) -> Iterator[list[LineUse]]:
    """The use of each host's line, twice a second until the block ends."""
    paths = [f"/sys/class/net/eth0/statistics/{way}_bytes" for way in ("tx", "rx")]
    uses, end = [LineUse() for _ in hosts], threading.Event()

    def look() -> None:
        while not end.wait(LOOK_SECONDS):
            for host, use in zip(hosts, uses, strict=True):
                sent, received = map(int, host.run("cat", *paths).split())
                use.note(time.monotonic(), sent, received)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield uses
    finally:
        end.set()
        thread.join()


def _watched(peers: Sequence[RecordedPeer], lines: Sequence[LineUse], rounds: int, manifest: RunManifest) -> Gpt2:
    volunteers = peers[1:]
    for each in volunteers:
        each.agree()
    ended = [_rounds(each, rounds) for each in volunteers]
    found = [line.exchange_before(at) for line, its in zip(lines, ended, strict=True) for at, _ in its]
    said = [event for each in volunteers for event in each.said]
    told = [event for each in peers for event in each.said if isinstance(event, Evaluated) and event.loss is not None]
    losses = [event.loss or 0.0 for event in sorted(told, key=lambda event: event.epoch)]
    finished = [event for its in ended for _, event in its]
    counts = root_counts_of(peers)
    return Gpt2(
        parameters=estimate_requirements(manifest).trained_parameters,
        exchanges=tuple(each for each in found if each is not None),
        rounds=len(finished),
        whole_rounds=sum(map(is_whole, finished)),
        is_equal=counts.unrepaired == counts.repaired == counts.astray == 0,
        losses=(losses[0], losses[-1]),
        stall_seconds=max(event.stalled_seconds for event in said if isinstance(event, Progress)),
    )


def _rounds(peer: RecordedPeer, number: int) -> list[tuple[float, RoundFinished]]:
    """The first rounds, so many, and when each was over, on the monotonic clock; waits for them."""
    since = 0
    for _ in range(number):
        ended = peer.wait_for(RoundFinished, since=since, seconds=LIMIT_SECONDS)
        since = peer.said.index(ended, since) + 1
    heard = list(zip(peer.heard_at, peer.said, strict=False))[:since]
    return [(at, event) for at, event in heard if isinstance(event, RoundFinished)]
