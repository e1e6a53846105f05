"""An upgrade by dpkg, in a root folder of its own: what the package's scripts leave for a Workerbee that runs.

The packages are small ones with the scripts of the real one; nothing but a shell and coreutils is on their PATH.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from core.cli.runner.cancellation import Stop
from core.cli.service.upgrade import UPGRADED_CODE, stopping_with_program
from core.files.package_mark import CONFIGURED, PackageMark
from tests.support.checkout import ROOT

PROGRAMS = ("sh", "rm", "cat", "find", "tar", "diff", "dpkg", "dpkg-deb", "dpkg-split", "dpkg-query", "xz", "true")
MISSING = [program for program in ("dpkg", "dpkg-deb") if shutil.which(program) is None]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}")
LIMIT_SECONDS = 60


class System:
    """A root folder with dpkg's data base, in which no script can reach the system that the test runs on."""

    def __init__(self, home: Path) -> None:
        self._home, self.root, self._tools = home, home / "root", home / "tools"
        for folder in (self.root / "var/lib/dpkg/updates", self.root / "var/lib/dpkg/info", self._tools):
            folder.mkdir(parents=True)
        (self.root / "var/lib/dpkg/status").touch()
        for program in PROGRAMS:
            if found := shutil.which(program):
                (self._tools / program).symlink_to(found)
        for program in ("ldconfig", "start-stop-daemon"):  # dpkg asks whether they are there
            (self._tools / program).symlink_to("/bin/true")

    def dpkg(self, *words: str) -> None:
        """Run dpkg there."""
        command = ["dpkg", f"--root={self.root}", "--force-script-chrootless", "--force-not-root", *words]
        environment = os.environ | {"PATH": str(self._tools)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT_SECONDS)
        assert done.returncode == 0, done.stdout + done.stderr

    def install(self, version: str) -> None:
        """Unpack and configure a package of that version."""
        tree = self._home / version
        program = tree / "usr/lib/workerbee"
        (program / "__pycache__").mkdir(parents=True)
        (program / "version").write_text(version)
        (program / "core").mkdir()
        (program / "core" / "__init__.py").touch()
        (tree / "DEBIAN").mkdir()
        for script in ("postinst", "prerm"):
            shutil.copyfile(ROOT / "installer/package/files" / script, tree / "DEBIAN" / script)
            (tree / "DEBIAN" / script).chmod(0o755)
        (tree / "DEBIAN/control").write_text(
            f"Package: workerbee\nVersion: {version}\nArchitecture: all\n"
            "Maintainer: Somebody <somebody@example.org>\nDescription: stands for the package\n"
        )
        package = self._home / f"{version}.deb"
        build = ["dpkg-deb", "--root-owner-group", "--build", str(tree), str(package)]
        subprocess.run(build, check=True, capture_output=True)
        self.dpkg("--install", str(package))


def test_a_workerbee_that_runs_sees_an_upgrade_once_it_is_whole_and_a_removal_leaves_nothing(tmp_path: Path) -> None:
    system = System(tmp_path)
    program = system.root / "usr/lib/workerbee"
    system.install("0.1.0")
    runs = PackageMark(program)
    assert not runs.is_replaced()
    system.install("0.2.0")
    assert runs.is_replaced() and (program / "version").read_text() == "0.2.0"
    assert not runs.is_removed()
    assert not PackageMark(program).is_replaced()
    system.dpkg("--remove", "workerbee")
    assert not program.exists() and not runs.is_replaced()
    assert [runs.is_removed() for _ in range(3)] == [False, True, True], "missing once, it may be between two renames"


def test_the_service_says_goodbye_and_asks_to_be_started_again(tmp_path: Path) -> None:
    (tmp_path / CONFIGURED).write_text("first")
    (tmp_path / "core").mkdir()
    requested = threading.Event()
    mark, stop = PackageMark(tmp_path), Stop(requested.set)
    with stopping_with_program(mark, stop, poll_seconds=0.01):
        assert not stop.is_requested
        (tmp_path / "new").write_text("second")
        (tmp_path / "new").replace(tmp_path / CONFIGURED)
        assert requested.wait(LIMIT_SECONDS)
    assert stop.exit_code == UPGRADED_CODE and mark.is_replaced()


def test_the_service_says_goodbye_and_is_not_started_again_when_the_program_is_removed(tmp_path: Path) -> None:
    program = tmp_path / "program"
    (program / "core").mkdir(parents=True)
    (program / CONFIGURED).write_text("first")
    requested = threading.Event()
    mark, stop = PackageMark(program), Stop(requested.set)
    with stopping_with_program(mark, stop, poll_seconds=0.01):
        assert not stop.is_requested
        shutil.rmtree(program)
        assert requested.wait(LIMIT_SECONDS)
    assert stop.exit_code == 0 and not mark.is_replaced()
