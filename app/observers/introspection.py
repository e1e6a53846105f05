"""Which objects another program has below an object, as D-Bus introspection tells it.

WORKAROUND: PySide6 cannot read lists of object paths or of structures, which ``ListGames`` and ``GetInhibitors`` give.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QObject
from PySide6.QtDBus import QDBusConnection

from app.observers.service_answer import ServiceAnswer
from core.observers.desktop_bus.services import Target

_NODE = re.compile(r"<node\s+name=[\"'](\w{1,100})[\"']")
_MOST = 100


class ObjectsBelow(ServiceAnswer):
    """The objects right below a path of a service; read anew when a signal says so, and when it is told to."""

    def __init__(
        self,
        bus: QDBusConnection,
        service: str,
        path: str,
        parent: QObject | None = None,
        *,
        signals: Sequence[str] = (),
    ) -> None:
        """The signals come from the object itself, and are named with their interfaces."""
        target = Target(service, path, "org.freedesktop.DBus.Introspectable")
        super().__init__(bus, target, "Introspect", parent, signals=signals)

    @property
    def names(self) -> list[str]:
        """The last parts of their paths."""
        return _NODE.findall(self.value)[:_MOST] if isinstance(self.value, str) else []
