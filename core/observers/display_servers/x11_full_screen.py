"""Whether a full-screen program is in front: what an X server's window manager tells (EWMH).

https://specifications.freedesktop.org/wm-spec/latest/: ``_NET_ACTIVE_WINDOW`` of the root window, and ``_NET_WM_STATE``
of that one. Under Wayland an X server knows of X11's windows only, and no protocol of all compositors of the others.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping

from core.observers.display_servers.wayland_globals import is_wayland_session
from core.observers.display_servers.x11_properties import ATOM, CARDINAL, WINDOW, X11Properties

LEAST_SECONDS = 1.5
"""A server that has been asked is not asked again for so long; the rules look every 1.7 seconds."""
REST_SECONDS = 30.0
"""For so long a server that is not there, or has gone, is not looked for again."""
_OWN_CLASS = b"workerbee"


class X11FullScreen:
    """Asks the server of the session that an environment tells of; for one thread, which a server that hangs may hold.

    Attributes:
        is_in_front: as ``refresh`` has found it; ``None`` where there is no such server, on another computer, under
            Wayland, and where no window manager tells it.
    """

    name = "X11"

    def __init__(self, environment: Mapping[str, str], *, clock: Callable[[], float] = time.monotonic) -> None:
        display = environment.get("DISPLAY", "")
        is_local = display.startswith((":", "unix:"))  # not that of somebody who has come over SSH
        self.is_in_front: bool | None = None
        self._display = display if is_local and not is_wayland_session(environment) else ""
        self._clock, self._rests_until = clock, 0.0
        self._properties: X11Properties | None = None
        self._family: frozenset[int] | None = None

    def refresh(self) -> None:
        """Ask the server, which answers at once, unless it has been asked just now."""
        if not self._display or self._clock() < self._rests_until:
            return
        self._rests_until = self._clock() + LEAST_SECONDS
        try:
            self._properties = self._properties or X11Properties(self._display)
            self.is_in_front = self._look(self._properties)
        except OSError:
            self.close()
            self._rests_until = self._clock() + REST_SECONDS

    def close(self) -> None:
        """Leave the server; one that is asked again is another one."""
        if self._properties is not None:
            self._properties.close()
        self._properties = self.is_in_front = None

    def _look(self, server: X11Properties) -> bool | None:
        active = server.numbers(server.root, "_NET_ACTIVE_WINDOW", WINDOW)
        if active == ():  # as a window manager has it before the first window
            supported = server.numbers(server.root, "_NET_SUPPORTED", ATOM) or ()
            return False if server.atom("_NET_ACTIVE_WINDOW") in supported else None
        if active is None or len(active) != 1:
            return None
        [window] = active
        states = server.numbers(window, "_NET_WM_STATE", ATOM) if window else ()  # openbox names the last one, gone
        if states is None or server.atom("_NET_WM_STATE_FULLSCREEN") not in states:
            return None if states is None else False
        kinds = server.numbers(window, "_NET_WM_WINDOW_TYPE", ATOM)
        if kinds is None:
            return None
        return server.atom("_NET_WM_WINDOW_TYPE_DESKTOP") not in kinds and not self._is_own(server, window)

    def _is_own(self, server: X11Properties, window: int) -> bool:
        """Whether it is Workerbee's window, or of a terminal that this process was started from."""
        names = server.words(window, "WM_CLASS") or ()
        pids = server.numbers(window, "_NET_WM_PID", CARDINAL) or ()
        self._family = self._family or _own_family()
        return _OWN_CLASS in names or not self._family.isdisjoint(pids)


def _own_family() -> frozenset[int]:
    """This process, and who has started it."""
    import psutil

    try:
        return frozenset((os.getpid(), *(each.pid for each in psutil.Process().parents())))
    except (psutil.Error, OSError):
        return frozenset((os.getpid(),))
