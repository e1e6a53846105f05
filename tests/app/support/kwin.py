"""KWin without a screen, as a person's Wayland session, and a mouse for it (protocol ``org_kde_kwin_fake_input``)."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import struct
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.support.environment.x11_desktop import wait_for

_END_SECONDS = 60.0
_DISPLAY, _REGISTRY, _FAKE_INPUT, _CALLBACK = 1, 2, 3, 4
_INTERFACE = "org_kde_kwin_fake_input"


@contextlib.contextmanager
def kwin(folder: Path) -> Iterator[Mapping[str, str]]:
    """The environment that programs in the session have.

    The program is copied, without the file capability that not every container lets it have.
    """
    program = shutil.which("kwin_wayland")
    assert program is not None
    copy = shutil.copyfile(program, folder / "kwin_wayland")
    copy.chmod(0o700)
    runtime = folder / "r"
    runtime.mkdir(mode=0o700)
    session = {"XDG_RUNTIME_DIR": str(runtime), "WAYLAND_DISPLAY": "wl-k"}
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("QT_", "WAYLAND_"))}
    environment |= {**session, "HOME": str(folder), "KWIN_COMPOSE": "Q", "KWIN_WAYLAND_NO_PERMISSION_CHECKS": "1"}
    command = ["dbus-run-session", "--", str(copy), "--virtual", "--no-lockscreen", "--socket", "wl-k"]
    with (folder / "kwin.log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
        try:
            wait_for((runtime / "wl-k").is_socket, "a Wayland socket")
            yield session
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, 9)
            process.wait(_END_SECONDS)


def move_mouse(session: Mapping[str, str]) -> None:
    """Move the mouse a little, as a person would; KWin has seen it when this returns."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(Path(session["XDG_RUNTIME_DIR"], session["WAYLAND_DISPLAY"])))
        connection.settimeout(_END_SECONDS)
        _send(connection, _DISPLAY, 1, struct.pack("=I", _REGISTRY))  # get_registry
        number = next(
            words for sender, words in _events(connection) if sender == _REGISTRY and _INTERFACE.encode() in words
        )
        interface = _string(_INTERFACE) + struct.pack("=II", 1, _FAKE_INPUT)
        _send(connection, _REGISTRY, 0, number[:4] + interface)  # bind
        _send(connection, _FAKE_INPUT, 0, _string("test") + _string("test"))  # authenticate
        _send(connection, _FAKE_INPUT, 1, struct.pack("=ii", 10 << 8, 10 << 8))  # pointer_motion
        _send(connection, _DISPLAY, 0, struct.pack("=I", _CALLBACK))  # sync
        next(sender for sender, _ in _events(connection) if sender == _CALLBACK)


def _events(connection: socket.socket) -> Iterator[tuple[int, bytes]]:
    stream = connection.makefile("rb")
    while True:
        sender, rest = struct.unpack("=II", stream.read(8))
        yield sender, stream.read((rest >> 16) - 8)


def _send(connection: socket.socket, sender: int, opcode: int, words: bytes) -> None:
    connection.sendall(struct.pack("=II", sender, (8 + len(words)) << 16 | opcode) + words)


def _string(text: str) -> bytes:
    encoded = text.encode() + b"\0"
    return struct.pack("=I", len(encoded)) + encoded + b"\0" * (-len(encoded) % 4)
