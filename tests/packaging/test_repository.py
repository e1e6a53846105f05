"""The apt repository, as apt itself sees it: with a state, a cache and a source of its own, at a loopback web server.

The package is a small one of the same name; the publisher's key is made in a GNUPGHOME of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from installer.package.repository import KEY_FILE, VALID_DAYS, main, make_repository
from tests.packaging.publisher import new_key, publishers_key, serving_repository

NEEDED = ("apt-get", "apt-cache", "dpkg-deb", "gpg", "gpgconf")
MISSING = [program for program in NEEDED if shutil.which(program) is None]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}")
AN_HOUR_AGO = time.time() - 3600
SUITE, POOL = Path("dists/stable"), Path("pool/main/w/workerbee")


@pytest.fixture
def publisher() -> Iterator[str]:
    """A publisher's key."""
    with publishers_key() as key:
        yield key


def package(folder: Path, version: str) -> Path:
    """A package of that version, with one small file."""
    root = folder / f"root-{version}"
    (root / "DEBIAN").mkdir(parents=True)
    (root / "DEBIAN" / "control").write_text(
        f"Package: workerbee\nVersion: {version}\nArchitecture: amd64\n"
        "Maintainer: Somebody <somebody@example.org>\nDescription: stands for the package\n"
    )
    (root / "file").write_text(version)
    made = folder / f"workerbee_{version}_amd64.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", str(root), str(made)], check=True, capture_output=True)
    return made


