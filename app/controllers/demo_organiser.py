"""The demo in the window: an organiser on this computer, whose address waits in the field to be joined."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from app.controllers.thread_bridge import Bridge
from core.client.client import Client
from core.client.demo import publish_demo
from core.errors import UserError
from core.files.folders import Folders
from core.protocol.client_events import ClientEvent
from core.protocol.events import Published


class DemoOrganiser(QObject):
    """Publishes the demo run with a second client, beside the volunteer's.

    Signals:
        published: the link with which the run is joined.
        failed: why there is none (a UserError).
    """

    published = Signal(str)
    failed = Signal(object)

    def __init__(self, folders: Folders, *, worker_command: Sequence[str] | None = None) -> None:
        super().__init__()
        self._folders = folders
        self._bridge = Bridge(self)
        self._bridge.event_arrived.connect(self._on_event)
        self._client = Client(folders, self._bridge.post_event, worker_command=worker_command)

    def start(self) -> None:
        """Publish the demo run, and train in it, too."""
        self._client.publish(publish_demo(self._folders))

    def close(self) -> None:
        """Leave the run, and wait until its worker has ended."""
        self._client.close()

    def _on_event(self, event: ClientEvent) -> None:
        before = self._client.session.problem
        self._client.handle(event)
        session = self._client.session
        if isinstance(event, Published):
            self.published.emit(event.link)
        if session.problem is not None and before is None:
            self.failed.emit(UserError(session.problem, session.problem_detail))
