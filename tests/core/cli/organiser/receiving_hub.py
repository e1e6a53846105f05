"""A hub on loopback that takes uploads, as much of the real one's protocol as huggingface_hub asks for.

It stands for the real hub's repositories, large files (git LFS, "basic" transfer) and commits, and serves what was
committed last under each name. What it refuses is told by the beginning of a path. As there, large files go to a
signed address of another host, the storage, which the token is not for.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from tests.support.computer.loopback import free_port, serving

_LARGE = ".safetensors"
COMMIT = "0123456789012345678901234567890123456789"


@dataclass
class ReceivingHub:
    """What was committed, file by file, and with which tokens and messages; and what is to go wrong.

    ``refused`` are statuses by a part of the path, ``redirected`` is such a part of what leads to the storage's host.
    ``is_cut``: connections break off in the middle of a large file. ``fetched`` are the names of the files that
    somebody was sent, ``stored`` the headers of what the storage was asked.
    """

    url: str
    storage: str
    committed: list[dict[str, bytes]] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    made_private: list[str] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    refused: dict[str, int] = field(default_factory=dict)
    redirected: str = ""
    is_cut: bool = False
    fetched: list[str] = field(default_factory=list)
    large: dict[str, bytes] = field(default_factory=dict)
    stored: list[dict[str, str]] = field(default_factory=list)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, place: tuple[str, int], answer: type[_Answer], hub: ReceivingHub) -> None:
        super().__init__(place, answer)
        self.hub = hub


@contextmanager
def receiving_hub() -> Iterator[ReceivingHub]:
    """Up at ``url`` as long as the block lasts."""
    port = free_port()  # the same of both hosts, because confined workers reach no other
    hub = ReceivingHub(f"http://127.0.0.1:{port}", f"http://127.0.0.2:{port}")
    with serving(_Server(("127.0.0.1", port), _Request, hub), _Server(("127.0.0.2", port), _Storage, hub)):
        yield hub


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""

    def _answer(self, value: object, status: int = 200) -> None:
        self._send(json.dumps(value).encode(), status, "application/json")

    def _send(self, body: bytes, status: int = 200, kind: str = "application/octet-stream", **more: str) -> None:
        self.send_response(status)
        for name, told in {"Content-Type": kind, "Content-Length": str(len(body)), **more}.items():
            self.send_header(name, told)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)


class _Storage(_Answer):
    """As S3 has it: who brings a token beside the signature is refused."""

    def do_PUT(self) -> None:
        """The bytes of a large file."""
        hub, length = self.server.hub, int(self.headers["Content-Length"])
        hub.stored.append(dict(self.headers.items()))
        if hub.is_cut:
            self.rfile.read(length // 2)
            self.close_connection = True
            self.connection.close()
            return
        hub.large[urlsplit(self.path).path.rpartition("/")[2]] = self.rfile.read(length)
        self._answer({}, 400 if "Authorization" in self.headers else 200)

    def do_POST(self) -> None:
        """Nothing that it knows of."""
        self.server.hub.stored.append(dict(self.headers.items()))
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._answer({"error": "no"}, 401)


class _Request(_Answer):
    def do_POST(self) -> None:
        """A repository, a question about files, or a commit."""
        hub, body = self.server.hub, self.rfile.read(int(self.headers.get("Content-Length") or 0))
        hub.tokens.add(self.headers.get("Authorization", ""))
        if hub.redirected and hub.redirected in self.path:
            return self._send(b"", 307, Location=f"{hub.storage}{self.path}")
        refused = [status for part, status in hub.refused.items() if part in self.path]
        if refused:
            return self._answer({"error": "no"}, refused[0])
        if self.path.endswith("/repos/create"):
            asked = json.loads(body)
            if asked.get("private") or asked.get("visibility") == "private":
                hub.made_private.append(f"{asked.get('organization')}/{asked['name']}")
            return self._answer({"url": f"{hub.url}/{asked.get('organization')}/{asked['name']}"})
        if "/preupload/" in self.path:
            return self._answer({"files": [_mode(each["path"]) for each in json.loads(body)["files"]]})
        if self.path.endswith("/objects/batch"):
            return self._answer(
                {"transfer": "basic", "objects": [self._place(each) for each in json.loads(body)["objects"]]}
            )
        if "/commit/" in self.path:
            return self._commit([json.loads(line) for line in body.splitlines()])
        return self._answer({"errors": [], "warnings": []})

    def do_GET(self) -> None:
        """A file of the main branch."""
        hub, (place, _, name) = self.server.hub, self.path.rpartition("/")
        found = next((files[name] for files in reversed(hub.committed) if name in files), None)
        if found is None or not place.endswith("/resolve/main"):
            return self._answer({"error": "there is none"}, 404)
        hub.fetched.append(name)
        return self._send(found)

    def _place(self, wanted: dict[str, Any]) -> dict[str, Any]:
        hub = self.server.hub
        place = {"href": f"{hub.storage}/large/{wanted['oid']}?X-Amz-Signature={wanted['oid']}"}
        verify = {"href": f"{hub.url}/verify"}
        return {**wanted, "authenticated": True, "actions": {"upload": place, "verify": verify}}

    def _commit(self, lines: list[dict[str, Any]]) -> None:
        hub, files = self.server.hub, {}
        for line in lines:
            value = line["value"]
            if line["key"] == "header":
                hub.messages.append(value["summary"])
            elif line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                files[value["path"]] = hub.large[value["oid"]]
        hub.committed.append(files)
        url = f"{hub.url}/{'/'.join(self.path.split('/')[3:5])}/commit/{COMMIT}"
        self._answer({"success": True, "commitOid": COMMIT, "commitUrl": url, "hookOutput": ""})


def _mode(path: str) -> dict[str, Any]:
    return {"path": path, "uploadMode": "lfs" if path.endswith(_LARGE) else "regular", "shouldIgnore": False}