class Apt:
    """An apt that knows one source, and nothing of the system that it runs on."""

    def __init__(self, home: Path, address: str, key: Path) -> None:
        self._home = home
        for each in ("state/lists/partial", "cache/archives/partial", "etc", "none"):
            (home / each).mkdir(parents=True)
        (home / "status").touch()
        source = f"deb [signed-by={key} arch=amd64] {address} stable main\n"
        (home / "etc" / "sources.list").write_text(source)
        config = home / "apt.conf"
        config.write_text(
            f'Dir "{home}";\nDir::State "{home}/state";\nDir::State::status "{home}/status";\n'
            f'Dir::Cache "{home}/cache";\nDir::Etc "{home}/etc";\nDir::Etc::sourceparts "{home}/none";\n'
            f'Dir::Etc::parts "{home}/none";\nDir::Etc::trustedparts "{home}/none";\nDir::Log "{home}";\n'
            'Dir::Bin::methods "/usr/lib/apt/methods";\nDir::Bin::dpkg "/usr/bin/dpkg";\n'
            'APT::Architecture "amd64";\nAPT::Architectures { "amd64"; };\nAPT::Sandbox::User "root";\n'
            'APT::Update::Error-Mode "any";\nAcquire::Languages "none";\n'
        )
        proxies = {"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}
        self._env = {key: value for key, value in os.environ.items() if key not in proxies}
        self._env |= {"APT_CONFIG": str(config), "LC_ALL": "C.UTF-8"}

    def run(self, *words: str) -> tuple[int, str]:
        """The exit code of that command, and all that it says."""
        done = subprocess.run(words, env=self._env, cwd=self._home, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout + done.stderr

    def update(self) -> tuple[int, str]:
        """`apt-get update`."""
        return self.run("apt-get", "update")

    def candidate(self) -> str:
        """The version that apt would install; empty where it knows none."""
        _, said = self.run("apt-cache", "policy", "workerbee")
        return next((line.split()[-1] for line in said.splitlines() if "Candidate:" in line), "")


@pytest.fixture
def repository(tmp_path: Path, publisher: str) -> Path:
    """A signed repository with version 0.1.0."""
    folder = tmp_path / "repository"
    make_repository(folder, [package(tmp_path, "0.1.0")], publisher)
    for index in (folder / "dists").rglob("*Release*"):
        os.utime(index, (AN_HOUR_AGO, AN_HOUR_AGO))  # a server tells times in whole seconds, by which apt asks
    return folder


@pytest.fixture
def apt(tmp_path: Path, repository: Path) -> Iterator[Apt]:
    """An apt that was told of it, with the publisher's key as it was at first."""
    key = tmp_path / "trusted.asc"
    shutil.copyfile(repository / KEY_FILE, key)
    with serving_repository(repository) as address:
        yield Apt(tmp_path / "apt", address, key)


def test_apt_installs_from_it_and_sees_a_newer_version(
    tmp_path: Path, apt: Apt, repository: Path, publisher: str
) -> None:
    code, said = apt.update()
    assert code == 0, said
    assert apt.candidate() == "0.1.0"
    make_repository(repository, [package(tmp_path, "0.2.0")], publisher)
    code, said = apt.update()
    assert code == 0, said
    assert apt.candidate() == "0.2.0"
    code, said = apt.run("apt-get", "download", "workerbee")
    assert code == 0, said
    (fetched,) = (tmp_path / "apt").glob("workerbee_*.deb")
    assert fetched.read_bytes() == (tmp_path / "workerbee_0.2.0_amd64.deb").read_bytes()


def test_an_older_index_can_still_be_fetched_by_its_hash(tmp_path: Path, repository: Path, publisher: str) -> None:
    by_hash = repository / SUITE / "main/binary-amd64/by-hash/SHA256"
    before = {each.name for each in by_hash.iterdir()}
    make_repository(repository, [package(tmp_path, "0.2.0")], publisher)
    assert len(before) == 2 and before < {each.name for each in by_hash.iterdir()}


def test_a_forged_index_is_refused(apt: Apt, repository: Path) -> None:
    signed = repository / SUITE / "InRelease"
    signed.write_text(signed.read_text().replace("Label: Workerbee", "Label: workerbee"))
    code, said = apt.update()
    assert code != 0 and "signature" in said.lower(), said
    assert apt.candidate() in ("", "(none)")


def test_another_publishers_signature_is_refused(tmp_path: Path, apt: Apt, repository: Path) -> None:
    make_repository(repository, [package(tmp_path, "6.6.6")], new_key("stranger@example.org"))
    code, said = apt.update()
    assert code != 0 and "6.6.6" not in apt.candidate(), said


def test_an_unsigned_repository_is_refused(apt: Apt, repository: Path) -> None:
    for name in ("InRelease", "Release.gpg"):
        (repository / SUITE / name).unlink()
    code, said = apt.update()
    assert code != 0 and "not signed" in said, said
    assert apt.candidate() in ("", "(none)")


def test_an_index_that_is_too_old_is_refused_until_it_is_signed_anew(
    tmp_path: Path, apt: Apt, repository: Path, publisher: str
) -> None:
    make_repository(repository, [], publisher, timedelta(seconds=-1))
    code, said = apt.update()
    assert code != 0 and "expired" in said, said
    ends = make_repository(repository, [], publisher)
    code, said = apt.update()
    assert code == 0 and apt.candidate() == "0.1.0", said
    assert timedelta(days=VALID_DAYS - 1) < ends - datetime.now(UTC) < timedelta(days=VALID_DAYS)


def test_what_gpg_or_dpkg_refuses_is_told_and_changes_nothing(
    tmp_path: Path,
    repository: Path,
    publisher: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = tmp_path / "workerbee_9_amd64.deb"
    broken.write_bytes(b"no package")
    newer = str(package(tmp_path, "0.2.0"))
    cut = tmp_path / "workerbee_0.3.0_amd64.deb"
    cut.write_bytes(Path(newer).read_bytes()[:-20])
    before = {each: each.read_bytes() for each in repository.rglob("*") if each.is_file()}
    refusals = {
        "gpg --list-secret-keys": [newer, "--key", "nobody@example.org"],
        "make installer": [str(broken), "--key", publisher],
        "to its end": [str(cut), "--key", publisher],
        "No such file": [str(tmp_path / "missing.deb"), "--key", publisher],
    }
    for advice, words in refusals.items():
        assert main([*words, "--to", str(repository)]) == 1
        assert advice in capsys.readouterr().err
    assert {each: each.read_bytes() for each in repository.rglob("*") if each.is_file()} == before
    with monkeypatch.context() as bare:
        bare.setenv("PATH", str(tmp_path))
        assert main([newer, "--key", publisher, "--to", str(repository)]) == 1
    assert "gpg is not installed" in capsys.readouterr().err


def test_a_package_that_is_another_one_is_refused(apt: Apt, repository: Path) -> None:
    assert apt.update()[0] == 0
    (held,) = (repository / POOL).iterdir()
    held.write_bytes(held.read_bytes()[:-1] + b"\0")
    code, said = apt.run("apt-get", "download", "workerbee")
    assert code != 0 and "Hash Sum mismatch" in said, said
