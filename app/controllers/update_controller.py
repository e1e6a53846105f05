"""Whether there is a newer Workerbee: asked once a fortnight, told once, and never fetched."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.controllers.settings_store import SettingsStore
from app.controllers.thread_bridge import Bridge
from core.errors import UserError
from core.files.folders import Folders
from core.updates.checker_process import UpdateCheck
from core.updates.notice import UpdateNotice
from core.updates.publisher import Source, source_of
from core.updates.state import UpdateState
from core.version import own_version

LOOK_SECONDS = 60
_log = logging.getLogger(__name__)


class Updates(QObject):
    """Main thread only; ``newer_known`` tells of a version that is newer than this one.

    ``notify`` shows a notice to the person, and returns whether it could.
    """

    newer_known = Signal(object)

    def __init__(
        self,
        choices: SettingsStore,
        folders: Folders,
        bridge: Bridge,
        notify: Callable[[UpdateNotice], bool],
        parent: QObject | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(parent)
        self._choices, self._data, self._notify = choices, folders.data, notify
        self._post, self._now = bridge.post_update, now
        self._diary = UpdateState(folders.contents.updates_file)
        self._asking: UpdateCheck | None = None
        bridge.update_arrived.connect(self._take)
        self._clock = QTimer(self, interval=LOOK_SECONDS * 1000)
        self._clock.setTimerType(Qt.TimerType.VeryCoarseTimer)
        self._clock.timeout.connect(self.look)

    @property
    def is_asking(self) -> bool:
        """Whether an answer is waited for."""
        return self._asking is not None

    def start(self) -> None:
        """Look now and then, but not while the program is starting."""
        self._tell_known()
        self._clock.start()

    def look(self) -> None:
        """Tell what is new where somebody sees it, and ask if it is time to."""
        settings = self._choices.settings
        if not settings.update_check:
            return
        self._tell()
        source = source_of(settings)
        if source is not None and self._asking is None and self._diary.is_due(self._now()):
            self._ask(source)

    def end(self) -> None:
        """With the program."""
        self._clock.stop()
        if self._asking is not None:
            self._asking.stop()

    def _ask(self, source: Source) -> None:
        self._diary.note_asked(self._now())
        asking = UpdateCheck(source, self._data, self._post)
        try:
            asking.start()
        except (UserError, OSError) as error:
            _log.info("Nobody was asked for newer versions: %r", error)
        else:
            self._asking = asking

    def _take(self, notice: UpdateNotice | None) -> None:
        self._asking = None
        if notice is not None:
            self._diary.note_answered(notice)
            self._tell_known()
            self._tell()

    def _tell_known(self) -> None:
        newest = self._diary.newest
        if newest is not None and newest.is_newer_than(own_version()):
            self.newer_known.emit(newest)

    def _tell(self) -> None:
        """Once, and only where ``notify`` says that somebody sees it."""
        notice = self._diary.untold(own_version()) if self._diary.newest else None
        if notice is not None and self._notify(notice):
            self._diary.note_told(notice)
