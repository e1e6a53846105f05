"""Threads post, the main thread is told: in order, and only once it is free."""

from __future__ import annotations

import threading

from pytestqt.qtbot import QtBot

from app.bridge import Bridge
from core.messages import Left
from core.session import ClientEvent


def test_events_of_a_thread_arrive_on_the_main_thread_in_order(qtbot: QtBot) -> None:
    bridge, seen = Bridge(), []
    bridge.event_arrived.connect(lambda event: seen.append((threading.current_thread(), event)))
    events = [Left(contributed_samples=number) for number in range(100)]

    def post() -> None:
        for event in events:
            bridge.post_event(event)

    thread = threading.Thread(target=post)
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: len(seen) == len(events))
    assert seen == [(threading.main_thread(), event) for event in events]


def test_what_the_main_thread_posts_waits_until_it_is_free(qtbot: QtBot) -> None:
    bridge = Bridge()
    seen: list[ClientEvent] = []
    bridge.event_arrived.connect(seen.append)
    bridge.post_event(Left())
    assert seen == []
    qtbot.waitUntil(lambda: seen == [Left()])


def test_the_last_words_of_a_thread_may_come_after_the_window() -> None:
    import shiboken6

    bridge = Bridge()
    shiboken6.delete(bridge)
    bridge.post_event(Left())
