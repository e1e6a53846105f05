"""Where the processes of one person and one home meet: a lock and a socket in the session's own folder."""

from __future__ import annotations

import os
import tempfile
import zlib
from pathlib import Path

_LONGEST_FOLDER = 70  # the path of a Unix socket has 107 bytes at most (unix(7))


def meeting_place(home: Path) -> Path:
    """The path, without a suffix, of the lock (``.lock``) and the socket (``.sock``) of a home. Raises OSError."""
    return _runtime_folder() / f"workerbee-{zlib.crc32(str(home).encode()):08x}"


def socket_path(place: Path) -> Path:
    """The socket of that meeting place."""
    return place.with_suffix(".sock")


def _runtime_folder() -> Path:
    """The session's own folder; or one below /tmp that is nobody else's. Raises OSError."""
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR") or "/nonexistent")
    if runtime.is_dir() and os.access(runtime, os.W_OK) and _is_ours(runtime) and len(str(runtime)) < _LONGEST_FOLDER:
        return runtime
    folder = Path(tempfile.gettempdir()) / f"workerbee-{os.getuid() if os.name == 'posix' else 0}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if not _is_ours(folder) or folder.is_symlink():
        raise PermissionError(f"{folder} belongs to somebody else")
    return folder


def _is_ours(folder: Path) -> bool:
    """A session's variable may name another person's folder, as after ``su``."""
    return os.name != "posix" or folder.stat().st_uid == os.getuid()
