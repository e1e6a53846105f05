"""Who tells what on the message buses: the names by which D-Bus finds them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """An interface of an object of a service: the three names by which D-Bus finds it."""

    service: str
    path: str
    interface: str


ABSENT_ERRORS = ("org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner")
"""What the bus answers where nobody has a service's name."""
BUS = Target("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")

# On the system bus.
UPOWER = Target("org.freedesktop.UPower", "/org/freedesktop/UPower", "org.freedesktop.UPower")
BATTERIES = Target(
    "org.freedesktop.UPower", "/org/freedesktop/UPower/devices/DisplayDevice", "org.freedesktop.UPower.Device"
)
POWER_PROFILES = (
    Target(
        "org.freedesktop.UPower.PowerProfiles",
        "/org/freedesktop/UPower/PowerProfiles",
        "org.freedesktop.UPower.PowerProfiles",
    ),
    Target("net.hadess.PowerProfiles", "/net/hadess/PowerProfiles", "net.hadess.PowerProfiles"),
)
"""The newer name and the older one; also of TLP's and tuned's stand-ins."""
NETWORK_MANAGER = Target(
    "org.freedesktop.NetworkManager", "/org/freedesktop/NetworkManager", "org.freedesktop.NetworkManager"
)
LOGIND = Target("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")
SEAT_INTERFACE = "org.freedesktop.login1.Seat"
SESSION_INTERFACE = "org.freedesktop.login1.Session"
OWN_SESSION = Target(LOGIND.service, "/org/freedesktop/login1/session/auto", SESSION_INTERFACE)
"""The session that the asking program belongs to, or else the one that its user sees."""

# On the session bus.
_PORTAL, _PORTAL_PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
SYSTEMD = Target("org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager")
POWER_PORTAL = Target(_PORTAL, _PORTAL_PATH, "org.freedesktop.portal.PowerProfileMonitor")
NETWORK_PORTAL = Target(_PORTAL, _PORTAL_PATH, "org.freedesktop.portal.NetworkMonitor")
MUTTER = Target("org.gnome.Mutter.IdleMonitor", "/org/gnome/Mutter/IdleMonitor/Core", "org.gnome.Mutter.IdleMonitor")
MUFFIN = Target(
    "org.cinnamon.Muffin.IdleMonitor", "/org/cinnamon/Muffin/IdleMonitor/Core", "org.cinnamon.Muffin.IdleMonitor"
)
KDE_SCREEN_SAVER = Target("org.kde.screensaver", "/org/freedesktop/ScreenSaver", "org.freedesktop.ScreenSaver")
"""By KDE's own name: others under org.freedesktop.ScreenSaver do not agree on the unit."""
GAME_MODE = Target("com.feralinteractive.GameMode", "/com/feralinteractive/GameMode", "com.feralinteractive.GameMode")
SESSION_MANAGER = Target("org.gnome.SessionManager", "/org/gnome/SessionManager", "org.gnome.SessionManager")
INHIBITOR_INTERFACE = "org.gnome.SessionManager.Inhibitor"
PLAYER_PREFIX = "org.mpris.MediaPlayer2"
PLAYER_PATH, PLAYER_INTERFACE = "/org/mpris/MediaPlayer2", "org.mpris.MediaPlayer2.Player"
