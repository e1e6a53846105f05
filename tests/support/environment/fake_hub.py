"""A small hub on loopback, which speaks as much of the real one's protocol as the real libraries ask for.

As there, a listing comes in pages, and a file's address redirects: a small file's within the hub (307), a large one's
to a signed address of another host, the storage (302).

``HF_ENDPOINT`` points to it in every test, whether it is up or not: so no test ever asks the real one.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import PurePosixPath
from typing import Any, Literal
from urllib.parse import parse_qs, parse_qsl, quote, unquote, urlencode, urlsplit

from tests.support.computer.loopback import free_port, serving

Kind = Literal["model", "dataset"]
_LARGE = (".safetensors", ".parquet", ".bin")  # stored by their SHA-256, as the real hub does
_PREFIX = {"model": "", "dataset": "datasets/"}
_SMALL = "resolve-cache"  # where the hub itself has small files
PAGE_ENTRIES = 3  # of a listing; 1,000 on the real hub

PORT = free_port()
ENDPOINT = f"http://127.0.0.1:{PORT}"
STORAGE = f"http://127.0.0.2:{PORT}"  # another host; the same port, because confined workers reach no other
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
    ``before_file`` is called before a file is sent, by its path. ``redirections`` lead elsewhere than the hub and its
    storage do, by the end of a path. ``links`` are the storage's signed addresses with what is there, ``stored`` the
    headers of what it was asked.
    """

    repositories: dict[tuple[str, str], Repository] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    cuts: list[int] = field(default_factory=list)
    answers: dict[str, bytes] = field(default_factory=dict)
    errors: list[int] = field(default_factory=list)
    before_file: dict[str, Callable[[], None]] = field(default_factory=dict)
    redirections: dict[str, str] = field(default_factory=dict)
    links: dict[str, bytes] = field(default_factory=dict)
    stored: list[dict[str, str]] = field(default_factory=list)

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

    def __init__(self, address: str, answer: type[_Answer], hub: Hub) -> None:
        super().__init__((urlsplit(address).hostname or "", PORT), answer)
        self.hub = hub


@contextmanager
def local_hub(hub: Hub | None = None) -> Iterator[Hub]:
    """Up at ``ENDPOINT`` as long as the block lasts; one at a time."""
    hub = hub or Hub()
    with serving(_Server(ENDPOINT, _Request, hub), _Server(STORAGE, _StoredFile, hub)):
        yield hub


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        """Quiet; the tests look at ``requests``."""

    def _send_data(self, data: bytes, about: Mapping[str, str]) -> None:
        """A file, or the range of it that is asked for."""
        about = {**about, "Accept-Ranges": "bytes"}
        first, last = _range(self.headers.get("Range"), len(data))
        if first >= len(data) > 0:
            return self._send(416, b"", {"Content-Range": f"bytes */{len(data)}"})
        if (first, last) == (0, len(data)):
            return self._send(200, data, about)
        about["Content-Range"] = f"bytes {first}-{last - 1}/{len(data)}"
        return self._send(206, data[first:last], about)

    def _redirect(self, status: int, target: str, about: Mapping[str, str]) -> None:
        self._send(status, f"Redirecting to {target}".encode(), {**about, "Location": target})

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


class _StoredFile(_Answer):
    """The storage's side, as S3 has it: who brings a token beside the signature is refused (400), a link ends (403)."""

    def do_GET(self) -> None:
        """A large file."""
        hub = self.server.hub
        hub.stored.append(dict(self.headers.items()))
        if "Authorization" in self.headers:
            return self._send(400, b"", {})
        if self.path not in hub.links:
            return self._send(403, b"", {})
        return self._send_data(hub.links[self.path], {"Content-Type": "application/octet-stream"})

    def do_HEAD(self) -> None:
        """The same without the body."""
        self.do_GET()


class _Request(_Answer):
    def do_GET(self) -> None:
        """A listing, what a revision is, or a file."""
        self._answer()

    def do_HEAD(self) -> None:
        """The same without the body."""
        self._answer()

    def do_POST(self) -> None:
        """Which of the named paths there are."""
        self._answer()

    def _answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self._body = self.rfile.read(length).decode()
        hub, path = self.server.hub, unquote(urlsplit(self.path).path)
        parts = path.strip("/").split("/")
        if parts[:2] == ["api", _SMALL]:
            repository = hub.repositories[parts[2], "/".join(parts[3:5])]
            return self._send_data(*_content(hub, repository, "/".join(parts[6:])))
        wanted = self.headers.get("Range", "")
        hub.requests.append(f"{self.command} {path} {wanted}".rstrip())
        if target := next((target for end, target in hub.redirections.items() if path.endswith(end)), None):
            return self._redirect(302, target, {})
        if parts[0] == "api" and len(parts) >= 4:
            return self._of_the_interface(parts[1], "/".join(parts[2:4]), parts[4:])
        return self._of_files(parts)

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
        return self._send_page([*directories, *(repository.entry(path) for path in shown)])

    def _send_page(self, entries: list[dict[str, Any]]) -> None:
        """The page that is asked for, and where the next one is."""
        parts = urlsplit(self.path)
        options = dict(parse_qsl(parts.query))
        first = int(options.pop("cursor", "0"))
        after, about = first + PAGE_ENTRIES, {}
        if after < len(entries):
            following = urlencode({**options, "cursor": after})
            about["Link"] = f'<{ENDPOINT}{parts.path}?{following}>; rel="next"'
        return self._send_json(entries[first:after], about)

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
        return self._lead_to(repository, path, f"/api/{_SMALL}/{plural}/{repository.name}/{repository.revision}")

    def _lead_to(self, repository: Repository, path: str, folder: str) -> None:
        """To where the bytes of that file are."""
        hub = self.server.hub
        if self.command == "GET" and hub.errors:
            return self._send(hub.errors.pop(0), b"", {})
        if self.command == "GET" and path in hub.before_file:
            hub.before_file[path]()
        data, about = _content(hub, repository, path)
        if not path.endswith(_LARGE):
            return self._redirect(307, f"{folder}/{quote(path)}", about)
        link = f"/{hashlib.sha256(data).hexdigest()}?X-Amz-Signature={secrets.token_hex(32)}"
        hub.links[link] = data
        linked = {"X-Linked-Size": str(len(data)), "X-Linked-ETag": about["ETag"]}
        return self._redirect(302, f"{STORAGE}{link}", {**about, **linked})

    def _missing(self, code: str) -> None:
        self._send(404, b"{}", {"X-Error-Code": code, "Content-Type": "application/json"})

    def _send_json(self, value: object, about: Mapping[str, str] | None = None) -> None:
        headers = {"Content-Type": "application/json", **(about or {})}
        self._send(200, json.dumps(value).encode(), headers, is_file=False)


def _content(hub: Hub, repository: Repository, path: str) -> tuple[bytes, dict[str, str]]:
    """What is sent for that file, and the headers that tell which one it is."""
    entry = repository.entry(path)
    digest = entry["lfs"]["oid"] if "lfs" in entry else entry["oid"]
    about = {"ETag": f'"{digest}"', "X-Repo-Commit": repository.revision}
    return hub.answers.get(path, repository.files[path]), about


def _range(wanted: str | None, size: int) -> tuple[int, int]:
    """``bytes=5-`` and ``bytes=5-9`` as the first byte and the one after the last."""
    if not wanted:
        return 0, size
    first, _, last = wanted.removeprefix("bytes=").partition("-")
    return int(first), min(size, int(last) + 1) if last else size
