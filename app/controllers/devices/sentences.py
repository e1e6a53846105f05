"""What the sessions of a run do, in sentences: one for each device."""

from __future__ import annotations

import time

from app.controllers.devices.device_session import DeviceSession
from app.controllers.devices.device_sessions import AnySession, DeviceSessions
from core.texts.device import short_label_of
from core.texts.run_order import status_with_run


def status_sentences(sessions: DeviceSessions) -> tuple[str, ...]:
    """The status sentence of each session; where there are several, with the name of its device before it."""
    now, parts = time.time(), sessions.all
    sentences = [status_with_run(each.session, each.timestamps, now) for each in parts]
    if len(parts) == 1:
        return tuple(sentences)
    names = [short_label_of(label_of_session(each)) for each in parts]
    return tuple(f"{name}: {sentence}" for name, sentence in zip(names, sentences, strict=True))


def label_of_session(each: AnySession) -> str:
    """The label of the device that a session trains on."""
    if isinstance(each, DeviceSession):
        return each.label
    return each.session.consent.device if each.session.consent is not None else ""
