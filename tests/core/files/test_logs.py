"""Logs tell enough and never fill a disk."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.files.logs import KEPT_LOGS, MAX_LOG_BYTES, keep_small, open_worker_log, set_up_logging, worker_log


@pytest.fixture
def restored_logging() -> Iterator[None]:
    root = logging.getLogger()
    level, raises = root.level, logging.raiseExceptions
    yield
    for handler in [handler for handler in root.handlers if handler.get_name() == "workerbee"]:
        root.removeHandler(handler)
        handler.close()
    root.setLevel(level)
    logging.raiseExceptions = raises


@pytest.mark.usefixtures("restored_logging")
def test_the_client_log_has_what_was_logged_and_nothing_goes_to_the_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = set_up_logging(tmp_path)
    set_up_logging(tmp_path)
    logging.getLogger("core.test").warning("a strange\ud800 thing")
    [line] = path.read_text().splitlines()
    assert "WARN" in line  # hivemind, once imported, has shorter names
    assert "core.test: a strange\\ud800 thing" in line
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("restored_logging")
def test_the_client_log_is_bounded(tmp_path: Path) -> None:
    set_up_logging(tmp_path)
    for _ in range(60):
        logging.getLogger("core.test").warning("x" * 100_000)
    files = sorted(tmp_path.iterdir())
    assert len(files) == KEPT_LOGS + 1
    assert all(file.stat().st_size <= MAX_LOG_BYTES for file in files)


def test_a_worker_writes_its_stderr_into_the_log_after_what_is_there(tmp_path: Path) -> None:
    for word in ("first", "second"):
        with open_worker_log(tmp_path) as log:
            command = [sys.executable, "-c", f"import sys; print('{word}', file=sys.stderr)"]
            subprocess.run(command, stderr=log, check=True)
    assert worker_log(tmp_path).read_text() == "first\nsecond\n"


def test_a_full_log_is_rotated_while_a_worker_writes_and_the_last_three_stay(tmp_path: Path) -> None:
    path = worker_log(tmp_path)
    with open_worker_log(tmp_path) as log:
        for round_number in range(5):
            log.write(b"x" * MAX_LOG_BYTES + b"end of %d" % round_number)
            keep_small(path)
        log.write(b"goes on")
    assert path.read_bytes() == b"goes on"
    ends = [path.with_name(f"worker.log.{number}").read_bytes()[-1:] for number in (1, 2, 3)]
    assert ends == [b"4", b"3", b"2"]
    assert len(list(tmp_path.iterdir())) == 4
    assert path.with_name("worker.log.1").stat().st_size == MAX_LOG_BYTES
