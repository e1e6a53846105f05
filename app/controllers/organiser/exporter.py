"""The export of a published run's model from the window: a client whose worker writes it, and ends."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.controllers.thread_bridge import Bridge
from core.client.client import Client
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.protocol.client_events import ClientEvent

if TYPE_CHECKING:
    from core.records.published.runs import PublishedRun


@dataclass(frozen=True)
class Exported:
    """A model that was written: the folder that was made for it, and the epoch of its checkpoint."""

    folder: Path
    epoch: int


ExportOutcome = Exported | UserError | None


class ModelExporter(QObject):
    """Exports one model at a time; main thread only.

    Signals:
        finished: the folder that was made (a Path), and the epoch of its checkpoint.
        failed: why there is none (a UserError).

    Attributes:
        outcome: what has become of the last export; ``None`` where there was none yet, or while it goes on.
    """

    finished = Signal(object, int)
    failed = Signal(object)

    def __init__(
        self, folders: Folders, parent: QObject | None = None, *, worker_command: Sequence[str] | None = None
    ) -> None:
        super().__init__(parent)
        self._folders = folders
        self._bridge = Bridge(self)
        self._bridge.event_arrived.connect(self._on_event)
        self._client = Client(folders, self._bridge.post_event, worker_command=worker_command)
        self._target: Path | None = None
        self.outcome: ExportOutcome = None
        self._folder = contextlib.ExitStack()

    @property
    def is_exporting(self) -> bool:
        """Whether a model is being written."""
        return self._target is not None

    def export(self, run: PublishedRun, target: Path) -> None:
        """Write the newest checkpoint's model into that folder, which does not exist yet; not while another is made."""
        if self.is_exporting or self._client.session.phase not in ("idle", "ended"):
            return
        from core.records.published.export import export_request, folder_made_whole

        try:
            folder = self._folder.enter_context(folder_made_whole(target))
        except UserError as error:
            self._fail(error)
            return
        self._target, self.outcome = target, None
        self._client.ask(export_request(run, self._folders.data, folder))

    def close(self) -> None:
        """Stop, and leave nothing half written; for the program's end."""
        self._client.close()
        self._discard(UserError(ErrorKind.WORKER_CRASHED))

    def _on_event(self, event: ClientEvent) -> None:
        self._client.handle(event)
        session, target = self._client.session, self._target
        if session.phase != "ended" or target is None:
            return
        if session.exported is None:
            error = UserError(session.problem or ErrorKind.WORKER_CRASHED, session.problem_detail)
            self._discard(error)
            self._fail(error)
            return
        self._target = None
        try:
            self._folder.close()
        except UserError as error:
            self._fail(error)
        else:
            self.outcome = Exported(target, session.exported.epoch)
            self.finished.emit(target, session.exported.epoch)

    def _fail(self, error: UserError) -> None:
        """Tell why there is no model."""
        self.outcome = error
        self.failed.emit(error)

    def _discard(self, error: UserError) -> None:
        """Remove what has been written."""
        self._target = None
        with contextlib.suppress(UserError), self._folder:
            raise error
