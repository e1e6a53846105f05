"""What other programs compute on an AMD or Intel GPU: real processes, and a stand-in of what the kernel tells of them.

`drm_tree` says what each of its files stands for. Time is the test's own, as the kernel's counters are.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.observers.drm_clients import MOST_CLIENTS, ROUND_LOOKS, DrmFiles, EngineTime, parse_client
from core.observers.drm_uses import DrmUses
from tests.core.observers.drm_tree import ARC, RADEON, SECOND, UHD, DrmTree, amdgpu, i915, xe
from tests.support.answering_script import AnsweringScript

_CLOCK = """
import json, sys, time
from dataclasses import astuple, replace
from pathlib import Path
from types import SimpleNamespace
from core.observers import drm_uses, gpu_use_duration
seconds, root = 0.0, Path({root!r})
drm_uses.time = gpu_use_duration.time = SimpleNamespace(monotonic=lambda: seconds, time=time.time)
"""
_LOOK_AT_EVERY_LINE = """
uses = drm_uses.DrmUses(root)
for line in sys.stdin:
    passed, gpus, limit = json.loads(line)
    seconds += passed
    found = uses.look(frozenset(gpus), limit)
    print(json.dumps(None if found is None else [astuple(use) for use in found]), flush=True)
"""
_DECIDE_AT_EVERY_LINE = """
from core.availability.rules import AvailabilityRules
from core.client.availability_guard import AvailabilityGuard
from core.observers.gpu import GpuObserver
rules, posted = AvailabilityRules(gpu_share=0.2), []
observer = GpuObserver(frozenset(json.loads(sys.stdin.readline())), root)
guard = AvailabilityGuard(lambda: rules, lambda: replace(observer.observe(rules), monotonic=seconds), posted.append)
for line in sys.stdin:
    seconds += json.loads(line)
    guard.check()
    reason = posted[-1].decision.reason if posted else None
    print(json.dumps(reason and [reason.rule, reason.subject, reason.is_over]), flush=True)
"""


class Looker(AnsweringScript):
    """A process that looks at a made-up system whenever it is asked; it stands for the client."""

    def __init__(self, tree: DrmTree, *gpus: str) -> None:
        super().__init__(_CLOCK.format(root=str(tree.root)) + _LOOK_AT_EVERY_LINE, dict(os.environ))
        self.gpus, self.pid = gpus, self.process.pid

    def look(self, passed: float = 2.0, limit: float | None = None) -> Any:
        """The uses that it sees after that time, each as [program, share]; with a limit also for how long."""
        found = self.ask(json.dumps([passed, self.gpus, limit]))
        assert found is None or {use[0] for use in found} <= set(self.gpus)
        return found and [[use[1], pytest.approx(use[2]), *use[3 if limit else 4 :]] for use in found]


@contextmanager
def looking(tree: DrmTree, *gpus: str) -> Iterator[Looker]:
    """A looker that has looked once."""
    looker = Looker(tree, *gpus)
    try:
        assert looker.look() == []
        yield looker
    finally:
        looker.end()


@pytest.fixture
def other() -> Iterator[int]:
    """A program that the client has not started."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as process:
        yield process.pid
        assert process.stdin
        process.stdin.close()


def test_another_programs_share_of_an_amd_gpu_is_seen_and_our_own_is_not(tmp_path: Path, other: int) -> None:
    tree = DrmTree(tmp_path, RADEON)
    tree.opens(other, RADEON, amdgpu(gfx=10 * SECOND))
    with looking(tree, RADEON) as looker:
        tree.opens(looker.pid, RADEON, amdgpu(number=8, compute=1 * SECOND))
        assert looker.look() == [], "nothing was computed since"
        tree.opens(other, RADEON, amdgpu(gfx=11 * SECOND, dec=90 * SECOND))
        tree.opens(looker.pid, RADEON, amdgpu(number=8, compute=3 * SECOND))
        assert looker.look() == [["cat", 0.5]], "a film's decoder is not what NVIDIA's driver would count, either"
        tree.opens(other, RADEON, amdgpu(gfx=11 * SECOND, compute=3 * SECOND))
        assert looker.look() == [["cat", 1.0]], "amdgpu names no engine before it is used, and no share is more than 1"


