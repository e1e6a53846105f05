"""A file from a server that cuts, lacks or misnames what it sends: it goes on, begins anew or is refused."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.security.verified_download import RefusedError, Remote, UnreachableError, accept, fetch_rest
from tests.core.security.scripted_server import ScriptedServer, http_answer, scripted_server

FILE = random.Random(1).randbytes(1000)
WHOLE = http_answer("200 OK", FILE, Content_Length=1000)
CHUNKED = http_answer("200 OK", b"3e8\r\n" + FILE + b"\r\n0\r\n\r\n", Transfer_Encoding="chunked")


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with scripted_server() as server:
        yield server


def rest(first: int, last: int = 999, total: object = 1000) -> bytes:
    """The answer to who wants a range: those bytes."""
    body = FILE[first : last + 1]
    return http_answer(
        "206 Partial Content", body, Content_Length=len(body), Content_Range=f"bytes {first}-{last}/{total}"
    )


def attempts(server: ScriptedServer, folder: Path, *script: bytes) -> list[str]:
    """Fetch the file to its end, as often as that takes; the ranges that were asked for. Raises RefusedError."""
    server.script = list(script)
    remote = Remote(server.address, len(FILE), hashlib.sha256(FILE).hexdigest())
    while True:
        try:
            for _ in fetch_rest(remote, folder / "part"):
                pass
            break
        except UnreachableError:
            assert server.script, "the last answer was enough"
    accept(remote, folder / "part", folder / "whole")
    assert (folder / "whole").read_bytes() == FILE and server.script == []
    return server.asked


@pytest.mark.parametrize("answer", [WHOLE, CHUNKED, http_answer("200 OK", FILE)], ids=["length", "chunks", "neither"])
@pytest.mark.parametrize("missing", [0, 1, 600])
def test_a_cut_is_noticed_however_a_server_tells_the_length(
    server: ScriptedServer, tmp_path: Path, answer: bytes, missing: int
) -> None:
    came = min(1000, 1000 - missing + (len(b"\r\n0\r\n\r\n") if answer is CHUNKED else 0))
    asked = attempts(server, tmp_path, answer[: len(answer) - missing], *([rest(came)] if came < 1000 else []))
    assert asked == ["", *([f"bytes={came}-"] if came < 1000 else [])]


@pytest.mark.parametrize("nothing", [b"", b"HTTP/1.1 200", WHOLE[:30], WHOLE[: -len(FILE)]])
def test_a_connection_that_ends_before_any_byte_of_the_file_costs_an_attempt(
    server: ScriptedServer, tmp_path: Path, nothing: bytes
) -> None:
    assert attempts(server, tmp_path, nothing, WHOLE) == ["", ""]


@pytest.mark.parametrize(
    "status", ["408 Request Timeout", "429 Too Many Requests", "500 No", "503 Service Unavailable"]
)
def test_a_server_that_has_no_time_is_asked_again(server: ScriptedServer, tmp_path: Path, status: str) -> None:
    busy = http_answer(status, b"Later.", Content_Length=6, Retry_After=120)
    assert attempts(server, tmp_path, WHOLE[:-600], busy, rest(400)) == ["", "bytes=400-", "bytes=400-"]


def test_a_server_without_ranges_sends_all_anew(server: ScriptedServer, tmp_path: Path) -> None:
    assert attempts(server, tmp_path, WHOLE[:-600], WHOLE) == ["", "bytes=400-"]


def test_a_range_may_come_in_several_answers(server: ScriptedServer, tmp_path: Path) -> None:
    """As RFC 9110, section 15.3.7, lets a server do, and caches do that keep pieces of large files."""
    asked = attempts(server, tmp_path, WHOLE[:-600], rest(400, 599), rest(600, 799), rest(800))
    assert asked == ["", "bytes=400-", "bytes=600-", "bytes=800-"]


@pytest.mark.parametrize("total", [1000, "*"])
def test_another_range_than_was_asked_for_is_not_mixed_in(
    server: ScriptedServer, tmp_path: Path, total: object
) -> None:
    assert attempts(server, tmp_path, WHOLE[:-600], rest(0, total=total), WHOLE) == ["", "bytes=400-", ""]


@pytest.mark.parametrize(
    "another",
    [
        http_answer("206 Partial Content", FILE[400:], Content_Length=600),  # which tells not what it sends
        rest(400, total="*"),
    ],
)
def test_a_range_of_an_untold_total_is_taken_for_the_rest(
    server: ScriptedServer, tmp_path: Path, another: bytes
) -> None:
    assert attempts(server, tmp_path, WHOLE[:-600], another) == ["", "bytes=400-"]


@pytest.mark.parametrize(
    "answer",
    [
        http_answer("200 OK", FILE[:-1], Content_Length=999),
        http_answer("200 OK", FILE + b"!", Content_Length=1001),
        http_answer("200 OK", FILE + b"!"),
        http_answer("200 OK", b"<html>Log in</html>", Content_Length=19),
        http_answer("404 Not Found", Content_Length=0),
        http_answer("403 Forbidden", Content_Length=0),
        rest(400, total=1200),
    ],
)
def test_another_file_is_refused_at_once(server: ScriptedServer, tmp_path: Path, answer: bytes) -> None:
    with pytest.raises(RefusedError):
        attempts(server, tmp_path, WHOLE[:-600], answer, WHOLE)
    assert server.asked == ["", "bytes=400-"]


def test_where_nothing_is_missing_the_digest_decides(server: ScriptedServer, tmp_path: Path) -> None:
    (tmp_path / "part").write_bytes(FILE[:-1] + b"!")
    with pytest.raises(RefusedError, match="digest"):
        attempts(server, tmp_path)
    assert not (tmp_path / "part").exists() and server.asked == []
