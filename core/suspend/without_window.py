"""A suspend while a client without a window trains, as the window follows it: a goodbye before, and on afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from core.client.session import Session
from core.observers.desktop_bus.suspend import SuspendWatch
from core.protocol.client_events import ClientEvent
from core.suspend.suspend_pause import SuspendPause


class Follower(Protocol):
    """A client with its event loop: what it handles is shown, and its ``listeners`` hear of it afterwards."""

    listeners: list[Callable[[ClientEvent], None]]

    @property
    def session(self) -> Session:
        """The session as it is now."""

    def handle(self, event: ClientEvent) -> None:
        """Handle the event; on the thread of the loop only."""

    def run_soon(self, callback: Callable[[], None]) -> None:
        """Have that called on the thread of the loop; may be called from any thread."""


@contextmanager
def leaving_before_suspends(
    client: Follower, watch: Callable[[Callable[[], None], Callable[[], None]], SuspendWatch] = SuspendWatch
) -> Iterator[None]:
    """While this lasts, the run is left before a suspend, which waits for that for some seconds, and joined again.

    ``watch`` starts the watch, given what it calls before a suspend and afterwards.
    """

    def prepare() -> None:
        pause.prepare(is_at_work=client.session.is_at_work)
        release()

    def end() -> None:
        pause.end(is_at_work=client.session.is_at_work)

    def release() -> None:
        if pause.may_suspend:
            suspends.let_suspend()

    def on_event(_event: ClientEvent) -> None:
        release()
        pause.go_on()

    pause = SuspendPause(lambda: client.session, client.handle)
    suspends = watch(lambda: client.run_soon(prepare), lambda: client.run_soon(end))
    client.listeners.append(on_event)
    try:
        yield
    finally:
        client.listeners.remove(on_event)
        suspends.close()
