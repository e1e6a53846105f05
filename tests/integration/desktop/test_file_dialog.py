"""A run file is chosen in the desktop's own file dialog, which a program under Wayland gets through the portal."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from jeepney import DBusAddress, HeaderFields, new_error, new_method_return, new_signal

from core.run.run_file import template
from tests.support.environment.portal import PATH, Portal
from tests.support.environment.screen_reader import ScreenReader
from tests.support.environment.wayland_desktop import PROGRAMS, WaylandDesktop
from tests.support.environment.x11_desktop import wait_for
from tests.support.real_peers import LIMIT_SECONDS

BUS_LAUNCHER = Path("/usr/libexec/at-spi-bus-launcher")
MISSING = [program for program in (*PROGRAMS, str(BUS_LAUNCHER)) if shutil.which(program) is None]
PROGRAM = "workerbee"
NEWEST_VERSION = 4
CHOSEN = 0

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}"),
]


class FileChooser(Portal):
    """Stands for a desktop's file dialog (org.freedesktop.portal.FileChooser).

    Attributes:
        asked: the window for which a dialog was asked for, its title, and its options.
    """

    def __init__(self, address: str) -> None:
        self.asked: tuple[str, str, dict[str, Any]] | None = None
        super().__init__(address, self._open)

    def choose(self, path: Path) -> None:
        """Choose that file in the dialog."""
        self.send(new_signal(self._response, "Response", "ua{sv}", (CHOSEN, {"uris": ("as", [path.as_uri()])})))

    def _open(self, message: Any) -> Iterator[Any]:
        fields = message.header.fields
        match fields[HeaderFields.member]:
            case "OpenFile":
                sender, token = fields[HeaderFields.sender], message.body[2]["handle_token"][1]
                request = f"{PATH}/request/{sender[1:].replace('.', '_')}/{token}"
                self._response = DBusAddress(request, interface="org.freedesktop.portal.Request")
                self.asked = message.body
                yield new_method_return(message, "o", (request,))
            case "Get":
                yield new_method_return(message, "v", (("u", NEWEST_VERSION),))
            case _:  # such as a setting, for which Qt waits
                yield new_error(message, "org.freedesktop.DBus.Error.UnknownMethod")


def test_a_run_file_is_chosen_through_the_portal(tmp_path: Path) -> None:
    path = tmp_path / "sums.toml"
    path.write_text(template())
    with (
        WaylandDesktop(tmp_path / "desktop") as desktop,
        ScreenReader() as reader,
        closing(FileChooser(reader.environment["DBUS_SESSION_BUS_ADDRESS"])) as portal,
    ):
        home = {"WORKERBEE_HOME": str(tmp_path / "home"), "QT_QPA_PLATFORMTHEME": "xdgdesktopportal"}
        desktop.launch([sys.executable, "-m", "app"], "app", **home, **reader.environment)
        reader.press(reader.widget(PROGRAM, "push button", "Open a run file"))
        wait_for(lambda: portal.asked, "a dialog is asked for", LIMIT_SECONDS)

        def is_chosen() -> bool:
            portal.choose(path)  # once more, as the program may not have listened yet
            return any(path.name in each.name for each in reader.widgets(PROGRAM))

        wait_for(is_chosen, "the file's name", LIMIT_SECONDS)
        assert portal.asked is not None
        window, title, options = portal.asked
        assert window.startswith("wayland:") and title == "Open a run file"
        assert options["filters"][1][0][1] == [(0, "*.toml")]
