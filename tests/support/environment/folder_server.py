"""A web server on loopback that offers the files of a folder, as static hosting does: well, badly or not at all."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from core.records.published.mirror import INDEX_NAME
from core.worker.mirror.index import decode_index
from tests.support.computer.loopback import serving


class FolderServer(ThreadingHTTPServer):
    """``requests`` are the paths that were asked for, each with the first byte that was wanted, and ``sent_bytes`` of
    files went out. ``cuts`` are the bytes after which the next answers break off, one after the other, ``errors`` are
    the statuses of the next ones; while it ``hangs``, it takes requests and answers nothing.
    """

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), partial(_Answer, self))
        self.folder = folder
        self.requests: list[tuple[str, int]] = []
        self.cuts: list[int] = []
        self.errors: list[int] = []
        self.sent_bytes = 0
        self.hangs = False
        self.is_closing = threading.Event()

    @property
    def address(self) -> str:
        """Of the folder."""
        return f"http://127.0.0.1:{self.server_address[1]}/"

    def asked(self, ending: str) -> list[int]:
        """The first bytes that were wanted of files whose names end so, in order."""
        return [start for path, start in self.requests if path.endswith(ending)]


@contextmanager
def serving_folder(folder: Path) -> Iterator[FolderServer]:
    """Until the block ends."""
    server = FolderServer(folder)
    with serving(server):
        try:
            yield server
        finally:
            server.is_closing.set()


def newest_mirrored(folder: Path) -> int:
    """The number of outer steps behind the newest state in that folder of a mirror; none before the first."""
    path = folder / INDEX_NAME
    return decode_index(path.read_bytes()).outer_steps if path.exists() else 0


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, server: FolderServer, *args: object) -> None:
        self._files = server
        super().__init__(*args)  # type: ignore[arg-type]

    def log_message(self, *_: object) -> None:
        """Quietly."""

    def do_GET(self) -> None:
        start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").removesuffix("-"))
        self._files.requests.append((self.path, start))
        if self._files.hangs:
            self._files.is_closing.wait()
            self.close_connection = True
            return
        path = self._files.folder / self.path.lstrip("/")
        if self._files.errors:
            self._refuse(self._files.errors.pop(0), Retry_After="1")
        elif not path.is_file():
            self._refuse(404)
        elif start >= (size := path.stat().st_size) > 0:
            self._refuse(416, Content_Range=f"bytes */{size}")
        else:
            self._send(path.read_bytes(), start)

    def _refuse(self, status: int, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": "0", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def _send(self, content: bytes, start: int) -> None:
        body = content[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body)))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.end_headers()
        if self._files.cuts:
            body = body[: self._files.cuts.pop(0)]
            self.close_connection = True
        self._files.sent_bytes += len(body)
        with contextlib.suppress(OSError):  # whoever asked has gone
            self.wfile.write(body)
