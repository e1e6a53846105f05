"""A newer version is told by its publisher only, whatever a server, a stranger or a clock does."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from queue import SimpleQueue

import msgspec
import pytest
from hypothesis import given

from core.records.settings import Settings
from core.security.identity import Identity
from core.updates.checker_process import UpdateCheck
from core.updates.notice import (
    MAX_NOTICE_BYTES,
    PortableFile,
    RefusedNoticeError,
    SignedNotice,
    UpdateNotice,
    notice_in,
)
from core.updates.publisher import Source, built_in, source_of
from core.updates.state import AGAIN_SECONDS, EVERY_SECONDS, UpdateState
from installer import update_notice
from tests.support.checkout import ROOT
from tests.support.environment.update_server import NoticeServer, certificate_for_loopback, serving_notices
from tests.support.hypothesis_profile import damaged

LIMIT_SECONDS = 120.0
PUBLISHER, STRANGER = Identity.create(), Identity.create()
PAGE = "https://example.org/workerbee"
NOTICE = UpdateNotice(version="0.2.0", page=PAGE)
SIGNED = SignedNotice.sign(NOTICE, PUBLISHER).to_bytes()
NOW = 1_800_000_000.0


def notice(version: str) -> UpdateNotice:
    """Of that version."""
    return UpdateNotice(version=version, page=PAGE)


# What is signed


def test_what_was_signed_is_read() -> None:
    assert notice_in(SIGNED, PUBLISHER.peer_id) == NOTICE


@given(damaged(SIGNED))
def test_damage_is_noticed_unless_it_changes_nothing(encoded: bytes) -> None:
    with contextlib.suppress(RefusedNoticeError):
        assert notice_in(encoded, PUBLISHER.peer_id) == NOTICE


@pytest.mark.parametrize(
    ("encoded", "why"),
    [
        (SignedNotice.sign(NOTICE, STRANGER).to_bytes(), "not the publisher's"),
        (SIGNED.replace(b"0.2.0", b"0.3.0"), "not the publisher's"),
        (b"<html>Log in to this hotel's network</html>", "cannot be read"),
        (b"", "cannot be read"),
        (b"[" * 5000, "cannot be read"),
        (b"\xff\xfe", "cannot be read"),
        (SIGNED + b" " * MAX_NOTICE_BYTES, "more than"),
    ],
)
def test_anything_else_is_refused(encoded: bytes, why: str) -> None:
    with pytest.raises(RefusedNoticeError, match=why):
        notice_in(encoded, PUBLISHER.peer_id)


@pytest.mark.parametrize(
    "text",
    [
        '{"version": "0.2.0", "page": "http://example.org/"}',
        '{"version": "0.2.0", "page": "file:///etc/passwd"}',
        '{"version": "0.2.0", "page": "https://me@example.org/"}',
        '{"version": "newest", "page": "https://example.org/"}',
        '{"version": "0.2.0", "page": "https://example.org/", "download": "https://example.org/x.deb"}',
        '{"version": "0.2.0", "page": "https://example.org/", "portable": {"address": "https://example.org/x.run"}}',
        '{"version": "0.2.0", "page": "https://example.org/", "portable": {"address": "http://example.org/x.run", '
        '"size_bytes": 9, "sha256": "' + "0" * 64 + '"}}',
    ],
)
def test_not_even_the_publisher_can_sign_nonsense(text: str) -> None:
    signature = PUBLISHER.sign(b"workerbee update notice 1:" + text.encode())
    with pytest.raises(RefusedNoticeError, match="cannot be read"):
        notice_in(msgspec.json.encode(SignedNotice(text, signature)), PUBLISHER.peer_id)


@pytest.mark.parametrize(
    ("announced", "own", "is_newer"),
    [
        ("0.2.0", "0.1.0", True),
        ("0.10.0", "0.9.9", True),
        ("1.0", "0.99.99", True),
        ("0.1.0.1", "0.1", True),
        ("0.1", "0.1.0", False),
        ("0.1.0", "0.1.0", False),
        ("0.0.9", "0.1.0", False),
        ("0.2.0", "from source", False),
    ],
)
def test_versions_are_compared_as_numbers(announced: str, own: str, is_newer: bool) -> None:
    assert notice(announced).is_newer_than(own) is is_newer


# Who is asked


@pytest.mark.skipif(bool(built_in().address), reason="this package names somebody")
@pytest.mark.parametrize("settings", [Settings(), Settings(update_address="https://example.org/latest.json")])
def test_nobody_is_asked_where_nobody_is_named(settings: Settings) -> None:
    assert source_of(settings) is None


def test_a_package_names_whom_it_asks_and_a_person_may_name_another(tmp_path: Path) -> None:
    built = tmp_path / "updates.toml"
    built.write_text(f'address = "https://example.org/a.json"\npublisher = "{PUBLISHER.peer_id}"\n')
    assert built_in(built).address == "https://example.org/a.json"
    built = tmp_path / "wrong.toml"
    built.write_text('address = "http://example.org/a.json"\n')
    with pytest.raises(ValueError, match="address"):
        built_in(built)
    own = Settings(update_address="https://example.net/b.json", update_publisher=STRANGER.peer_id)
    assert source_of(own) == Source("https://example.net/b.json", STRANGER.peer_id)


# When it is asked, and what is kept


@pytest.fixture
def diary(tmp_path: Path) -> UpdateState:
    """Still empty."""
    return UpdateState(tmp_path / "updates.json")


def test_it_is_asked_once_a_fortnight_and_the_next_day_where_nobody_answered(diary: UpdateState) -> None:
    assert diary.is_due(NOW)
    diary.record_request(NOW)
    assert not diary.is_due(NOW + AGAIN_SECONDS - 1) and diary.is_due(NOW + AGAIN_SECONDS)
    diary.record_answer(NOTICE)
    assert not diary.is_due(NOW + EVERY_SECONDS - 1) and diary.is_due(NOW + EVERY_SECONDS)
    assert diary.is_due(NOW - 1), "a clock that was set back puts it off for ever"


def test_each_version_is_told_once(tmp_path: Path, diary: UpdateState) -> None:
    assert diary.unannounced("0.1.0") is None
    diary.record_answer(NOTICE)
    assert diary.unannounced("0.1.0") == NOTICE
    diary.record_announced(NOTICE)
    for known in (diary, UpdateState(tmp_path / "updates.json")):
        assert known.unannounced("0.1.0") is None and known.newest == NOTICE
    diary.record_answer(notice("0.3.0"))
    assert diary.unannounced("0.1.0") == notice("0.3.0")
    assert diary.unannounced("0.3.0") is None


def test_a_downgrade_and_an_old_notice_shown_again_do_nothing(diary: UpdateState) -> None:
    diary.record_answer(NOTICE)
    diary.record_announced(NOTICE)
    for other in (notice("0.1.5"), notice("0.0.1"), UpdateNotice(version="0.2", page="https://evil.example")):
        diary.record_answer(other)
        assert diary.newest == NOTICE and diary.unannounced("0.1.0") is None


@pytest.mark.parametrize("written", [b"", b"{", b"[" * 5000, b'{"asked_at": "yesterday"}', b"\xff"])
def test_a_damaged_file_is_as_good_as_none(tmp_path: Path, written: bytes) -> None:
    path = tmp_path / "updates.json"
    path.write_bytes(written)
    diary = UpdateState(path)
    assert diary.is_due(NOW) and diary.newest is None
    diary.record_answer(NOTICE)
    assert UpdateState(path).newest == NOTICE


def test_a_folder_that_refuses_is_no_hindrance(tmp_path: Path) -> None:
    diary = UpdateState(tmp_path / "not there" / "updates.json")
    diary.record_request(NOW)
    assert not diary.is_due(NOW)


# Asking: a real process, a real server


@pytest.fixture
def server() -> Iterator[NoticeServer]:
    """It has the notice."""
    with serving_notices() as server:
        server.body = SIGNED
        yield server


def answer(address: str, tmp_path: Path, publisher: Identity = PUBLISHER) -> UpdateNotice | None:
    """What comes of asking there."""
    answers: SimpleQueue[UpdateNotice | None] = SimpleQueue()
    UpdateCheck(Source(address, publisher.peer_id), tmp_path, answers.put).start()
    return answers.get(timeout=LIMIT_SECONDS)


def test_a_server_is_asked_and_learns_nothing_of_who_asks(server: NoticeServer, tmp_path: Path) -> None:
    assert answer(server.address, tmp_path) == NOTICE
    (told,) = server.asked
    assert told.keys() <= {"Host", "User-Agent", "Connection", "Accept-Encoding"}
    assert told["User-Agent"] == "workerbee"


@pytest.mark.parametrize("what", ["another key", "nonsense", "huge", "cut", "dead"])
def test_what_is_wrong_comes_to_nothing(server: NoticeServer, tmp_path: Path, what: str) -> None:
    if what == "nonsense":
        server.body = b"<html></html>"
    if what == "huge":
        server.body = SIGNED + b" " * 50_000_000
    if what == "cut":
        server.cut_at_bytes = len(SIGNED) // 2
    if what == "dead":
        server.shutdown()
        server.server_close()
    assert answer(server.address, tmp_path, STRANGER if what == "another key" else PUBLISHER) is None


def test_a_server_that_never_comes_to_an_end_is_left_with_the_program(server: NoticeServer, tmp_path: Path) -> None:
    server.drips = True
    answers: SimpleQueue[UpdateNotice | None] = SimpleQueue()
    asking = UpdateCheck(Source(server.address, PUBLISHER.peer_id), tmp_path, answers.put)
    asking.start()
    asking.stop()
    assert answers.get(timeout=LIMIT_SECONDS) is None


def ask_directly(address: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The process that asks, with its words."""
    command = [sys.executable, "-P", "-m", "core.updates", address, PUBLISHER.peer_id]
    variables = os.environ | {"PYTHONPATH": str(ROOT)} | environment
    return subprocess.run(command, env=variables, capture_output=True, text=True, timeout=LIMIT_SECONDS)


