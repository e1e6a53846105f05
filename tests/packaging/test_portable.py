"""The installer for one person needs no root, says what the system lacks, and takes itself away again."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.desktop.autostart import autostart_entry
from app.desktop.launch_request import MINIMISED
from core.files.package_mark import PackageMark
from core.service.unit import unit_text
from tests.packaging.portable_person import Person, person_in
from tests.support.checkout import ROOT

LACKING = "libnothere.so.9 for-apt for-dnf for-pacman for-zypper\n"

_PROGRAM = """
import pathlib, sys, time

def main():
    print('it runs')
    while not sys.argv[1:] and (pathlib.Path.home() / "window").exists():
        time.sleep(0.05)
    if len(sys.argv) > 1 and (log := pathlib.Path.home() / "log").exists():
        with log.open("a") as file:
            print(*sys.argv[1:], file=file)
    return "status" in sys.argv
"""


def _lay_out_small_program(folder: Path) -> None:
    (folder / "app").mkdir()
    (folder / "app" / "__main__.py").write_text(_PROGRAM)
    for module in ("__init__.py", "startup.py"):
        (folder / "app" / module).touch()
    (folder / "core" / "engine").mkdir(parents=True)
    shutil.copyfile(ROOT / "core/engine/pythons.py", folder / "core/engine/pythons.py")


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
    assert f"TryExec={launcher}\n" in entry and f'Exec="{launcher}" %u\n' in entry
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


def test_an_environment_that_happens_to_be_active_is_not_what_it_runs_with(person: Person, tmp_path: Path) -> None:
    project = tmp_path / "project"
    venv.create(project, symlinks=True)
    person.has("python3", f'exec "{project}/bin/python3" "$@"')
    assert person.set_up().returncode == 0
    interpreter = person.interpreter
    assert not interpreter.is_relative_to(project) and not interpreter.samefile(person.programs / "python3")
    assert interpreter.samefile(Path(sys.base_prefix, "bin", f"python3.{sys.version_info.minor}"))


def test_condas_environments_come_last(person: Person, tmp_path: Path) -> None:
    conda, prefix = tmp_path / "conda", Path(sys.base_prefix)
    (conda / "conda-meta").mkdir(parents=True)
    script = f'sed "s|^import os, sys|&; sys.base_prefix = \'{conda}\'|" | {sys.executable} -I - "$3"'
    person.has("python3", f'if [ "$2" = - ]; then {script}; else exec {sys.executable} "$@"; fi')
    person.has("python3.11", f'echo asked >{tmp_path}/asked; exec "{sys.executable}" "$@"')
    assert person.set_up().returncode == 0
    assert (tmp_path / "asked").exists() and person.interpreter.is_relative_to(prefix)
    (person.programs / "python3.11").unlink()
    assert person.set_up("--remove").returncode == person.set_up().returncode == 0, "better than none"


def test_the_interpreter_of_the_installed_version_is_kept_while_it_suits(person: Person, tmp_path: Path) -> None:
    assert person.set_up().returncode == 0
    before = person.interpreter
    person.has("python3", f"touch {tmp_path}/asked; exit 1")
    assert person.set_up().returncode == 0
    assert person.interpreter == before and not (tmp_path / "asked").exists()
    launcher = person.home / ".local/bin/workerbee"
    launcher.write_text(launcher.read_text().replace(str(before), str(tmp_path / "gone"), 1))
    assert person.set_up().returncode == 1


@pytest.mark.parametrize("name", ["a b", "50 % & more", "a|b", "back\\slash", 'it\'s "$HOME" `x`', "Zoë"])
def test_whatever_the_home_is_called_it_starts_from_the_menu_and_the_terminal(tmp_path: Path, name: str) -> None:
    person = person_in(tmp_path, _lay_out_small_program, name)
    for _ in range(2):
        done = person.set_up()
        assert done.returncode == 0, done.stderr
    launcher = person.home / ".local/bin/workerbee"
    ran = subprocess.run([launcher], capture_output=True, text=True)
    assert ran.stdout == "it runs\n", ran.stderr
    autostart = dict(line.split("=", 1) for line in autostart_entry(launcher).splitlines() if "=" in line)
    commands = [f"{autostart['Exec'].removesuffix(MINIMISED)}{each}" for each in ("%u", "pause --for 1h", "resume")]
    entry = (person.home / ".local/share/applications/workerbee.desktop").read_text().splitlines()
    assert f"TryExec={autostart['TryExec']}" in entry and "Name=Workerbee" in entry
    assert {f"Exec={command}" for command in commands} <= set(entry)
    assert person.set_up("--remove").returncode == 0
    assert person.files == set()


def _install_service(home: Path, program: Path) -> Path:
    """The unit that such a program has written, and that starts it."""
    unit = home / ".config/systemd/user/workerbee.service"
    unit.parent.mkdir(parents=True)
    unit.write_text(unit_text([str(program), "service", "run"], {}))
    return unit


@contextmanager
def _window(home: Path, program: Path) -> Iterator[None]:
    """A window of that program is open."""
    (home / "window").touch()
    with subprocess.Popen([program], env={"HOME": str(home)}, stdout=subprocess.DEVNULL):
        try:
            yield
        finally:
            (home / "window").unlink()


@pytest.mark.parametrize("name", ["home", '50 % & "more" \\'])
def test_what_runs_is_ended_before_its_files_are_removed(tmp_path: Path, name: str) -> None:
    person = person_in(tmp_path, _lay_out_small_program, name)
    assert person.set_up().returncode == 0
    log, launcher = person.home / "log", person.home / ".local/bin/workerbee"
    log.touch()
    _install_service(person.home, launcher)
    with _window(person.home, launcher):
        removed = person.set_up("--remove")
    assert removed.returncode == 0, removed.stderr
    assert log.read_text().splitlines() == ["service remove", "quit", "status"]
    assert removed.stdout.startswith("Its service is stopped and removed.\nIts window is closed.\n")
    assert not launcher.exists()


def test_a_service_and_a_window_of_another_installation_go_on(person: Person, tmp_path: Path) -> None:
    assert person.set_up().returncode == 0
    log, other = person.home / "log", tmp_path / "other" / "workerbee"
    log.touch()
    other.parent.mkdir()
    shutil.copy(person.home / ".local/bin/workerbee", other)
    unit = _install_service(person.home, other)
    with _window(person.home, other):
        removed = person.set_up("--remove")
    assert removed.returncode == 0, removed.stderr
    assert unit.is_file() and log.read_text() == ""
    assert removed.stdout == "Workerbee is removed. What it keeps of you is still there.\n"


def test_what_does_not_start_any_more_is_removed_all_the_same(person: Person) -> None:
    assert person.set_up().returncode == 0
    (person.home / ".local/lib/workerbee/app/__main__.py").unlink()
    assert person.set_up("--remove").returncode == 0
    assert person.files == set()


def test_a_workerbee_that_runs_sees_that_it_was_renewed_or_removed(person: Person) -> None:
    assert person.set_up().returncode == 0
    program = person.home / ".local/lib/workerbee"
    runs = PackageMark(program)
    assert not runs.is_replaced()
    assert person.set_up().returncode == 0
    assert runs.is_replaced() and not PackageMark(program).is_replaced() and not runs.is_removed()
    assert person.set_up("--remove").returncode == 0
    assert not runs.is_replaced() and [runs.is_removed() for _ in range(2)] == [False, True]
