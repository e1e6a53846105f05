"""What a person does in the window, done at the bench's word: the same buttons, without a mouse."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtNetwork import QLocalServer, QLocalSocket
from PySide6.QtWidgets import QScrollArea

from app.application import Application
from core.protocol.codec import encode
from core.protocol.peers import PeersSeen
from core.protocol.types import Event
from tests.bench.window.event_loop_stalls import BlockWatch

if TYPE_CHECKING:
    from app.charts.definitions import Period

Answer = dict[str, object]


class Deeds:
    """Each one answers with what came of it, or with when it was done on the monotonic clock."""

    def __init__(self, application: Application, stop_telling: Callable[[], object]) -> None:
        self._application, self._stop_telling = application, stop_telling
        self._watch: BlockWatch | None = None

    def state(self) -> Answer:
        """What there is to see."""
        application = self._application
        window, session = application.window, application.session_controller.session
        review = application.pages.review.page if application.navigator.page_name == "review" else None
        return {
            "page": application.navigator.page_name,
            "phase": session.phase,
            "knows_devices": bool(application.device_poller.devices),
            "can_start": review is not None and review.bar.start.isEnabled(),
            "has_icon": application.tray_controller.tray.is_visible,
            "is_seen": window.is_seen,
            "is_worker_running": session.is_worker_running,
            "is_held": session.is_held,
        }

    def unseen(self) -> Answer:
        """Rules that are on and see nothing, or ask for a pause; sensors of the GPU that are limited and not read."""
        controller = self._application.availability
        _, views, _ = controller.look()
        seen, limits = controller.observation, controller.rules
        blind: list[str] = [each.rule for each in views if each.is_on and (each.asks or not each.can_see)]
        sensors = ("gpu_celsius", "gpu_watts", "fan_percent")
        blind += [name for name in sensors if getattr(limits, name) and getattr(seen, name, None) is None]
        return {"rules": blind if views else ["all"]}

    def join(self, *address: str) -> Answer:
        """With that address in the field."""
        page = self._application.pages.join.page
        page.fill_address(" ".join(address))
        return self._clicked(page.form.join_button.click)

    def start(self) -> Answer:
        """The run that was found."""
        return self._clicked(self._application.pages.review.page.bar.start.click)

    def pause(self) -> Answer:
        """Or resume: the large button."""
        return self._clicked(self._application.pages.training.page.header.button.main.click)

    def close(self) -> Answer:
        """The window's cross."""
        return self._clicked(self._application.window.close)

    def come(self) -> Answer:
        """The icon in the tray."""
        return self._clicked(self._application.tray_controller.tray.open_requested.emit)

    def size(self, width: str, height: str) -> Answer:
        """Pull the window's corner."""
        return self._clicked(lambda: self._application.window.resize(int(width), int(height)))

    def period(self, period: Period) -> Answer:
        """Choose how far back the graphs reach."""
        picker = self._application.pages.training.page.graphs.periods
        return self._clicked(picker._buttons[period].click)

    def sort(self, column: str) -> Answer:
        """Click on a heading of the peers."""
        header = self._application.pages.training.page.peers.horizontalHeader()
        return self._clicked(lambda: header.sectionClicked.emit(int(column)))

    def tab(self, number: str) -> Answer:
        """The peers, or what has happened."""
        return self._clicked(lambda: self._application.pages.training.page.tabs.setCurrentIndex(int(number)))

    def scroll(self, share: str) -> Answer:
        """To that share of the page."""
        column = self._application.pages.training.page.findChild(QScrollArea)
        assert column is not None
        bar = column.verticalScrollBar()
        return self._clicked(lambda: bar.setValue(round(bar.maximum() * float(share))))

    def watch(self) -> Answer:
        """For blocks, from now on; and the longest one that there was."""
        if self._watch is None:
            self._watch = BlockWatch(self._application)
        return asdict(self._watch.take())

    def hush(self) -> Answer:
        """What happens is told no more: that would be the bench's work, and not the window's."""
        return self._clicked(self._stop_telling)

    def picture(self, path: str) -> Answer:
        """Of the window as it is."""
        return {"is_saved": self._application.window.grab().save(path)}

    def quit(self) -> Answer:
        """Say goodbye, and end."""
        return self._clicked(self._application.quit)

    def _clicked(self, deed: object) -> Answer:
        at = time.monotonic()
        assert callable(deed)
        deed()
        return {"at": at}


class Door(QObject):
    """Hears a deed and its words on a line; answers each with a line of JSON."""

    def __init__(self, watched: Application, path: str) -> None:
        super().__init__(watched)
        self._deeds = Deeds(watched, lambda: watched.bridge.event_arrived.disconnect(_tell))
        self._server = QLocalServer(self)
        self._server.newConnection.connect(self._welcome)
        if not self._server.listen(path):
            raise OSError(f"{path}: {self._server.errorString()}")

    def _welcome(self) -> None:
        guest = self._server.nextPendingConnection()
        guest.readyRead.connect(partial(self._hear, guest))

    def _hear(self, guest: QLocalSocket) -> None:
        while guest.canReadLine():
            name, *words = bytes(guest.readLine().data()).decode().split()
            deed: Callable[..., Any] = getattr(self._deeds, name)
            guest.write(json.dumps(deed(*words)).encode() + b"\n")


def watched(door: str) -> type[Application]:
    """The application, with such a door, and talkative."""

    class Watched(Application):
        def __init__(self, *positional: Any, **named: Any) -> None:
            super().__init__(*positional, **named)
            self.door = Door(self, door)
            self.bridge.event_arrived.connect(_tell)

    return Watched


def _tell(event: object) -> None:
    """All but what is long and of no use to the bench."""
    if isinstance(event, Event) and not isinstance(event, PeersSeen):
        sys.stdout.buffer.write(encode(event))
        sys.stdout.buffer.flush()