def test_over_tls_a_server_is_believed_only_with_a_certificate(server: NoticeServer, tmp_path: Path) -> None:
    certificate = certificate_for_loopback(tmp_path / "server.pem")
    with serving_notices(certificate) as safe:
        safe.body = SIGNED
        assert "CERTIFICATE_VERIFY_FAILED" in ask_directly(safe.address).stderr
        assert safe.asked == []
        server.leads_to = safe.address
        followed = ask_directly(server.address, SSL_CERT_FILE=str(certificate))
        assert msgspec.json.decode(followed.stdout, type=UpdateNotice) == NOTICE, followed.stderr


@pytest.mark.parametrize("leads_to", ["http", "file", "circle"])
def test_nobody_is_led_out_of_tls(server: NoticeServer, tmp_path: Path, leads_to: str) -> None:
    certificate = certificate_for_loopback(tmp_path / "server.pem")
    with serving_notices(certificate) as safe:
        (tmp_path / "latest.json").write_bytes(SIGNED)
        targets = {
            "http": server.address,
            "file": (tmp_path / "latest.json").as_uri(),
            "circle": safe.address,
        }
        safe.leads_to = targets[leads_to]
        said = ask_directly(safe.address, SSL_CERT_FILE=str(certificate))
        assert said.returncode == 1 and said.stdout == "" and server.asked == []
        assert len(safe.asked) == 1 or (leads_to == "circle" and len(safe.asked) <= 6), said.stderr


