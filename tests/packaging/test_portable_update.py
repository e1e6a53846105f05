"""`workerbee update` replaces the portable form by what its publisher has signed, once that has started; else nothing.

A server on loopback has the signed notice, and one with a certificate has the newer .run file. A script that starts
set-up.sh where its content lies stands for makeself's archive, and the tests' own Python for the engine.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import socketserver
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from core.control.messages import ControlReply, encode
from core.control.place import meeting_place, socket_path
from core.files.folders import DataFolder
from core.files.locks import try_lock
from core.records.settings import Settings, save_settings
from core.security.identity import Identity
from core.updates.notice import PortableFile, SignedNotice, UpdateNotice
from core.updates.portable_form import is_portable
from tests.packaging.portable_person import Person, person_in
from tests.packaging.test_deb_layout import make_engine
from tests.support.checkout import ROOT
from tests.support.cli_process import workerbee
from tests.support.computer.loopback import serving
from tests.support.environment.update_server import NoticeServer, certificate_for_loopback, serving_notices

PUBLISHER, STRANGER = Identity.create(), Identity.create()
PAGE = "https://example.org/workerbee"
LIMIT_SECONDS = 300


@dataclass(frozen=True)
class Installed:
    """Version 0.1.0 in a person's home, and the servers of its publisher, who has just published 0.2.0."""

    person: Person
    notices: NoticeServer
    files: NoticeServer
    certificate: Path

    def publish(self, *, version: str = "0.2.0", signer: Identity = PUBLISHER, digest: str | None = None) -> None:
        """Sign the .run file that lies at the server, or another digest."""
        program = self.files.body
        portable = PortableFile(
            address=self.files.address,
            size_bytes=len(program),
            sha256=digest or hashlib.sha256(program).hexdigest(),
        )
        notice = UpdateNotice(version=version, page=PAGE, portable=portable)
        self.notices.body = SignedNotice.sign(notice, signer).to_bytes()

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the program that is installed."""
        environment = {
            "HOME": str(self.person.home),
            "PATH": str(self.person.programs),
            "SSL_CERT_FILE": str(self.certificate),
            "XDG_RUNTIME_DIR": str(self.runtime),
        }
        launcher = self.person.home / ".local/bin/workerbee"
        command = [sys.executable, "-I", str(launcher), *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT_SECONDS)

    @property
    def data(self) -> Path:
        """Where the program keeps its data."""
        return self.person.home / ".local/share/workerbee"

    @property
    def runtime(self) -> Path:
        """The session's own folder."""
        return self.person.home / ".run"

    @property
    def program(self) -> dict[str, bytes]:
        """The files of the program as they are installed."""
        places = (".local/lib", ".local/bin")
        return {name: text for name, text in self.person.contents.items() if name.startswith(places)}


class _Window(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        self.rfile.readline()
        self.wfile.write(encode(ControlReply(is_done=True, phase="idle", sentence="Nothing is running")))


def lay_out_program(folder: Path) -> None:
    """Version 0.1.0 of the real program, without its libraries, which are those of the tests."""
    for part in ("app", "core", "resources"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "pictures"))
    (folder / "vendor").symlink_to(sysconfig.get_path("purelib"))
    (folder / "bin").mkdir()
    (folder / "bin" / "uv").touch()  # which a checkout has not
    set_version(folder, "0.1.0")


def set_version(program: Path, version: str) -> None:
    """Have the program's files say that version."""
    for other in program.glob("workerbee-*.dist-info"):
        shutil.rmtree(other)
    metadata = program / f"workerbee-{version}.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text(f"Metadata-Version: 2.1\nName: workerbee\nVersion: {version}\n")


@contextmanager
def installed_in(folder: Path) -> Iterator[Installed]:
    """Installed, with an engine and with settings that name the publisher; 0.2.0 lies at the server, signed."""
    person = person_in(folder, lay_out_program)
    certificate = certificate_for_loopback(folder / "server.pem")
    done = person.set_up()
    assert done.returncode == 0, done.stderr
    make_engine(person.home / ".local/share/workerbee", "cpu")
    (person.home / ".run").mkdir(mode=0o700)
    set_version(person.content / "program", "0.2.0")
    with ExitStack() as servers:
        notices, files = (servers.enter_context(serving_notices(each)) for each in (None, certificate))
        files.body = f"#!/bin/sh\ncd '{person.content}' && exec sh ./set-up.sh\n".encode()
        settings = Settings(update_address=notices.address, update_publisher=PUBLISHER.peer_id)
        (person.home / ".config/workerbee").mkdir(mode=0o700, parents=True)
        save_settings(person.home / ".config/workerbee/settings.toml", settings)
        installed = Installed(person, notices, files, certificate)
        installed.publish()
        yield installed


