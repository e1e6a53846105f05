"""A package index on loopback, of the wheels in a folder; its line can be cut, slowed down and mended."""

from __future__ import annotations

import hashlib
import html
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote

from tests.support.computer.loopback import serving

_PIECE_BYTES = 64 * 1024


class WheelIndex(ThreadingHTTPServer):
    """``cut_at_bytes`` ends each transfer there; ``asked`` are the ranges that somebody has asked for.

    ``errors`` are the statuses of the next answers to Workerbee itself. One that ``redirects`` sends whoever wants a
    file to another host, as indexes with a CDN do.
    """

    daemon_threads = True

    def __init__(self, folder: Path, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), partial(_Answer, self))
        self.folder = folder
        self.cut_at_bytes: int | None = None
        self.seconds_a_piece = 0.0
        self.asked: list[tuple[str, int]] = []
        self.errors: list[int] = []
        self.redirects = False

    @property
    def url(self) -> str:
        """For uv."""
        return f"http://127.0.0.1:{self.server_address[1]}/simple/"

    def wheels_of(self, library: str) -> list[Path]:
        """Those in the folder."""
        return [each for each in sorted(self.folder.glob("*.whl")) if _normal(each.name.split("-")[0]) == library]


@contextmanager
def serving_wheels(folder: Path, port: int = 0) -> Iterator[WheelIndex]:
    """Until the block ends."""
    index = WheelIndex(folder, port)
    with serving(index):
        yield index


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, index: WheelIndex, *args: object) -> None:
        self._index = index
        super().__init__(*args)  # type: ignore[arg-type]

    def log_message(self, *_: object) -> None:
        """Quietly."""

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        index = self._index
        if index.errors and self.headers["User-Agent"] == "workerbee":
            self._send(index.errors.pop(0), b"", "text/plain")
            return
        parts = [unquote(part) for part in self.path.split("/") if part]
        if parts[:1] == ["simple"] and len(parts) == 2:
            self._list(_normal(parts[1]))
        elif parts[:1] == ["files"] and index.redirects and self.headers["Host"].startswith("127.0.0.1"):
            self.send_response(302)
            self.send_header("Location", f"http://localhost:{index.server_address[1]}{self.path}")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif parts[:1] == ["files"] and (index.folder / parts[1]).is_file():
            self._send_file(index.folder / parts[1])
        else:
            self._send(404, b"", "text/plain")

    def _list(self, library: str) -> None:
        wheels = self._index.wheels_of(library)
        links = "".join(map(_link, wheels))
        self._send(200 if wheels else 404, f"<!DOCTYPE html>{links}".encode(), "text/html")

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def _send_file(self, path: Path) -> None:
        size = path.stat().st_size
        wanted = re.match(r"bytes=(\d*)-(\d*)$", self.headers.get("Range", ""))
        begin, end = _range(wanted, size) if wanted else (0, size)
        if begin >= size:
            self._send(416, b"", "text/plain")
            return
        if self.command == "GET":
            self._index.asked.append((path.name, begin))
        self.send_response(206 if wanted else 200)
        self.send_header("Content-Length", str(end - begin))
        self.send_header("Accept-Ranges", "bytes")
        if wanted:
            self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{size}")
        self.end_headers()
        if self.command == "GET":
            self._pour(path, begin, end)

    def _pour(self, path: Path, begin: int, end: int) -> None:
        limit = self._index.cut_at_bytes
        with path.open("rb") as file:
            file.seek(begin)
            while begin < end:
                piece = file.read(min(_PIECE_BYTES, end - begin))
                try:
                    self.wfile.write(piece)
                except ConnectionError:  # whoever asked has gone
                    self.close_connection = True
                    return
                begin += len(piece)
                time.sleep(self._index.seconds_a_piece)
                if limit is not None and begin >= limit:
                    self.close_connection = True
                    return


@cache
def _link(wheel: Path) -> str:
    """With its hash, as real indexes have it: without, uv would fetch every file to compute one."""
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return f'<a href="/files/{quote(wheel.name)}#sha256={digest}">{html.escape(wheel.name)}</a>\n'


def _range(wanted: re.Match[str], size: int) -> tuple[int, int]:
    first, last = wanted.groups()
    if not first:
        return max(0, size - int(last)), size
    return int(first), min(size, int(last) + 1) if last else size


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
