"""Whether there is a newer Workerbee: asked once a fortnight, announced once, and never downloaded."""

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

POLL_SECONDS = 60
_log = logging.getLogger(__name__)


class UpdateController(QObject):
    """Starts a check when one is due, and announces its answer once; main thread only.

    Signals:
        newer_known: a version newer than this one is known (an UpdateNotice).
    """

    newer_known = Signal(object)

    def __init__(
        self,
        settings_store: SettingsStore,
        folders: Folders,
        bridge: Bridge,
        announce: Callable[[UpdateNotice], bool],
        parent: QObject | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        """``announce`` shows a notice to the person, and returns whether it could."""
        super().__init__(parent)
        self._settings_store, self._data_folder, self._announce = settings_store, folders.data, announce
        self._post, self._now = bridge.post_update, now
        self._state = UpdateState(folders.contents.updates_file)
        self._check: UpdateCheck | None = None
        bridge.update_arrived.connect(self._on_answer)
        self._timer = QTimer(self, interval=POLL_SECONDS * 1000)
        self._timer.setTimerType(Qt.TimerType.VeryCoarseTimer)
        self._timer.timeout.connect(self.poll)

    @property
    def is_checking(self) -> bool:
        """Whether the answer to a check is waited for."""
        return self._check is not None

    @property
    def newer_version(self) -> UpdateNotice | None:
        """A version newer than this one, if one is known."""
        newest = self._state.newest
        return newest if newest is not None and newest.is_newer_than(own_version()) else None

    def start(self) -> None:
        """Emit what is known already, and poll from now on; the first check is not part of the program's start."""
        self._emit_known()
        self._timer.start()

    def poll(self) -> None:
        """Announce what is new where somebody sees it, and start a check if one is due."""
        settings = self._settings_store.settings
        if not settings.update_check:
            return
        self._announce_once()
        source = source_of(settings)
        if source is not None and self._check is None and self._state.is_due(self._now()):
            self._start_check(source)

    def stop(self) -> None:
        """Stop polling, and end a check that is under way; for the program's end."""
        self._timer.stop()
        if self._check is not None:
            self._check.stop()

    def _start_check(self, source: Source) -> None:
        self._state.record_request(self._now())
        check = UpdateCheck(source, self._data_folder, self._post)
        try:
            check.start()
        except (UserError, OSError) as error:
            _log.info("Nobody was asked for newer versions: %r", error)
        else:
            self._check = check

    def _on_answer(self, notice: UpdateNotice | None) -> None:
        self._check = None
        if notice is not None:
            self._state.record_answer(notice)
            self._emit_known()
            self._announce_once()

    def _emit_known(self) -> None:
        if self.newer_version is not None:
            self.newer_known.emit(self.newer_version)

    def _announce_once(self) -> None:
        """Announce a version that was not announced before, where ``announce`` says that somebody sees it."""
        notice = self._state.unannounced(own_version()) if self._state.newest else None
        if notice is not None and self._announce(notice):
            self._state.record_announced(notice)
