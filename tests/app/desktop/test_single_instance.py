"""One window per person: real processes, real sockets."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.desktop.launch_request import LaunchRequest, encode
from app.desktop.single_instance import SingleInstance
from core.control.client import send_command
from core.control.messages import ControlCommand, ControlReply
from core.control.messages import encode as encode_command
from core.errors import ErrorKind, UserError

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


COMMAND = ControlCommand(action="pause", seconds=60.0)
REPLY = ControlReply(is_done=True, phase="leaving", sentence="Pausing…", run="sums")


def answered(qtbot: QtBot, place: Path, command: ControlCommand) -> ControlReply | UserError:
    """What a terminal's command at that place gets, while the window's loop goes on."""
    got: list[ControlReply | UserError] = []

    def ask() -> None:
        try:
            got.append(send_command(command, place, 20.0))
        except UserError as error:
            got.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    qtbot.waitUntil(lambda: bool(got), timeout=30_000)
    asking.join()
    return got[0]


@pytest.fixture
def listening(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SingleInstance]:
    """A window that listens where `send_command` looks for that of the home ``place``."""
    monkeypatch.setattr("core.control.client.meeting_place", lambda home: home)
    first = SingleInstance(place)
    assert first.is_first()
    assert first.listen()
    yield first
    first.close()


def test_a_command_is_answered(qtbot: QtBot, listening: SingleInstance, place: Path) -> None:
    heard: list[ControlCommand] = []
    listening.on_command = lambda command: heard.append(command) or REPLY  # type: ignore[func-returns-value]
    assert answered(qtbot, place, COMMAND) == REPLY
    assert heard == [COMMAND]


def test_a_window_that_is_just_starting_answers_no_command(
    qtbot: QtBot, listening: SingleInstance, place: Path
) -> None:
    error = answered(qtbot, place, COMMAND)
    assert isinstance(error, UserError) and error.problem is ErrorKind.NO_ANSWER


def test_without_a_window_a_command_says_so(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.control.client.meeting_place", lambda home: home)
    with pytest.raises(UserError) as caught:
        send_command(COMMAND, place)
    assert caught.value.problem is ErrorKind.NOT_RUNNING


def test_the_socket_of_a_killed_window_is_no_window(
    owner: subprocess.Popen[str], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.control.client.meeting_place", lambda home: home)
    owner.kill()
    owner.wait()
    assert place.with_suffix(".sock").exists()
    with pytest.raises(UserError) as caught:
        send_command(COMMAND, place)
    assert caught.value.problem is ErrorKind.NOT_RUNNING


def test_a_window_that_hangs_is_reported(
    owner: subprocess.Popen[str], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.control.client.meeting_place", lambda home: home)
    owner.send_signal(signal.SIGSTOP)
    with pytest.raises(UserError) as caught:
        send_command(COMMAND, place, 0.3)
    assert caught.value.problem is ErrorKind.NO_ANSWER


STRANGER = """
import os, socket, sys
os.setgid(65534)
os.setuid(65534)
with socket.socket(socket.AF_UNIX) as connection:
    connection.settimeout(20)
    connection.connect(sys.argv[1])
    try:
        connection.sendall(sys.argv[2].encode() + b"\\n")
        print(connection.recv(100))
    except (BrokenPipeError, ConnectionResetError):
        print(b"")
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another person")
def test_another_persons_command_is_not_heard(qtbot: QtBot) -> None:
    heard: list[ControlCommand] = []
    with tempfile.TemporaryDirectory() as folder:
        first = SingleInstance(Path(folder) / "workerbee")
        assert first.is_first() and first.listen()
        first.on_command = lambda command: heard.append(command) or REPLY  # type: ignore[func-returns-value]
        path = Path(folder) / "workerbee.sock"
        Path(folder).chmod(0o755)
        path.chmod(0o666)  # as if the rights of the folder and of the socket did not hold
        words = [sys.executable, "-c", STRANGER, str(path), encode_command(COMMAND).decode().strip()]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as stranger:
            qtbot.waitUntil(lambda: stranger.poll() is not None, timeout=30_000)
            assert stranger.stdout is not None and stranger.stdout.read() == "b''\n"
        first.close()
    assert heard == []
