"""A small hub on loopback, which speaks as much of the real one's protocol as the real libraries ask for.

``HF_ENDPOINT`` points to it in every test, whether it is up or not: so no test ever asks the real one.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import PurePosixPath
from typing import Any, Literal
from urllib.parse import parse_qs, unquote, urlsplit

from tests.support.computer.loopback import free_port, serving

Kind = Literal["model", "dataset"]
_LARGE = (".safetensors", ".parquet", ".bin")  # stored by their SHA-256, as the real hub does
_PREFIX = {"model": "", "dataset": "datasets/"}


PORT = free_port()
ENDPOINT = f"http://127.0.0.1:{PORT}"
os.environ["HF_ENDPOINT"] = ENDPOINT  # before any library is imported that reads it then


@dataclass(frozen=True)
class Repository:
    """A repository at its one revision, which is a hash of all that is in it."""

    kind: Kind
    name: str
    files: Mapping[str, bytes]

    @property
    def revision(self) -> str:
        """40 hexadecimal digits."""
        every = [self.name, *(f"{path}:{git_digest(data)}" for path, data in sorted(self.files.items()))]
        return hashlib.sha1("\n".join(every).encode()).hexdigest()

    def url(self, path: str) -> str:
        """Where that file can be downloaded."""
        return f"{ENDPOINT}/{_PREFIX[self.kind]}{self.name}/resolve/{self.revision}/{path}"

    def entry(self, path: str) -> dict[str, Any]:
        """The file in a listing."""
        data = self.files[path]
        entry: dict[str, Any] = {"type": "file", "path": path, "size": len(data), "oid": git_digest(data)}
        if path.endswith(_LARGE):
            sha256 = hashlib.sha256(data).hexdigest()
            entry["lfs"] = {"oid": sha256, "size": len(data), "pointerSize": 130}
        return entry


def git_digest(data: bytes) -> str:
    """What git calls a blob with that data."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


@dataclass
class Hub:
    """What is published, what was asked for (``GET /path bytes=5-``), and what is to go wrong.

    ``cuts`` are the bytes after which the next answers with a file break off, one after the other.
    ``answers`` are sent in place of a file, by its path; ``errors`` are the statuses of the next answers.
    ``before_file`` is called before a file is sent, by its path.
    """

    repositories: dict[tuple[str, str], Repository] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    cuts: list[int] = field(default_factory=list)
    answers: dict[str, bytes] = field(default_factory=dict)
    errors: list[int] = field(default_factory=list)
    before_file: dict[str, Callable[[], None]] = field(default_factory=dict)

    def publish(self, kind: Kind, name: str, files: Mapping[str, bytes]) -> Repository:
        """Serve that repository from now on."""
        repository = Repository(kind, name, files)
        self.repositories[_PREFIX[kind].rstrip("/") or "models", name] = repository
        return repository

    def asked(self, path: str) -> list[str]:
        """The requests for that file, in order."""
        return [request for request in self.requests if request.split(" ")[1].endswith(path)]


class _Server(ThreadingHTTPServer):
    allow_reuse_address = True
    daemon_threads = True
    hub: Hub


@contextmanager
def local_hub(hub: Hub | None = None) -> Iterator[Hub]:
    """Up at ``ENDPOINT`` as long as the block lasts; one at a time."""
    server = _Server(("127.0.0.1", PORT), _Request)
    server.hub = hub or Hub()
    with serving(server):
        yield server.hub


