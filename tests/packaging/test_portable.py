"""The installer for one person needs no root, says what the system lacks, and takes itself away again."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from installer.portable.__main__ import arrange
from tests.support.checkout import ROOT

PACKAGE = ROOT / "installer" / "package" / "files"
TOOLS = ("sh", "cut", "sort", "tr", "sed", "find", "cp", "mv", "rm", "mkdir", "dirname", "chmod", "env")
LACKING = "libnothere.so.9 for-apt for-dnf for-pacman for-zypper\n"


@dataclass(frozen=True)
class Person:
    """Somebody who has the file's content before them, and the programs that their system has."""

    content: Path
    programs: Path
    home: Path

    def set_up(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run it."""
        environment = {"HOME": str(self.home), "PATH": str(self.programs)}
        command = [str(self.programs / "sh"), str(self.content / "set-up.sh"), *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)

    def has(self, program: str, script: str = "exit 0") -> None:
        """A stand-in for a program."""
        path = self.programs / program
        path.write_text(f"#!{self.programs / 'sh'}\n{script}\n")
        path.chmod(0o755)

    @property
    def files(self) -> set[str]:
        """All that lies in their home."""
        return {str(each.relative_to(self.home)) for each in self.home.rglob("*") if each.is_file()}


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Their system lacks nothing."""
    root, content, programs, home = (tmp_path / name for name in ("root", "content", "programs", "home"))
    for name, place in (
        ("workerbee", "usr/bin/workerbee"),
        ("workerbee.desktop", "usr/share/applications/workerbee.desktop"),
        ("workerbee-mime.xml", "usr/share/mime/packages/workerbee.xml"),
    ):
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(PACKAGE / name, root / place)
    for empty in (
        "icons/hicolor/scalable/apps/workerbee.svg",
        "metainfo/some.xml",
        "man/man1/workerbee.1.gz",
    ):
        (root / "usr/share" / empty).parent.mkdir(parents=True)
        (root / "usr/share" / empty).touch()
    for place in ("usr/share/doc/workerbee/copyright", "usr/lib/workerbee/app/__main__.py"):
        (root / place).parent.mkdir(parents=True)
        (root / place).write_text("def main():\n    print('it runs')\n")
    (root / "usr/lib/workerbee/app/__init__.py").touch()
    arrange(root, content)
    (content / "libraries.txt").write_text("libc.so.6 a b c d\n")
    programs.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found is not None
        (programs / tool).symlink_to(found)
    person = Person(content, programs, home)
    person.has("python3", f'exec "{sys.executable}" "$@"')
    home.mkdir()
    return person


def test_it_installs_itself_for_one_person_and_takes_itself_away(person: Person) -> None:
    done = person.set_up()
    assert done.returncode == 0, done.stderr
    launcher = person.home / ".local/bin/workerbee"
    assert str(launcher) in done.stdout
    entry = (person.home / ".local/share/applications/workerbee.desktop").read_text()
    assert f"TryExec={launcher}\n" in entry and f"Exec={launcher} %u\n" in entry
    assert "/usr/lib/workerbee" not in launcher.read_text()
    ran = subprocess.run([sys.executable, "-I", str(launcher)], capture_output=True, text=True)
    assert ran.stdout == "it runs\n", ran.stderr

    assert person.set_up().returncode == 0  # over itself
    assert person.set_up("--remove").returncode == 0
    assert person.files == set()


@pytest.mark.parametrize(
    ("manager", "said"),
    [
        ("apt-get", "sudo apt-get install for-apt"),
        ("dnf", "sudo dnf install for-dnf"),
        ("pacman", "sudo pacman -S for-pacman"),
        ("zypper", "sudo zypper install for-zypper"),
        ("other", "libnothere.so.9"),
    ],
)
def test_what_the_system_lacks_is_named_in_its_own_words(person: Person, manager: str, said: str) -> None:
    (person.content / "libraries.txt").write_text(f"# a comment\n{LACKING}libc.so.6 a b c d\n")
    person.has(manager)
    done = person.set_up()
    assert done.returncode == 1
    assert done.stderr.strip().endswith(said), done.stderr
    assert person.files == set()


def test_without_a_python_that_suits_nothing_is_installed(person: Person) -> None:
    person.has("python3", "exit 1")
    done = person.set_up()
    assert done.returncode == 1
    assert "no Python 3.11, 3.12, 3.13 or 3.14" in done.stderr
    assert person.files == set()
