"""What a service sees without a desktop of its own: logind and NetworkManager by python-dbusmock, a fake engine."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import msgspec
import pytest

from core.availability.presets import with_preset
from core.availability.rules import AvailabilityRules
from core.files.folders import Folders
from core.observers.display_servers.wayland_globals import IDLE_NOTIFIER, SEAT
from core.records.settings import Settings, save_settings
from tests.core.cli.conftest import terminals  # noqa: F401
from tests.core.cli.terminal import Terminal
from tests.core.cli.test_terminal import TRAINING, join
from tests.core.observers.compositor import compositor
from tests.core.observers.desktop_bus.conftest import (
    NETWORK_MANAGER,
    SESSION,
    SESSION_PATH,
    Buses,
    buses,  # noqa: F401
)
from tests.core.service.test_service import _computer, install, service_that_runs  # noqa: F401
from tests.support.cli_process import ADDRESS, LIMIT_SECONDS, workerbee
from tests.support.computer.full_screen_window import full_screen_window
from tests.support.environment.x11_desktop import Desktop, wait_for

ALWAYS = with_preset(AvailabilityRules(), "always")


@pytest.fixture(autouse=True)
def _addresses(buses: Buses, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", buses.session_address)
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", buses.system_address)


def install_with(folder: Path, **changes: object) -> None:
    """The service of an owner with those rules."""
    rules = msgspec.structs.replace(ALWAYS, **changes)
    save_settings(Folders.below(folder / "home").settings_file, Settings(device="cpu", availability=rules))
    assert install(folder, ADDRESS, "--yes").code == 0


def log(folder: Path) -> str:
    return (folder / "service.log").read_text()


def doctor(folder: Path, **environment: str) -> list[str]:
    """What it prints in such a session; the desktop of who runs the tests is none of its business."""
    nowhere = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "XDG_SESSION_TYPE": "", "XDG_RUNTIME_DIR": ""}
    return workerbee(folder, "doctor", **{**nowhere, **environment}).out.splitlines()


def journal(folder: Path) -> str:
    """What the fake workers have been told."""
    return (folder / "journal").read_text()


def test_it_is_paused_on_a_metered_network(tmp_path: Path, buses: Buses) -> None:  # noqa: F811
    network = buses.network_manager(2)
    install_with(tmp_path, metered=True)
    with service_that_runs(tmp_path, "go_through_epochs"):
        wait_for(lambda: "epoch" in log(tmp_path).lower(), "progress", LIMIT_SECONDS)
        network.update(NETWORK_MANAGER[0], {"Metered": ("u", 1)})
        wait_for(lambda: "this connection is metered" in log(tmp_path), "the reason", LIMIT_SECONDS)
        network.update(NETWORK_MANAGER[0], {"Metered": ("u", 2)})
        wait_for(lambda: "no longer metered" in log(tmp_path), "the end of it", LIMIT_SECONDS)
    assert log(tmp_path).count("this connection is metered") == 1, "though it was looked at every two seconds"
    assert "cannot see anything here" not in log(tmp_path)


@pytest.mark.timeout(300)
def test_it_is_paused_while_a_full_screen_program_is_in_front(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the desktop has told the user's services of its X server."""
    _needs_x11()
    install_with(tmp_path, games=True)
    with Desktop(tmp_path / "desktop", has_panel=False) as desktop:
        monkeypatch.setenv("DISPLAY", desktop.environment["DISPLAY"])
        for name in ("WAYLAND_DISPLAY", "XDG_SESSION_TYPE"):
            monkeypatch.delenv(name, raising=False)
        with service_that_runs(tmp_path, "go_through_epochs"):
            wait_for(lambda: "epoch" in log(tmp_path).lower(), "progress", LIMIT_SECONDS)
            game = full_screen_window(desktop)
            wait_for(lambda: "a full-screen program is in front" in log(tmp_path), "the reason", LIMIT_SECONDS)
            game.tell("quit")
            wait_for(lambda: "no full-screen program is in front any more" in log(tmp_path), "its end", LIMIT_SECONDS)


def test_it_leaves_before_a_suspend_which_waits_for_that_and_goes_on_afterwards(
    tmp_path: Path,
    buses: Buses,  # noqa: F811
) -> None:
    logind = buses.logind()
    install_with(tmp_path)
    told = len(journal(tmp_path))
    with service_that_runs(tmp_path, "go_through_epochs"):
        wait_for(lambda: "epoch" in log(tmp_path).lower() and logind.is_waiting, "progress", LIMIT_SECONDS)
        assert '"leave"' not in journal(tmp_path)[told:]
        logind.prepare_for_sleep(True)
        wait_for(lambda: not logind.is_waiting, "the suspend", LIMIT_SECONDS)
        assert '"leave"' in journal(tmp_path)[told:], "nobody in the swarm waits for it"
        assert "Pausing: the computer goes to sleep." in log(tmp_path)
        told = len(journal(tmp_path))
        logind.prepare_for_sleep(False)
        wait_for(lambda: '"start"' in journal(tmp_path)[told:] and logind.is_waiting, "more training", LIMIT_SECONDS)


