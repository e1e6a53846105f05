"""The worker of a push: uploads an exported model to a hub, without torch and without a swarm, and ends."""

from __future__ import annotations

from pathlib import Path

from core.errors import ErrorKind, UserError
from core.files.json_file import read_bounded
from core.localizable import localized
from core.protocol.commands import Push
from core.protocol.events import Pushed
from core.worker.fetch.hub_upload import upload_folder
from core.worker.process.channel import WorkerChannel
from core.worker.process.supervisor import Supervisor
from core.worker.roles.leave_at_once import exit_on_leave

MAX_TOKEN_BYTES = 1024


def run_push(command: Push, scratch: Path, channel: WorkerChannel, supervisor: Supervisor) -> None:
    """Upload the folder's files, and send where they are as Pushed; raises UserError."""
    supervisor.start("push leave", lambda: exit_on_leave(channel))
    token = _read_token(Path(command.token_file))
    url = upload_folder(Path(command.folder), command.repository, command.message, token, scratch)
    channel.emit(Pushed(repository=command.repository, url=url))


def _read_token(path: Path) -> str:
    try:
        token = read_bounded(path, MAX_TOKEN_BYTES).decode("ascii").strip()
    except (OSError, ValueError):
        token = ""
    if not token or not token.isprintable() or " " in token:
        raise UserError(ErrorKind.PUSH_FAILED, localized("%1 holds no token.", path))
    return token
