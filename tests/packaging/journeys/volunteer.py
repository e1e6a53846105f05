"""A person who has never opened a terminal: keys, a mouse, and what can be seen on a screen."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import psutil

from core.protocol.events import Progress
from core.protocol.peers import PeersSeen
from tests.packaging.journeys.chroot import Chroot
from tests.support.environment.x11_desktop import Desktop, Launched, Seen, Shown, wait_for
from tests.support.real_peers import LIMIT_SECONDS, Peer, tiny

ENGINE_LIMIT_SECONDS = 1800.0
_RUN = tiny().run.name


def _workerbee_among(processes: list[psutil.Process]) -> psutil.Process | None:
    """The window's program, of those that live."""
    for each in processes:
        with contextlib.suppress(psutil.NoSuchProcess):  # openers come and go
            if each.name() == "workerbee":
                return each
    return None


class Volunteer:
    """At a desktop, with a system whose Workerbee shows itself there; pictures are kept in ``pictures``."""

    def __init__(self, desktop: Desktop, system: Chroot, wheels: str, pictures: Path) -> None:
        self._desktop, self._system, self._wheels, self._pictures = desktop, system, wheels, pictures

    def start(self) -> Launched:
        """Click it in the menu."""
        command = self._system.as_person("workerbee", WORKERBEE_WHEELS=self._wheels, QT_QPA_PLATFORM="xcb")
        return self._desktop.launch(command, "workerbee")

    def make_engine(self, app: Launched) -> float:
        """Agree to the download, and wait; the seconds that it took."""
        window = self._desktop.window(app)
        self.picture("engine-offered")
        begun = time.monotonic()
        engines = self._system.home / ".local" / "share" / "workerbee" / "engines"
        self._desktop.until(
            lambda: self._desktop.type(window, "alt+d"), (engines / "work").is_dir, "a download that begins"
        )
        self.picture("engine-downloads")
        wait_for((engines / "current").is_file, "an engine", ENGINE_LIMIT_SECONDS)
        return time.monotonic() - begun

    def train(self, app: Launched, organiser: Peer) -> None:
        """Paste, look, start; until the organiser sees that two compute."""
        desktop, window = self._desktop, self._desktop.window(app)
        desktop.copy(organiser.posted)
        self._wait_for_title(lambda: desktop.type(window, "ctrl+v", "Return"), app, "Ready to start")
        self.picture("review")
        here = len(organiser.said)
        self._wait_for_title(lambda: desktop.type(window, "Return"), app, _RUN)
        organiser.wait_for(Progress, lambda event: event.peers == 2, since=here)
        organiser.wait_for(PeersSeen, lambda event: len(event.peers) == 2, since=here)
        desktop.window(app, f"Training · {_RUN}", LIMIT_SECONDS)
        self.picture("training")

    def has_gone_on(self, app: Launched) -> None:
        """See the run again, in a window that nobody has touched since it was an older version's."""
        self._desktop.window(app, f"Training · {_RUN}", LIMIT_SECONDS)
        self.picture("upgraded")

    def pause(self, app: Launched) -> None:
        """From the tray, until they resume; nothing trains then."""
        desktop = self._desktop
        desktop.open_tray_menu(app)
        desktop.choose(app, desktop.open_submenu(app, "p"), "Up", "Return")
        desktop.window(app, f"Paused · {_RUN}")
        wait_for(app.is_alone, "the end of the worker and of its family")
        self.picture("paused")

    def quit(self, app: Launched) -> None:
        """From the tray; nothing is left."""
        self._desktop.choose(app, self._desktop.open_tray_menu(app), "q")
        assert app.ended() == 0, app.words
        assert app.offspring == []
        assert app.words == ""

    def follow(self, opener: str, organiser: Peer) -> None:
        """Click a link in some other program, and see that it has arrived; then quit."""
        link = f"workerbee://join?peer={quote(organiser.posted, safe='')}"
        opened = self._desktop.launch(self._system.as_person(*opener.split(), link, QT_QPA_PLATFORM="xcb"), "link")
        app = wait_for(lambda: _workerbee_among(opened.offspring), "a Workerbee that was opened")
        window = self._desktop.window(app)
        self._wait_for_title(lambda: self._desktop.type(window, "Return"), app, "Ready to start")
        self._desktop.type(window, "ctrl+q")
        app.wait(LIMIT_SECONDS)

    def picture(self, name: str) -> None:
        """What the screen looks like now."""
        self._desktop.picture(self._pictures / f"{name}.png")

    def _wait_for_title(self, deed: Callable[[], None], app: Shown, words: str) -> Seen:
        def look() -> Seen | None:
            return next((seen for seen in self._desktop.windows(app) if words in seen.title), None)

        return self._desktop.until(deed, look, f"a window called “{words}”")
