"""Threads post, the main thread is told: in order, and only once it is free."""

from __future__ import annotations

import threading

from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from app.controllers.thread_bridge import MOST_WAITING, Bridge
from core.protocol.client_events import ClientEvent
from core.protocol.events import Left
from tests.app.support.training_sample import progress


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


def test_reports_of_progress_wake_nobody_until_something_else_happens(qtbot: QtBot) -> None:
    bridge = Bridge()
    seen: list[ClientEvent] = []
    bridge.event_arrived.connect(seen.append)
    told: list[ClientEvent] = [progress(epoch=1), progress(epoch=2), Left(), progress(epoch=3)]
    bridge.post_event(told[0])
    bridge.post_event(told[1])
    QCoreApplication.processEvents()
    assert seen == []
    bridge.post_event(told[2])
    qtbot.waitUntil(lambda: seen == told[:3])
    bridge.post_event(told[3])
    bridge.deliver()
    assert seen == told


def test_reports_of_progress_do_not_pile_up(qtbot: QtBot) -> None:
    bridge = Bridge()
    seen: list[ClientEvent] = []
    bridge.event_arrived.connect(seen.append)
    for epoch in range(MOST_WAITING):
        bridge.post_event(progress(epoch=epoch))
    qtbot.waitUntil(lambda: len(seen) == MOST_WAITING)


def test_of_the_reports_of_an_epoch_that_wait_together_the_last_is_told(qtbot: QtBot) -> None:
    bridge = Bridge()
    seen: list[ClientEvent] = []
    bridge.event_arrived.connect(seen.append)
    first, second, next_epoch = progress(epoch=1, samples=10), progress(epoch=1, samples=20), progress(epoch=2)
    told: list[ClientEvent] = [first, second, next_epoch]
    for event in told:
        bridge.post_event(event)
    bridge.deliver()
    assert seen == [second, next_epoch]
    told = [first, Left(), second]
    for event in told:
        bridge.post_event(event)
    bridge.deliver()
    assert seen[2:] == told


def test_the_last_words_of_a_thread_may_come_after_the_window() -> None:
    import shiboken6

    bridge = Bridge()
    shiboken6.delete(bridge)
    bridge.post_event(Left())