@pytest.fixture(scope="module")
def _first(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    with installed_in(tmp_path_factory.mktemp("portable")) as installed:
        yield installed


@pytest.fixture
def installed(_first: Installed) -> Iterator[Installed]:
    """For a test after which the program must be as it was: nothing of 0.2.0 is installed, and no file of it left."""
    before, newer = _first.program, _first.files.body
    _first.publish()
    _first.files.asked.clear()
    yield _first
    _first.files.body = newer
    assert _first.program == before
    updates = _first.person.home / ".cache/workerbee/updates"
    assert not updates.exists() or not any(each.suffix == ".run" for each in updates.iterdir())


def test_the_newer_version_is_installed_after_it_has_started(tmp_path: Path) -> None:
    with installed_in(tmp_path) as installed:
        done = installed.run("update", "--yes", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == {
            "event": "update",
            "version": "0.1.0",
            "announced": "0.2.0",
            "installed": True,
        }
        assert "Workerbee 0.2.0 was started once, and is installed." in done.stderr
        assert installed.run("--version").stdout == "workerbee 0.2.0\n"
        folders = installed.person.home / ".local/lib"
        assert [each.name for each in folders.iterdir()] == ["workerbee"]
        again = installed.run("update", "--yes")
        assert "Workerbee 0.2.0 is installed; no newer version is announced." in again.stdout, again.stderr
        assert len(installed.files.asked) == 1


def test_the_older_version_stays_where_the_newer_one_does_not_start(installed: Installed) -> None:
    startup = installed.person.content / "program/app/startup.py"
    whole = startup.read_text()
    startup.write_text("raise ImportError('no such library')\n")
    refused = installed.run("update", "--yes")
    startup.write_text(whole)
    assert refused.returncode == 7
    assert "The newer version was not installed." in refused.stderr and "no such library" in refused.stderr
    assert installed.run("--version").stdout == "workerbee 0.1.0\n"


def test_what_the_publisher_has_not_signed_is_not_even_fetched(installed: Installed) -> None:
    installed.publish(signer=STRANGER)
    refused = installed.run("update", "--yes")
    assert refused.returncode == 4 and "No signed notice of a newer version came." in refused.stderr
    assert PUBLISHER.peer_id in refused.stderr and installed.files.asked == []


@pytest.mark.parametrize(("what", "code"), [("other bytes", 6), ("more bytes", 6), ("no certificate", 4)])
def test_another_file_than_the_signed_one_is_never_run(
    installed: Installed, what: str, code: int, tmp_path: Path
) -> None:
    ran, signed = tmp_path / "ran", installed.files.body
    installed.files.body = f"touch '{ran}'\n".encode() + signed
    if what == "other bytes":
        installed.publish(digest=hashlib.sha256(signed).hexdigest())
    elif what == "no certificate":
        installed.publish()
        installed = replace(installed, certificate=tmp_path / "none.pem")
    refused = installed.run("update", "--yes")
    assert refused.returncode == code, refused.stderr
    assert not ran.exists() and len(installed.files.asked) == (0 if what == "no certificate" else 1)


def test_an_older_version_is_not_installed_though_it_is_signed(installed: Installed) -> None:
    installed.publish(version="0.0.9")
    done = installed.run("update", "--yes")
    assert done.returncode == 0 and "no newer version is announced" in done.stdout
    assert installed.files.asked == []


def test_nothing_is_fetched_before_somebody_has_agreed(installed: Installed) -> None:
    asked = installed.run("update")
    assert asked.returncode == 2 and "add --yes" in asked.stderr
    assert f"Workerbee 0.2.0 can replace 0.1.0: {len(installed.files.body)} bytes from 127.0.0.1" in asked.stdout
    assert installed.files.asked == []


def test_a_service_that_runs_has_to_end_first(installed: Installed) -> None:
    held = try_lock(DataFolder(installed.data).service_lock)
    assert held is not None
    try:
        refused = installed.run("update", "--yes")
    finally:
        held.release()
    assert refused.returncode == 7 and "The service runs" in refused.stderr
    assert installed.files.asked == []


def test_a_window_that_is_open_has_to_be_closed_first(installed: Installed, monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket where the window would listen stands for it."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(installed.runtime))
    with serving(socketserver.UnixStreamServer(str(socket_path(meeting_place(installed.data))), _Window)):
        refused = installed.run("update", "--yes")
    assert refused.returncode == 7 and "The window is open" in refused.stderr
    assert installed.files.asked == []


def test_what_came_in_another_way_is_told_who_updates_it(tmp_path: Path) -> None:
    refused = workerbee(tmp_path, "update", "--yes")
    assert refused.code == 2 and "a .deb is updated by apt, a checkout by git" in refused.err
    assert not is_portable(Path("/usr/lib/workerbee"))
