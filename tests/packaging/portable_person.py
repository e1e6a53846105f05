"""Somebody who has a .run file's content before them: their home, and the programs that their system has."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from installer.portable.__main__ import arrange
from tests.support.checkout import ROOT

PACKAGE = ROOT / "installer" / "package" / "files"
TOOLS = ("sh", "cut", "sort", "tr", "sed", "find", "cat", "cp", "mv", "rm", "mkdir", "dirname", "chmod", "env", "sleep")


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
    def interpreter(self) -> Path:
        """What the installed program is started with."""
        first = (self.home / ".local/bin/workerbee").read_text().splitlines()[0]
        return Path(first.removeprefix("#!").removesuffix(" -I"))

    @property
    def files(self) -> set[str]:
        """All that lies in their home."""
        return {str(each.relative_to(self.home)) for each in self.home.rglob("*") if each.is_file()}

    @property
    def contents(self) -> dict[str, bytes]:
        """What is in each of them, but for what Python compiles at any time."""
        return {name: (self.home / name).read_bytes() for name in self.files if not name.endswith(".pyc")}


def person_in(folder: Path, lay_out_program: Callable[[Path], None], home_name: str = "home") -> Person:
    """A person whose system lacks nothing; what is called puts the program into the folder that it is given."""
    root, content, programs, home = (folder / name for name in ("root", "content", "programs", home_name))
    for name, place in (
        ("workerbee", "usr/bin/workerbee"),
        ("workerbee.desktop", "usr/share/applications/workerbee.desktop"),
        ("workerbee-mime.xml", "usr/share/mime/packages/workerbee.xml"),
    ):
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(PACKAGE / name, root / place)
    for empty in (
        "doc/workerbee/copyright",
        "icons/hicolor/scalable/apps/workerbee.svg",
        "metainfo/some.xml",
        "man/man1/workerbee.1.gz",
    ):
        (root / "usr/share" / empty).parent.mkdir(parents=True)
        (root / "usr/share" / empty).touch()
    (root / "usr/lib/workerbee").mkdir(parents=True)
    lay_out_program(root / "usr/lib/workerbee")
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
