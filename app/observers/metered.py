"""Whether the network costs money by the byte: NetworkManager's guess or knowledge, or else the portal's."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtDBus import QDBusConnection

from app.observers.service_answer import ServiceAnswer
from app.observers.service_properties import ServiceProperties
from core.observers.desktop_bus.readings import metered_by_network_manager
from core.observers.desktop_bus.services import NETWORK_MANAGER, NETWORK_PORTAL


class MeteredObserver(QObject):
    """Whether the network in use is metered.

    Signals:
        changed: it may be other than before.
    """

    changed = Signal()

    def __init__(
        self, session_bus: QDBusConnection, system_bus: QDBusConnection, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._network_manager = ServiceProperties(system_bus, NETWORK_MANAGER, self)
        self._portal = ServiceAnswer(
            session_bus, NETWORK_PORTAL, "GetMetered", self, signals=(f"{NETWORK_PORTAL.interface}.changed",)
        )
        for each in (self._network_manager, self._portal):
            each.answered.connect(self.changed)

    @property
    def is_metered(self) -> bool | None:
        """Whether it is metered; NetworkManager's guess counts."""
        return self._answer()[0]

    @property
    def source(self) -> str | None:
        """The program that tells it."""
        return self._answer()[1]

    def _answer(self) -> tuple[bool | None, str | None]:
        is_metered = metered_by_network_manager(self._network_manager)
        if is_metered is not None:
            return is_metered, "NetworkManager"
        portal = self._portal.value
        return (portal, "xdg-desktop-portal") if isinstance(portal, bool) else (None, None)