def test_i915_tells_nanoseconds_of_rendering(tmp_path: Path, other: int) -> None:
    tree = DrmTree(tmp_path, UHD)
    tree.opens(other, UHD, i915(render=346249))
    with looking(tree, UHD) as looker:
        tree.opens(other, UHD, i915(render=346249 + SECOND // 2, copy=2 * SECOND, video=4 * SECOND))
        assert looker.look() == [["cat", 0.25]]


def test_xe_tells_cycles_of_which_several_engines_have_their_own(tmp_path: Path, other: int) -> None:
    tree = DrmTree(tmp_path, ARC)
    tree.opens(other, ARC, xe(7_655_183_225, rcs=28_257_900))
    with looking(tree, ARC) as looker:
        tree.opens(other, ARC, xe(7_655_183_225 + 1000, rcs=28_257_900 + 300, ccs=2000))
        assert looker.look(passed=77) == [["cat", 0.5]], "four compute engines, two of them busy all the time"
        tree.opens(other, ARC, xe(100, rcs=28_258_300, ccs=2000))
        assert looker.look() == [], "a clock that began anew tells nothing yet"
        tree.opens(other, ARC, xe(1100, rcs=28_258_700, ccs=2000))
        assert looker.look() == [["cat", 0.4]]


def test_a_client_counts_once_whoever_shares_it_and_several_clients_of_a_program_count_together(
    tmp_path: Path, other: int
) -> None:
    tree = DrmTree(tmp_path, RADEON)
    for busy in (0, SECOND // 2):
        for number in (5, 6):
            tree.opens(other, RADEON, amdgpu(gfx=busy), number)
        tree.opens(other, RADEON, amdgpu(number=9, gfx=busy), 7)
        if not busy:
            looker = Looker(tree, RADEON)
            looker.look()
    assert looker.look() == [["cat", 0.5]]
    with subprocess.Popen(["head"], stdin=subprocess.PIPE) as sharing:  # Popen closes its stdin, which ends it
        for pid, number in ((other, 5), (other, 6), (sharing.pid, 5)):
            tree.opens(pid, RADEON, amdgpu(gfx=SECOND), number)
        assert looker.look() == [["cat" if other < sharing.pid else "head", 0.25]]
    tree.opens(looker.pid, RADEON, amdgpu(gfx=SECOND))
    for number in (5, 6):
        tree.opens(other, RADEON, amdgpu(gfx=SECOND), number)
    assert looker.look() == [], "what we share is ours"
    looker.end()


def test_only_the_gpus_that_train_count(tmp_path: Path, other: int) -> None:
    tree = DrmTree(tmp_path, RADEON, UHD)
    tree.opens(other, UHD, i915())
    with looking(tree, RADEON) as looker:
        tree.opens(other, UHD, i915(render=2 * SECOND))
        assert looker.look() == []


def test_a_counter_that_goes_back_is_no_use_and_neither_is_its_way_to_where_it_was(tmp_path: Path, other: int) -> None:
    tree = DrmTree(tmp_path, RADEON)
    tree.opens(other, RADEON, amdgpu(gfx=10 * SECOND))
    with looking(tree, RADEON) as looker:
        tree.opens(other, RADEON, amdgpu(gfx=4 * SECOND))
        assert looker.look() == []
        tree.opens(other, RADEON, amdgpu(gfx=11 * SECOND))
        assert looker.look() == [["cat", 0.5]]


def test_a_client_that_goes_and_one_with_its_number_that_comes_begin_anew(tmp_path: Path, other: int) -> None:
    tree = DrmTree(tmp_path, RADEON)
    tree.opens(other, RADEON, amdgpu(gfx=10 * SECOND))
    with looking(tree, RADEON) as looker:
        tree.closes(other)
        assert looker.look() == []
        tree.opens(other, RADEON, amdgpu(gfx=2 * SECOND))
        assert looker.look() == [], "what it had computed before, nobody knows when"
        tree.opens(other, RADEON, amdgpu(gfx=3 * SECOND))
        assert looker.look() == [["cat", 0.5]]
        tree.opens(other, RADEON, amdgpu(number=12, gfx=900 * SECOND))
        assert looker.look() == [], "another client, though process and file have the same numbers"


def test_a_file_number_that_is_used_for_the_gpu_later_is_found_within_some_looks(tmp_path: Path, other: int) -> None:
    tree = DrmTree(tmp_path, RADEON)
    tree.opens(other, "/dev/null", "pos:\t0\n")
    with looking(tree, RADEON) as looker:
        for _ in range(ROUND_LOOKS + 1):
            assert looker.look() == []  # until the process is new no more
        for look in range(ROUND_LOOKS + 1):
            tree.opens(other, RADEON, amdgpu(gfx=look * SECOND))
            found = looker.look()
        assert found == [["cat", 0.5]]


def test_a_use_says_since_when_it_has_reached_the_limit(tmp_path: Path, other: int) -> None:
    tree = DrmTree(tmp_path, RADEON)
    tree.opens(other, RADEON, amdgpu())
    with looking(tree, RADEON) as looker:
        tree.opens(other, RADEON, amdgpu(gfx=SECOND))
        assert looker.look(limit=0.2) == [["cat", 0.5, 1.0]], "half of two seconds, since one second ago at the latest"
        tree.opens(other, RADEON, amdgpu(gfx=2 * SECOND))
        assert looker.look(limit=0.2) == [["cat", 0.5, 3.0]]
        tree.opens(other, RADEON, amdgpu(gfx=2 * SECOND + SECOND // 10))
        assert looker.look(limit=0.2) == [["cat", 0.05, None]]


def test_what_the_kernel_does_not_tell_is_not_taken_for_a_gpu_that_nobody_uses(tmp_path: Path, other: int) -> None:
    tree = DrmTree(tmp_path, UHD)
    without_driver = Looker(tree, RADEON)
    assert without_driver.look() is None, "neither processes nor a driver"
    tree.opens(other, "/dev/null", "pos:\t0\n", number=1)
    assert without_driver.look() is None
    without_driver.end()
    with looking(tree, UHD) as looker:
        old = "pos:\t0\nflags:\t02100002\n"  # before Linux 5.19; i915 names no engine of GPUs before Broadwell
        tree.opens(other, UHD, old)
        assert looker.look() is None
        tree.opens(other, UHD, i915())
        assert looker.look() == []
        tree.closes(other)
        assert looker.look() == [], "nobody has opened it"


def decisions(tree: DrmTree, *gpus: str) -> AnsweringScript:
    """A process that decides by the owner's rules as a client does that trains on these GPUs."""
    script = AnsweringScript(_CLOCK.format(root=str(tree.root)) + _DECIDE_AT_EVERY_LINE, dict(os.environ))
    script.say(json.dumps(gpus))
    return script


def test_training_yields_to_a_program_on_an_amd_gpu_after_two_seconds_and_comes_back_five_minutes_after_it(
    tmp_path: Path, other: int
) -> None:
    tree, busy = DrmTree(tmp_path, RADEON), 0.0
    on_gpu, on_cpu = decisions(tree, RADEON), decisions(tree)

    def after(seconds: float, share: float) -> Any:
        nonlocal busy
        busy += seconds * share
        tree.opens(other, RADEON, amdgpu(gfx=int(busy * SECOND)))
        assert on_cpu.ask(json.dumps(seconds)) is None, "who trains on the CPU has no use for a GPU"
        return on_gpu.ask(json.dumps(seconds))

    assert after(1, 0.9) is None
    assert after(1.7, 0.9) is None, "not yet for two seconds"
    assert after(0.7, 0.9) == ["gpu", "cat", False]
    assert after(900, 0.9) == ["gpu", "cat", False]
    assert after(2, 0.0) == ["gpu", "cat", True]
    assert after(297, 0.0) == ["gpu", "cat", True]
    assert after(4, 0.0) is None
    for script in (on_gpu, on_cpu):
        script.end()


# Hostile and odd texts


def test_the_kernels_own_texts_are_read() -> None:
    client = parse_client(amdgpu(gfx=5, compute=6, dma=7))
    assert client is not None and (client.gpu, client.number, client.driver) == (RADEON, 7, "amdgpu")
    assert client.engines == {"gfx": EngineTime(5), "compute": EngineTime(6)}
    client = parse_client(xe(900, rcs=3, ccs=4))
    assert client is not None and client.engines == {"rcs": EngineTime(3, 900), "ccs": EngineTime(4, 900, 4)}


_NUMBER = st.sampled_from(
    ["", "0", "1", "-5", "٣", "9" * 20, "9" * 21, "9" * 5000, "1e9", "7 ns", "7 Ki", "7 ns ns", "9" * 18 + " ns"]
)
_KEY = st.sampled_from(
    [
        "drm-pdev",
        "drm-client-id",
        "drm-driver",
        "drm-engine-",
        "drm-",
        ":",
        "drm-engine-gfx",
        "drm-engine-capacity-gfx",
        "drm-cycles-rcs",
        "drm-total-cycles-rcs",
        "drm-engine-capacity-rcs",
    ]
)
_LINE = st.tuples(_KEY, _NUMBER | st.text(max_size=20)).map(": ".join)


@given(st.lists(st.lists(_LINE | st.text(max_size=40), max_size=12), min_size=2, max_size=4))
def test_whatever_the_text_is_nothing_raises_and_shares_stay_shares(
    tmp_path_factory: pytest.TempPathFactory, texts: list[list[str]]
) -> None:
    tree = DrmTree(tmp_path_factory.mktemp("odd"), RADEON)
    uses = DrmUses(tree.root)
    for lines in texts:
        head = ["drm-pdev: " + RADEON, "drm-client-id: 7", "drm-driver: amdgpu"]
        for text in ("\n".join(lines), "\n".join(lines + head)):
            tree.opens(1, RADEON, text.encode("utf-8", "replace").decode())
            found = uses.look(frozenset({RADEON}), 0.2)
            assert found is None or all(0 <= use.share <= 1 for use in found)


def test_a_look_is_bounded(tmp_path: Path) -> None:
    tree = DrmTree(tmp_path, RADEON)
    for number in range(MOST_CLIENTS + 5):
        tree.opens(1, RADEON, amdgpu(number=number), number)
    tree.opens(2, RADEON, "x" * 10_000 + "\n" + amdgpu())
    tree.opens(3, RADEON, amdgpu(gpu=UHD))
    opened = DrmFiles(tree.root).look(frozenset({RADEON}))
    assert opened is not None
    assert [pid for pid, _, _ in opened] == [1] * MOST_CLIENTS + [2, 3]
    assert opened[-2] == (2, RADEON, None), "what is further on in a text is not read"
    assert opened[-1] == (3, RADEON, None), "a text that names another GPU tells nothing of this one"