def test_join_leaves_before_a_suspend_as_well(
    tmp_path: Path,
    buses: Buses,  # noqa: F811
    terminals: list[Terminal],  # noqa: F811
) -> None:
    logind = buses.logind()
    terminal = join(terminals, tmp_path, "--yes", part="go_through_epochs")
    terminal.wait_for(TRAINING)
    wait_for(lambda: logind.is_waiting, "the inhibitor", LIMIT_SECONDS)
    logind.prepare_for_sleep(True)
    terminal.wait_for("Paused while the computer sleeps")
    wait_for(lambda: not logind.is_waiting, "the suspend", LIMIT_SECONDS)
    told = len(journal(tmp_path))
    logind.prepare_for_sleep(False)
    wait_for(lambda: '"start"' in journal(tmp_path)[told:], "more training", LIMIT_SECONDS)
    terminal.type("q")
    assert terminal.end() == 0


def test_it_trains_when_the_screen_is_locked(tmp_path: Path, buses: Buses) -> None:  # noqa: F811
    desktop = buses.desktop()
    install_with(tmp_path, idle_minutes=5)
    with service_that_runs(tmp_path):
        wait_for(lambda: "it cannot be seen here whether you are away" in log(tmp_path), "the reason", LIMIT_SECONDS)
        assert "A service has no such key: remove idle_minutes" in log(tmp_path)
        desktop.update(SESSION, {"LockedHint": ("b", True)}, path=SESSION_PATH)
        wait_for(lambda: "epoch" in log(tmp_path).lower(), "progress", LIMIT_SECONDS)


def test_what_its_rules_cannot_see_is_said_once_and_by_its_status(tmp_path: Path) -> None:
    install_with(tmp_path, metered=True, films=True)
    words = "The rule about metered connection cannot see anything here"
    with service_that_runs(tmp_path):
        wait_for(lambda: "epoch" in log(tmp_path).lower(), "progress", LIMIT_SECONDS)
    assert log(tmp_path).count(words) == 1 and "about films" not in log(tmp_path), "a bus without players tells that"
    assert words in workerbee(tmp_path, "service", "status").out
    status = workerbee(tmp_path, "service", "status", "--json")
    assert json.loads(status.out)["unobserved"] == ["metered"] and words in status.err


def test_doctor_says_who_tells_what(tmp_path: Path, buses: Buses) -> None:  # noqa: F811
    buses.desktop()
    buses.on_session("org.gnome.Mutter.IdleMonitor", "/org/gnome/Mutter/IdleMonitor/Core").add_method(
        "GetIdletime", "t", "ret = 90000"
    )
    install_with(tmp_path, metered=True)
    lines = doctor(tmp_path)
    assert "✓ idle in window no desktop is seen from here: neither WAYLAND_DISPLAY nor DISPLAY is set" in lines
    assert "✓ idle in window told by Mutter" in doctor(tmp_path, WAYLAND_DISPLAY="wayland-0")
    assert "✓ idle time      told by Mutter" in lines and "✓ screen lock    told by logind" in lines
    assert "! metered        nobody tells it" in lines
    assert "✓ power saver    nobody tells it, and no rule of yours asks" in lines


def _needs_x11() -> None:
    if missing := [program for program in ("Xvfb", "openbox", "xdotool") if shutil.which(program) is None]:
        pytest.skip(f"needs {', '.join(missing)}")


@pytest.mark.timeout(300)
def test_doctor_says_that_the_window_asks_the_x_server(tmp_path: Path) -> None:
    _needs_x11()
    install_with(tmp_path, idle_minutes=5)
    with Desktop(tmp_path / "desktop", has_panel=False) as desktop:
        lines = doctor(tmp_path, DISPLAY=desktop.environment["DISPLAY"])
    assert "! idle time      nobody tells it" in lines
    assert "✓ full screen    told by X11" in lines
    assert "✓ idle in window told by X11 (XScreenSaver)" in lines
    lines = doctor(tmp_path, DISPLAY=":7654")
    assert "! idle in window nobody tells it: the X server has no answer" in lines


def test_doctor_says_that_the_window_asks_the_compositor(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    install_with(tmp_path, idle_minutes=5)
    with compositor(tmp_path_factory.mktemp("w"), SEAT, IDLE_NOTIFIER) as session:
        lines = doctor(tmp_path, **session)
    assert "✓ idle in window told by Wayland (ext-idle-notify)" in lines
    assert "✓ full screen    nobody tells it, and no rule of yours asks" in lines
    install_with(tmp_path, idle_minutes=5, games=True)
    with compositor(tmp_path_factory.mktemp("w"), SEAT) as session:
        lines = doctor(tmp_path, **session)
    said = lines.index("! full screen    nobody tells it")
    assert "It would be told by an X server that shows your session" in lines[said + 1]
    said = lines.index("! idle in window nobody tells it: the Wayland compositor has no ext-idle-notify")
    assert "KWin or sway 1.8" in lines[said + 1]
