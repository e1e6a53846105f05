"""The set-up scripts do what they can by themselves, and say in one sentence what they cannot.

The real scripts run on machines made of stand-ins: a PATH whose only programs are small scripts that behave
like a broken Python, an old one, one without pip, an apt that works or does not. Nothing is installed for
real, except, in the last test, a tiny project into its own `.venv`.
"""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from installer.environment import SYSTEM_PYTHON, TEST_PROGRAMS, has_module
from tests.support.checkout import ROOT

INSTALLER = ROOT / "installer"

# A pyenv shim for a version that is not installed.
BROKEN_PYTHON = "echo 'pyenv: python3: command not found' >&2; exit 127"

# Debian 11's, as far as the scripts look: it fails the check of the version and runs nothing else.
OLD_PYTHON = 'case "$1" in -c) exit 1 ;; *) echo "this Python is too old"; exit 1 ;; esac'

GOOD_PYTHON = f'exec "{sys.executable}" "$@"'

# Debian's without python3-venv: `import ensurepip` fails until apt has installed something (see `machine`).
PYTHON_WITHOUT_VENV = f'PYTHONPATH="$MACHINE/debian" exec "{sys.executable}" "$@"'
DEBIAN_ENSUREPIP = """
import os
if not os.path.exists(os.path.join(os.environ["MACHINE"], "installed")):
    raise ImportError("No module named 'ensurepip'")
"""

WORKING_APT = 'case "$*" in *install*) echo "$*" >>"$MACHINE/installed" ;; esac'
OFFLINE_APT = 'echo "E: Unable to fetch some archives"; exit 100'

# apt-cache of a system that has packages for Python 3.11 and no other.
BOOKWORM = 'case "$2" in python3.14*|python3.13*|python3.12*) exit 100 ;; esac'

ROOT_ID, USER_ID = "echo 0", "echo 1000"
ASKING_SUDO = 'echo "sudo: a password is required" >&2; exit 1'
WILLING_SUDO = 'shift; "$@"'


@dataclass(frozen=True)
class Outcome:
    """What a person sees of a set-up step."""

    code: int
    said: str
    printed: str


