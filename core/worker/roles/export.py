"""The worker of an export: writes one checkpoint as others load it, without a swarm, and ends."""

from __future__ import annotations

from pathlib import Path

from core.errors import ErrorKind
from core.localizable import Detail
from core.protocol.commands import Export
from core.protocol.events import StateLoading, Warned
from core.worker.export.exporter import export_checkpoint
from core.worker.fetch.fetcher import open_fetcher
from core.worker.fetch.file_store import FetchContext, FileStore
from core.worker.process.channel import WorkerChannel
from core.worker.process.supervisor import Supervisor
from core.worker.roles.leave_at_once import exit_on_leave


class ExportProgress:
    """A ProgressListener that sends StateLoading and Warned events; the process that is to leave just ends."""

    def __init__(self, channel: WorkerChannel) -> None:
        self._channel = channel

    def progress(self, received_bytes: int, total_bytes: int) -> None:
        """Send how many bytes of base model and tokenizer have been received."""
        self._channel.emit(StateLoading(what="files", received_bytes=received_bytes, total_bytes=total_bytes))

    def check(self) -> None:
        """Do nothing: whoever is to leave ends the process."""

    def warn(self, problem: ErrorKind, detail: Detail) -> None:
        """Send a warning about what is tried again, or left out."""
        self._channel.emit(Warned(problem=problem.key, detail=detail))


def run_export(command: Export, channel: WorkerChannel, supervisor: Supervisor) -> None:
    """Export the checkpoint, and send what it was as Exported; raises UserError."""
    supervisor.start("export leave", lambda: exit_on_leave(channel))
    open_fetcher((), None)  # the base model and the tokenizer are a hub's
    context = FetchContext(FileStore(Path(command.home)), ExportProgress(channel))
    channel.emit(export_checkpoint(command, context))
