"""The desktop's message bus, so that nobody ever waits for it; without a bus every question fails at once."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import SLOT, QObject
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusVariant

_ANSWER_MILLISECONDS = 2000


def ask(bus: QDBusConnection, question: QDBusMessage, receiver: QObject, heard: str, unheard: str) -> bool:
    """Send it; the answer comes to the slot ``heard(QDBusMessage)`` or ``unheard()``. False without a bus."""
    question.setAutoStartService(False)
    slots: tuple[Any, Any] = (SLOT(f"{heard}(QDBusMessage)"), SLOT(f"{unheard}()"))
    return bus.isConnected() and bus.callWithCallback(question, receiver, *slots, _ANSWER_MILLISECONDS)


def hear(bus: QDBusConnection, where: tuple[str, str, str, str], receiver: QObject, slot: str) -> bool:
    """Have a signal (service, path, interface, name) come to that slot; false without a bus."""
    signature: Any = SLOT(slot)
    return bus.isConnected() and bus.connect(*where, receiver, signature)


def unwrap_variant(answer: QDBusMessage) -> object:
    """The one value that an answer has, out of its wrapping; ``None`` if there is none."""
    values = answer.arguments()
    value = values[0] if values else None
    return value.variant() if isinstance(value, QDBusVariant) else value
