"""Whether a compositor tells the idle time: stand-ins that do and do not, hostile ones, and a real one."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path

import pytest

from core.observers.display_servers.wayland_globals import IDLE_NOTIFIER, SEAT, is_wayland_session, tells_idle_time
from tests.core.observers.compositor import DONE, compositor, event, global_event, raw_compositor
from tests.support.environment.wayland_desktop import PROGRAMS, WaylandDesktop


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Whose path is short enough for a socket."""
    return tmp_path_factory.mktemp("w")


@pytest.mark.parametrize(
    ("offered", "is_told"),
    [(("wl_shm", SEAT, IDLE_NOTIFIER), True), ((SEAT, "wl_shm"), False), ((IDLE_NOTIFIER,), False), ((), False)],
)
def test_both_a_seat_and_the_notifier_are_needed(folder: Path, offered: tuple[str, ...], is_told: bool) -> None:
    with compositor(folder, *offered) as environment:
        assert tells_idle_time(environment) is is_told


def test_events_that_come_in_pieces_are_put_together(folder: Path) -> None:
    words = global_event(1, SEAT) + global_event(2, IDLE_NOTIFIER) + DONE
    with raw_compositor(folder, [words[:3], words[3:21], words[21:]]) as environment:
        assert tells_idle_time(environment)


@pytest.mark.parametrize(
    "said",
    [
        [global_event(1, SEAT)],
        [global_event(1, SEAT), event(1, 0, struct.pack("=III", 1, 1, 4) + b"bad\0")],
        [struct.pack("=II", 2, 3 << 16)],
        [event(2, 0, struct.pack("=II", 1, 0xFFFFFFFF)), DONE],
        [event(2, 1, struct.pack("=I", 9)) * 1000] * 30,
    ],
    ids=["silence", "an error", "less than a header", "an endless name", "no end of events"],
)
def test_a_compositor_that_errs_is_one_that_does_not_tell(folder: Path, said: list[bytes]) -> None:
    with raw_compositor(folder, said) as environment:
        assert not tells_idle_time(environment)


@pytest.mark.parametrize("environment", [{}, {"XDG_RUNTIME_DIR": "/nonexistent"}, {"WAYLAND_DISPLAY": "wayland-9"}])
def test_without_a_compositor_nobody_tells(environment: dict[str, str]) -> None:
    assert not tells_idle_time(environment)


def test_the_session_type_counts_where_no_socket_is_named() -> None:
    assert is_wayland_session({"XDG_SESSION_TYPE": "wayland", "DISPLAY": ":0"})
    assert not is_wayland_session({"XDG_SESSION_TYPE": "x11", "DISPLAY": ":0", "WAYLAND_DISPLAY": ""})


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_real_compositor_is_asked(folder: Path) -> None:
    """Its version decides what it offers; what it must offer is what this program cannot do without, a seat."""
    if missing := [program for program in PROGRAMS if shutil.which(program) is None]:
        pytest.skip(f"needs {', '.join(missing)}")
    from core.observers.display_servers.wayland_globals import _globals, wayland_socket

    with WaylandDesktop(folder) as desktop, desktop.mouse():
        place = wayland_socket(desktop.environment)
        assert place is not None
        offered = set(_globals(place))
        assert {SEAT, "wl_compositor"} <= offered
        assert tells_idle_time(desktop.environment) is (IDLE_NOTIFIER in offered)