@dataclass(frozen=True)
class Machine:
    """A computer made of stand-ins: `bin` is its whole PATH, `project` the checkout."""

    root: Path

    @property
    def project(self) -> Path:
        """Give the folder of the checkout."""
        return self.root / "project"

    def has(self, **programs: str) -> None:
        """Put programs on the PATH; an underscore in a name stands for a dash."""
        for name, body in programs.items():
            self.add(name.replace("_", "-"), body)

    def add(self, name: str, body: str) -> None:
        """Put one program on the PATH, written in shell."""
        assert "/" not in name, "nothing of the real machine is written"
        program = self.root / "bin" / name
        program.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        program.chmod(0o755)

    def run(self, *command: str, **environment: str) -> Outcome:
        """Run a command in the checkout with nothing of the real machine's environment."""
        env = {"PATH": str(self.root / "bin"), "MACHINE": str(self.root), "HOME": str(self.root)}
        done = subprocess.run(
            ["/bin/sh", *command],
            cwd=self.project,
            env=env | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        return Outcome(done.returncode, done.stderr, done.stdout)

    def set_up(self, *extras: str, **environment: str) -> Outcome:
        """Run what `make` runs before everything else."""
        return self.run("installer/python.sh", "installer/environment.py", *extras, **environment)

    def installed(self) -> str:
        """Tell what apt was asked to install."""
        log = self.root / "installed"
        return log.read_text(encoding="utf-8") if log.exists() else ""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Make a computer that has a shell and its oldest tools, a checkout, and nothing else."""
    made = Machine(tmp_path)
    for folder in ("bin", "debian"):
        (tmp_path / folder).mkdir()
    (tmp_path / "debian" / "ensurepip.py").write_text(DEBIAN_ENSUREPIP, encoding="utf-8")
    for tool in ("sh", "dirname", "env"):
        found = shutil.which(tool)
        assert found is not None
        (tmp_path / "bin" / tool).symlink_to(found)
    shutil.copytree(INSTALLER, made.project / "installer", ignore=shutil.ignore_patterns("__pycache__"))
    made.has(id=USER_ID)
    return made


def assert_one_sentence(outcome: Outcome, *pieces: str) -> None:
    """Check that the step ended with one sentence, with these pieces in it, and without a traceback."""
    assert outcome.code == 1
    assert outcome.printed == ""
    *before, sentence = outcome.said.strip().split("\n")
    assert sentence.startswith("Workerbee cannot be set up yet: ")
    assert "Traceback" not in outcome.said
    assert before == [] or before[0].startswith("Installing ")
    for piece in pieces:
        assert piece in sentence


# Which Python


def test_the_first_python_that_works_and_suits_is_taken(machine: Machine) -> None:
    machine.add("python3", OLD_PYTHON)
    machine.add("python3.14", BROKEN_PYTHON)
    machine.add("python3.12", GOOD_PYTHON)
    machine.add("python3.11", "echo 'nobody asked for me'")
    outcome = machine.run("installer/python.sh", "-c", "print('a Python that suits')")
    assert outcome == Outcome(0, "", "a Python that suits\n")


def test_arguments_and_exit_code_pass_through_unchanged(machine: Machine) -> None:
    machine.has(python3=GOOD_PYTHON)
    script = "import sys; print(sys.argv[1:]); sys.exit(7)"
    outcome = machine.run("installer/python.sh", "-c", script, "two words", "*")
    assert (outcome.code, outcome.printed) == (7, "['two words', '*']\n")


def test_a_python_that_was_named_is_taken_before_all_others(machine: Machine) -> None:
    machine.has(python3="echo 'nobody asked for me'", mine=GOOD_PYTHON)
    outcome = machine.run("installer/python.sh", "-c", "print('mine')", PYTHON="mine")
    assert outcome.printed == "mine\n"


@pytest.mark.parametrize("body", [OLD_PYTHON, BROKEN_PYTHON])
def test_a_python_that_was_named_and_does_not_suit_is_refused_by_name(machine: Machine, body: str) -> None:
    machine.has(python3=GOOD_PYTHON, theirs=body)
    assert_one_sentence(machine.set_up(PYTHON="theirs"), "PYTHON=theirs", "3.11, 3.12, 3.13 or 3.14")


def test_no_python_and_no_apt_is_said_with_the_package_to_look_for(machine: Machine) -> None:
    outcome = machine.set_up()
    assert_one_sentence(outcome, "no working Python 3.11, 3.12, 3.13 or 3.14", "package manager")


def test_an_old_python_without_rights_is_said_with_the_command_that_mends_it(machine: Machine) -> None:
    machine.has(python3=OLD_PYTHON, apt_get=WORKING_APT, apt_cache=BOOKWORM, sudo=ASKING_SUDO)
    outcome = machine.set_up()
    assert_one_sentence(outcome, "no working Python", "sudo apt-get install python3.11 python3.11-venv")
    assert machine.installed() == ""


def test_an_old_python_on_a_system_without_a_newer_one_is_said(machine: Machine) -> None:
    machine.has(python3=OLD_PYTHON, apt_get=WORKING_APT, apt_cache="exit 100")
    assert_one_sentence(machine.set_up(), "no working Python", "apt does not offer it")


def test_a_missing_python_is_installed_where_we_are_root(machine: Machine) -> None:
    machine.has(id=ROOT_ID, apt_cache=BOOKWORM, new_python=GOOD_PYTHON)
    new, name = machine.root / "bin" / "new-python", machine.root / "bin" / "python3.11"
    machine.has(apt_get=f'{WORKING_APT}; /bin/cp "{new}" "{name}"')
    outcome = machine.run("installer/python.sh", "-c", "print('it runs')")
    assert (outcome.code, outcome.printed) == (0, "it runs\n")
    assert machine.installed().endswith("python3.11 python3.11-venv\n")


# What Python lacks


def test_a_python_without_venv_is_said_with_the_command_that_mends_it(machine: Machine) -> None:
    write_tiny_project(machine.project)
    machine.has(python3=PYTHON_WITHOUT_VENV, apt_get=WORKING_APT, apt_cache="", sudo=ASKING_SUDO)
    package = f"python3.{sys.version_info.minor}-venv"
    assert_one_sentence(machine.set_up(), "no venv and pip modules", f"sudo apt-get install {package}")


def test_a_python_without_venv_that_apt_cannot_reach_shows_what_apt_said(machine: Machine) -> None:
    write_tiny_project(machine.project)
    machine.has(python3=PYTHON_WITHOUT_VENV, apt_get=OFFLINE_APT, apt_cache="", id=ROOT_ID)
    outcome = machine.set_up()
    assert_one_sentence(outcome, "this mends it: apt-get install python3.")
    assert "E: Unable to fetch some archives" in outcome.said


# What the tests need


@pytest.mark.parametrize(("missing", "packages"), TEST_PROGRAMS.items())
def test_a_missing_program_of_the_tests_is_said(machine: Machine, missing: str, packages: str) -> None:
    machine.has(python3=GOOD_PYTHON, apt_get=WORKING_APT, apt_cache="", sudo=ASKING_SUDO)
    for present in TEST_PROGRAMS.keys() - {missing}:
        machine.add(present, "")
    (machine.project / "pyproject.toml").touch()
    assert_one_sentence(machine.set_up("test"), missing, f"sudo apt-get install {packages}")


def test_whether_the_system_s_python_has_a_module_is_known() -> None:
    assert has_module("json") is Path(SYSTEM_PYTHON).exists()
    assert not has_module("no_module_has_this_name")


# Installing


def test_sudo_is_used_where_it_asks_for_no_password(machine: Machine) -> None:
    machine.has(apt_get=WORKING_APT, apt_cache="", sudo=WILLING_SUDO)
    outcome = machine.run("installer/packages.sh", "there is no C compiler", "gcc libc6-dev")
    assert outcome.code == 0
    assert outcome.said == "Installing gcc libc6-dev through apt, because there is no C compiler.\n"
    assert machine.installed().endswith("install -y --no-install-recommends gcc libc6-dev\n")


@pytest.mark.slow
def test_an_environment_is_made_once_and_mended_when_something_changes(machine: Machine) -> None:
    write_tiny_project(machine.project)
    machine.has(python3=PYTHON_WITHOUT_VENV, apt_get=WORKING_APT, apt_cache="", id=ROOT_ID)
    first = machine.set_up()
    assert first.code == 0, first.said
    assert machine.installed().endswith("-venv\n")
    assert subprocess.run([machine.project / ".venv/bin/tiny"], check=False).returncode == 3
    assert machine.set_up() == Outcome(0, "", ""), "nothing has changed, so nothing is done"

    backend = machine.project / "backend.py"
    good = backend.read_text(encoding="utf-8")
    backend.write_text("raise SystemExit(1)", encoding="utf-8")
    (machine.project / "constraints.txt").write_text("# another pin\n", encoding="utf-8")
    for _ in ("pip fails", "and is asked again"):
        failed = machine.set_up()
        assert failed.code == 1
        last = failed.said.strip().split("\n")[-1]
        assert last.startswith("Workerbee cannot be set up yet: pip could not install it")

    (machine.project / "constraints.txt").write_text("", encoding="utf-8")
    backend.write_text(good, encoding="utf-8")
    mended = machine.set_up()
    assert (mended.code, "Setting up Workerbee" in mended.said) == (0, True), "half of the other version may be there"
    assert machine.set_up() == Outcome(0, "", "")


def write_tiny_project(folder: Path) -> None:
    """Write a project that pip can install without any network: it builds its own wheel."""
    (folder / "constraints.txt").touch()
    (folder / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        '[project]\nname = "tiny"\nversion = "1"\n',
        encoding="utf-8",
    )
    (folder / "backend.py").write_text(TINY_BACKEND, encoding="utf-8")
    (folder / "tiny.py").write_text("def main():\n    return 3\n", encoding="utf-8")


TINY_BACKEND = """
import zipfile, pathlib

def build_editable(directory, config_settings=None, metadata_directory=None):
    files = {
        "tiny.pth": str(pathlib.Path(__file__).parent),
        "tiny-1.dist-info/METADATA": "Metadata-Version: 2.1\\nName: tiny\\nVersion: 1\\n",
        "tiny-1.dist-info/WHEEL": "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
        "tiny-1.dist-info/entry_points.txt": "[console_scripts]\\ntiny = tiny:main\\n",
        "tiny-1.dist-info/RECORD": "",
    }
    with zipfile.ZipFile(pathlib.Path(directory) / "tiny-1-py3-none-any.whl", "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    return "tiny-1-py3-none-any.whl"

build_wheel = build_editable
"""