def test_without_tls_nobody_but_this_computer_is_asked() -> None:
    said = ask_directly("http://203.0.113.5/latest.json")
    assert said.returncode == 1 and "does not begin with https" in said.stderr


# Announcing


def test_a_publisher_makes_a_key_and_signs_with_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, file = tmp_path / "publisher.key", tmp_path / "latest.json"
    words = ["sign", str(key), "--version", "0.2.0", "--page", PAGE, str(file)]
    assert update_notice.main(words) == 1, "a key that nobody knows yet is of no use"
    assert not key.exists() and "publisher.key: No such file" in capsys.readouterr().err
    assert update_notice.main(["key", str(key)]) == 0
    publisher = capsys.readouterr().out.strip()
    assert key.stat().st_mode & 0o777 == 0o600
    assert update_notice.main(words) == 0
    assert notice_in(file.read_bytes(), publisher) == NOTICE
    assert update_notice.main(["key", str(key)]) == 0
    assert publisher in capsys.readouterr().out


def test_a_publisher_signs_what_the_portable_form_may_become(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key, file, program = tmp_path / "publisher.key", tmp_path / "latest.json", tmp_path / "workerbee-0.2.0.run"
    program.write_bytes(b"#!/bin/sh\n")
    update_notice.main(["key", str(key)])
    publisher = capsys.readouterr().out.strip()
    words = ["sign", str(key), "--version", "0.2.0", "--page", PAGE, "--portable", str(program)]
    assert update_notice.main([*words, str(file)]) == 2 and not file.exists(), "without an address it is of no use"
    assert update_notice.main([*words, "--portable-address", f"{PAGE}.run", str(file)]) == 0
    signed = notice_in(file.read_bytes(), publisher).portable
    assert signed == PortableFile(address=f"{PAGE}.run", size_bytes=10, sha256=sha256(b"#!/bin/sh\n").hexdigest())


def test_a_notice_without_a_run_file_is_the_one_that_older_versions_read() -> None:
    assert b"portable" not in SIGNED


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (("--version", "newest", "--page", PAGE), "--version is two to four numbers"),
        (("--version", "0.2.0", "--page", "http://x.org/"), "--page is an address that begins with https://"),
    ],
)
def test_a_publisher_is_told_what_cannot_be_announced(
    tmp_path: Path, wrong: tuple[str, ...], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    key, file = tmp_path / "publisher.key", tmp_path / "latest.json"
    update_notice.main(["key", str(key)])
    assert update_notice.main(["sign", str(key), *wrong, str(file)]) == 2
    assert not file.exists() and f"It cannot be announced so: {why}" in capsys.readouterr().err
