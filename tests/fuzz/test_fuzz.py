"""Every parser of strangers' bytes is fed with what reached different code before, and for ten seconds with more.

The latter takes twice as long with its start: some run with every change, the others are marked `faults`.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fuzz.fuzzing import fuzz, keep_inputs, kept_inputs
from tests.fuzz.one_target import HangError, limited
from tests.fuzz.targets import targets
from tests.support.bounded_msgpack import msgpack_as_in_a_worker
from tests.support.learning.asked_rows import seldom_but

SECONDS = 10.0
ENDLESS = -1
HANG_SECONDS = 20  # by the clock, on a computer that does much else
TARGETS = targets()
OFTEN = {
    "address",
    "dataset-card",
    "matchmaking",
    "progress-record",
    "run-file",
    "signed-manifest",
    "state-file",
    "tensor-part",
}
"""What a person opens, and what strangers send most."""


@pytest.mark.parametrize("name", TARGETS)
def test_what_was_found_before_is_read_or_refused(name: str) -> None:
    kept = kept_inputs(name)
    assert kept, "python -m tests.fuzz --keep makes them"
    for data in (*TARGETS[name].seeds, *kept):
        TARGETS[name].feed(data)


@pytest.fixture(autouse=True, scope="module")
def _bounded() -> Iterator[None]:
    """As in every process of a worker; other tests of this one find hivemind's own again."""
    with msgpack_as_in_a_worker():
        yield


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("name", seldom_but(OFTEN, TARGETS))
def test_nothing_breaks_or_hangs_a_parser(name: str, tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="it is made for Linux on x86-64")
    inputs = (*TARGETS[name].seeds, *kept_inputs(name))
    found = fuzz(name, inputs, tmp_path / name, seconds=SECONDS, most=ENDLESS, hang_seconds=HANG_SECONDS)
    assert not found.defect, found.defect
    assert found.inputs > len(inputs)


def test_a_defect_is_found(tmp_path: Path) -> None:
    """A target that raises for its very first input; that of the fuzzing process is one that nobody has."""
    pytest.importorskip("atheris", reason="it is made for Linux on x86-64")
    found = fuzz("nothing of that name", [b"x"], tmp_path / "none", seconds=1.0, most=10, hang_seconds=HANG_SECONDS)
    assert "KeyError" in found.defect


def test_an_input_that_takes_too_long_is_a_defect_however_busy_the_computer_is() -> None:
    def endless(data: bytes) -> None:
        while data:
            pass

    before = signal.getsignal(signal.SIGPROF)
    try:
        feed = limited(endless, seconds=0.05)
        feed(b"")
        with pytest.raises(HangError):
            feed(b"x")
    finally:
        signal.signal(signal.SIGPROF, before)


def test_kept_inputs_are_those_that_were_kept(tmp_path: Path) -> None:
    keep_inputs("some", [b"two", b"", b"one"], tmp_path)
    assert kept_inputs("some", tmp_path) == [b"", b"one", b"two"]
    for name in TARGETS:
        inputs = kept_inputs(name)
        assert len(set(inputs)) == len(inputs)