class _Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        """A listing, what a revision is, or a file."""
        self._answer()

    def do_HEAD(self) -> None:
        """The same without the body."""
        self._answer()

    def do_POST(self) -> None:
        """Which of the named paths there are."""
        self._answer()

    def log_message(self, format: str, *args: object) -> None:
        """Quiet; the tests look at ``requests``."""

    def _answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self._body = self.rfile.read(length).decode()
        path = unquote(urlsplit(self.path).path)
        wanted = self.headers.get("Range", "")
        self.server.hub.requests.append(f"{self.command} {path} {wanted}".rstrip())
        parts = path.strip("/").split("/")
        if parts[0] == "api" and len(parts) >= 4:
            self._of_the_interface(parts[1], "/".join(parts[2:4]), parts[4:])
        else:
            self._of_files(parts)

    def _of_the_interface(self, plural: str, name: str, rest: list[str]) -> None:
        repository = self.server.hub.repositories.get((plural, name))
        if repository is None:
            return self._missing("RepoNotFound")
        if len(rest) > 1 and rest[1] not in (repository.revision, "main"):
            return self._missing("RevisionNotFound")
        match rest[:1]:
            case ["tree"]:
                folder = "/".join(rest[2:])
                return self._tree(repository, f"{folder}/" if folder else "")
            case ["paths-info"]:
                paths = parse_qs(self._body).get("paths") or json.loads(self._body or "{}").get("paths", [])
                return self._send_json([repository.entry(path) for path in paths if path in repository.files])
            case [] | ["revision"]:
                siblings = [{"rfilename": path} for path in sorted(repository.files)]
                about = {"_id": "0", "id": name, "sha": repository.revision, "siblings": siblings}
                return self._send_json({**about, "private": False, "tags": [], "downloads": 0, "likes": 0})
            case _:
                return self._missing("EntryNotFound")

    def _tree(self, repository: Repository, folder: str) -> None:
        is_recursive = "recursive" in self.path and "recursive=False" not in self.path
        below = [path for path in sorted(repository.files) if path.startswith(folder)]
        if folder and not below:
            return self._missing("EntryNotFound")
        shown = [path for path in below if is_recursive or "/" not in path.removeprefix(folder)]
        nested = {parent.as_posix() for path in below for parent in PurePosixPath(path).parents} - {"."}
        folders = sorted(
            path for path in nested if path.startswith(folder) and (is_recursive or "/" not in path[len(folder) :])
        )
        directories = [{"type": "directory", "path": path, "oid": "0" * 40, "size": 0} for path in folders]
        return self._send_json([*directories, *(repository.entry(path) for path in shown)])

    def _of_files(self, parts: list[str]) -> None:
        plural = "datasets" if parts[0] == "datasets" else "models"
        rest = parts[1:] if plural == "datasets" else parts
        repository = self.server.hub.repositories.get((plural, "/".join(rest[:2])))
        if repository is None or len(rest) < 5 or rest[2] != "resolve":
            return self._missing("RepoNotFound")
        path = "/".join(rest[4:])
        if rest[3] not in (repository.revision, "main"):
            return self._missing("RevisionNotFound")
        if path not in repository.files:
            return self._missing("EntryNotFound")
        return self._send_file(repository, path)

    def _send_file(self, repository: Repository, path: str) -> None:
        hub = self.server.hub
        if self.command == "GET" and hub.errors:
            return self._send(hub.errors.pop(0), b"", {})
        if self.command == "GET" and path in hub.before_file:
            hub.before_file[path]()
        data = hub.answers.get(path, repository.files[path])
        entry = repository.entry(path)
        digest = entry["lfs"]["oid"] if "lfs" in entry else entry["oid"]
        about = {"ETag": f'"{digest}"', "X-Repo-Commit": repository.revision, "Accept-Ranges": "bytes"}
        first, last = _range(self.headers.get("Range"), len(data))
        if first >= len(data) > 0:
            return self._send(416, b"", {"Content-Range": f"bytes */{len(data)}"})
        if (first, last) == (0, len(data)):
            return self._send(200, data, about)
        about["Content-Range"] = f"bytes {first}-{last - 1}/{len(data)}"
        return self._send(206, data[first:last], about)

    def _missing(self, code: str) -> None:
        self._send(404, b"{}", {"X-Error-Code": code, "Content-Type": "application/json"})

    def _send_json(self, value: object) -> None:
        self._send(200, json.dumps(value).encode(), {"Content-Type": "application/json"}, is_file=False)

    def _send(self, status: int, body: bytes, headers: Mapping[str, str], *, is_file: bool = True) -> None:
        self.send_response(status)
        always = {"Content-Length": str(len(body)), "Connection": "close"}  # or it outlives the server
        for name, value in {**headers, **always}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        cuts = self.server.hub.cuts
        if is_file and status in (200, 206) and cuts and len(body) > cuts[0]:
            self.wfile.write(body[: cuts.pop(0)])
            self.connection.shutdown(socket.SHUT_RDWR)
        else:
            self.wfile.write(body)


def _range(wanted: str | None, size: int) -> tuple[int, int]:
    """``bytes=5-`` and ``bytes=5-9`` as the first byte and the one after the last."""
    if not wanted:
        return 0, size
    first, _, last = wanted.removeprefix("bytes=").partition("-")
    return int(first), min(size, int(last) + 1) if last else size
