"""The installer for one person needs no root, says what the system lacks, and takes itself away again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging.portable_person import Person, person_in

LACKING = "libnothere.so.9 for-apt for-dnf for-pacman for-zypper\n"


def _lay_out_small_program(folder: Path) -> None:
    (folder / "app").mkdir()
    (folder / "app" / "__main__.py").write_text("def main():\n    print('it runs')\n")
    for module in ("__init__.py", "startup.py"):
        (folder / "app" / module).touch()


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Their system lacks nothing."""
    return person_in(tmp_path, _lay_out_small_program)


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


@pytest.mark.parametrize("module", ["__main__.py", "startup.py"])
def test_what_does_not_start_does_not_replace_what_does(person: Person, module: str) -> None:
    assert person.set_up().returncode == 0
    before = person.contents
    newer = person.content / "program/app" / module
    whole = newer.read_text()
    newer.write_text("raise ImportError('no such library')\n")
    refused = person.set_up()
    assert refused.returncode == 1
    assert "no such library" in refused.stderr and "was left as it was" in refused.stderr
    assert person.contents == before

    newer.write_text(f"{whole}# newer\n")
    assert person.set_up().returncode == 0
    installed = person.home / ".local/lib/workerbee"
    assert (installed / "app" / module).read_text().endswith("# newer\n")
    assert [each.name for each in installed.parent.iterdir()] == ["workerbee"]


def test_what_does_not_start_is_not_installed(person: Person) -> None:
    (person.content / "program/app/startup.py").write_text("raise ImportError('no such library')\n")
    refused = person.set_up()
    assert refused.returncode == 1 and "no such library" in refused.stderr
    assert "was left as it was" not in refused.stderr
    assert person.files == set()


def test_a_renewal_that_the_computer_did_not_live_to_see_is_made_good(person: Person) -> None:
    assert person.set_up().returncode == 0
    program = person.home / ".local/lib/workerbee"
    program.rename(program.with_name("workerbee.old"))
    (person.content / "program/app/startup.py").write_text("raise ImportError('no such library')\n")
    assert person.set_up().returncode == 1
    assert (program / "app/startup.py").is_file() and not program.with_name("workerbee.old").exists()


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
