"""Calls over the desktop's message bus (D-Bus) that never block; without a bus every call fails at once."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import SLOT, QObject
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusVariant

_REPLY_MILLISECONDS = 2000


def call_async(bus: QDBusConnection, call: QDBusMessage, receiver: QObject, on_reply: str, on_error: str) -> bool:
    """Call a method of another program without waiting; false without a bus.

    The reply arrives at the receiver's slot ``on_reply(QDBusMessage)``, a failure at its slot ``on_error()``; either
    may be given with other types, such as ``on_values(QVariantMap)`` and ``on_error(QDBusError)``.
    """
    call.setAutoStartService(False)
    slots: tuple[Any, Any] = (
        SLOT(on_reply if "(" in on_reply else f"{on_reply}(QDBusMessage)"),
        SLOT(on_error if "(" in on_error else f"{on_error}()"),
    )
    return bus.isConnected() and bus.callWithCallback(call, receiver, *slots, _REPLY_MILLISECONDS)


def subscribe(bus: QDBusConnection, signal: tuple[str, str, str, str], receiver: QObject, slot: str) -> bool:
    """Have a signal (service, path, interface, name) arrive at the receiver's slot; false without a bus."""
    signature: Any = SLOT(slot)
    return bus.isConnected() and bus.connect(*signal, receiver, signature)


def unwrap_variant(reply: QDBusMessage) -> object:
    """The first value of a reply, taken out of its D-Bus variant; ``None`` if the reply has none."""
    values = reply.arguments()
    value = values[0] if values else None
    return value.variant() if isinstance(value, QDBusVariant) else value
