"""One window per person: real processes, real sockets."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.desktop.launch_request import LaunchRequest, encode
from app.desktop.single_instance import SingleInstance, meeting_place

LINK = LaunchRequest(link="workerbee://join?peer=x")
OWNER = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.desktop.single_instance import SingleInstance
application = QCoreApplication(sys.argv)
instance = SingleInstance(Path(sys.argv[1]))
assert instance.is_first()
assert instance.listen()
print("ready", flush=True)
application.exec()
"""
DELIVERER = """
import sys
from pathlib import Path
from app.desktop.launch_request import LaunchRequest
from app.desktop.single_instance import SingleInstance
instance = SingleInstance(Path(sys.argv[1]))
assert not instance.is_first()
print(instance.deliver(LaunchRequest(link="workerbee://join?peer=x")), flush=True)
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where they meet."""
    return tmp_path / "workerbee"


@pytest.fixture
def owner(place: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that owns the place and listens."""
    process = subprocess.Popen([sys.executable, "-c", OWNER, str(place)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process:
        assert process.stdout.readline() == "ready\n"
        yield process
        process.kill()


def test_the_second_one_delivers_to_the_first(qtbot: QtBot, place: Path) -> None:
    first = SingleInstance(place)
    assert first.is_first()
    assert first.listen()
    with qtbot.waitSignal(first.handed_over, timeout=20_000) as caught:
        second = subprocess.Popen([sys.executable, "-c", DELIVERER, str(place)], stdout=subprocess.PIPE, text=True)
    assert caught.args == [LINK]
    assert second.communicate(timeout=20)[0] == "delivered\n"
    first.close()


def test_the_place_is_free_after_the_first_has_closed(place: Path) -> None:
    first, second = SingleInstance(place), SingleInstance(place)
    assert first.is_first()
    assert not second.is_first()
    assert second.owner_pid == os.getpid()
    first.close()
    assert second.is_first()


def test_a_killed_owner_leaves_nothing_in_the_way(owner: subprocess.Popen[str], place: Path) -> None:
    second = SingleInstance(place)
    assert not second.is_first()
    owner.kill()
    owner.wait()
    assert place.with_suffix(".sock").exists()
    assert second.is_first()
    assert second.listen()
    second.close()


def test_a_hung_owner_is_reported_and_not_taken_over(owner: subprocess.Popen[str], place: Path) -> None:
    second = SingleInstance(place)
    owner.send_signal(signal.SIGSTOP)
    assert second.deliver(LINK, patience_seconds=0.3) == "no_answer"
    assert not second.is_first()
    assert second.owner_pid == owner.pid


@pytest.mark.parametrize("nonsense", [b"GET / HTTP/1.1\r\n\r\n", b"{}" * 200_000, b'{"link": 1}\n'])
def test_nonsense_is_hung_up_on(qtbot: QtBot, place: Path, nonsense: bytes) -> None:
    first = SingleInstance(place)
    assert first.is_first()
    assert first.listen()
    heard: list[LaunchRequest] = []
    first.handed_over.connect(heard.append)
    with socket.socket(socket.AF_UNIX) as stranger, socket.socket(socket.AF_UNIX) as friend:
        stranger.connect(str(place.with_suffix(".sock")))
        stranger.setblocking(False)
        stranger.send(nonsense)
        friend.connect(str(place.with_suffix(".sock")))
        friend.send(encode(LINK))
        qtbot.waitUntil(lambda: heard == [LINK])
    first.close()


def test_the_place_is_in_the_sessions_folder_and_another_home_has_another(tmp_path: Path) -> None:
    here = meeting_place(tmp_path / "home")
    assert here.parent == Path(os.environ["XDG_RUNTIME_DIR"]) or here.parent.stat().st_uid == os.getuid()
    assert here != meeting_place(tmp_path / "another")
    assert len(str(here.with_suffix(".sock"))) < 100
