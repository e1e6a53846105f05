"""Whether there is a newer Workerbee: asked once a fortnight, told once, and never fetched."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.bridge import Bridge
from app.front import Front
from app.web_link import open_web_link
from core.filled import filled
from core.own_version import own_version
from core.problems import ClientError
from core.updates.asking import Asking
from core.updates.diary import UpdateDiary
from core.updates.notice import UpdateNotice
from core.updates.source import Source, source_of

LOOK_SECONDS = 60
_log = logging.getLogger(__name__)


class Updates(QObject):
    """Main thread only; ``newer_known`` tells of a version that is newer than this one."""

    newer_known = Signal(object)

    def __init__(
        self,
        front: Front,
        bridge: Bridge,
        parent: QObject | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(parent)
        self._choices, self._window, self._data = front.choices, front.window, front.folders.data
        self._post, self._now = bridge.post_update, now
        self._diary = UpdateDiary(front.folders.updates_file)
        self._asking: Asking | None = None
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
        asking = Asking(source, self._data, self._post)
        try:
            asking.start()
        except (ClientError, OSError) as error:
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
        """In a window that is looked at, and not in the place of something else."""
        bar = self._window.notice
        if self._diary.newest is None or not self._window.is_seen or not bar.isHidden():
            return
        notice = self._diary.untold(own_version())
        if notice is None:
            return
        self._diary.note_told(notice)
        bar.say(
            "info",
            filled(self.tr("Workerbee %1 is there."), notice.version),
            filled(self.tr("This is %1. Nothing is downloaded by itself."), own_version()),
            button=self.tr("Open its page"),
            action=lambda: open_web_link(notice.page),
        )
