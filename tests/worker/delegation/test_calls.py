"""Requests to another process are bounded, and one that is too long is answered in words."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from core.worker.delegation.calls import Caller, ask, serve_caller

MAX_BYTES = 3 << 20


class Repeat(msgspec.Struct, tag=True, frozen=True):
    """Say how long the text is."""

    text: str


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    """The socket of a process, here a thread, that answers one request of ``MAX_BYTES`` at the most."""

    def perform(request: Repeat, _caller: Caller) -> Iterator[object]:
        yield len(request.text)

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(tmp_path / "other.sock"))
        listener.listen()
        run = threading.Thread(target=lambda: serve_caller(listener.accept()[0], Repeat, perform, MAX_BYTES))
        run.start()
        yield tmp_path / "other.sock"
        run.join(60)


def test_a_request_may_be_as_long_as_that_process_says(path: Path) -> None:
    size = MAX_BYTES - 100
    assert list(ask(path, Repeat("a" * size), int)) == [size]


@pytest.mark.parametrize("size", [MAX_BYTES, 4 * MAX_BYTES])
def test_a_longer_one_is_refused_in_words(path: Path, size: int) -> None:
    with pytest.raises(ValueError, match="bytes at once are too many"):
        list(ask(path, Repeat("a" * size), int))
