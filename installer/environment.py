"""Make `.venv`: Workerbee and everything it needs, installed once and left alone while nothing changes.

Run by `make`, through `installer/python.sh`, with nothing but the standard library. What is missing from the
system is installed where that is allowed and otherwise said in one sentence (`installer/packages.sh`).
"""

from __future__ import annotations

import argparse
import ctypes
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "workerbee.stamp"
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
FONT_FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".local/share/fonts")

# What Qt's wheels open and do not bring along, and the Debian packages.
WINDOW_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
}

# The programs that the tests start besides Python, and the Debian packages.
TEST_PROGRAMS = {
    "gcc": "gcc libc6-dev",
    "ip": "iproute2",
    "nft": "nftables",
    "miniupnpd": "miniupnpd-nftables",
    "Xvfb": "xvfb xauth",
    "openbox": "openbox",
    "xdotool": "xdotool",
    "xclip": "xclip",
    "sway": "sway",
    "grim": "grim",
    "wtype": "wtype",
    "wl-copy": "wl-clipboard",
    "dbus-daemon": "dbus-daemon at-spi2-core",
    "gio": "libglib2.0-bin",
    "xdg-open": "xdg-utils",
    "update-mime-database": "shared-mime-info",
    "update-desktop-database": "desktop-file-utils",
}

# Those that not every Debian has; the tests that need one are left out without it.
TEST_PROGRAMS_OF_SOME_SYSTEMS = {"trayer": "trayer", "gamemoded": "gamemode-daemon"}

# What the tests start with the system's own Python, for which alone Debian has it, and the Debian packages.
SYSTEM_PYTHON = "/usr/bin/python3"
TEST_MODULES = {"dbusmock": "python3-dbusmock"}

# What the package is made and looked at with, and the Debian packages.
PACKAGE_PROGRAMS = {
    "dpkg-deb": "dpkg",
    "objdump": "binutils",
    "desktop-file-validate": "desktop-file-utils",
    "appstreamcli": "appstream",
    "lintian": "lintian",
    "makeself": "makeself",
    "debootstrap": "debootstrap",
}


class SetUpError(Exception):
    """Set-up has to stop; its text is the sentence for people, or nothing where that was already said."""


@dataclass(frozen=True)
class Stamp:
    """What stands in `.venv`: where it is at home, which requirements it meets, for which extras."""

    home: str
    requirements: str
    extras: frozenset[str]

    def covers(self, wanted: Stamp) -> bool:
        """Say whether a `.venv` with this stamp already holds what is wanted."""
        same = (self.home, self.requirements) == (wanted.home, wanted.requirements)
        return same and wanted.extras <= self.extras


def wanted_stamp(extras: frozenset[str]) -> Stamp:
    """Describe the environment as the files in this checkout want it."""
    digest = hashlib.sha256()
    for name in ("pyproject.toml", "constraints.txt"):
        digest.update((ROOT / name).read_bytes())
    # The path belongs to the home: scripts in a `.venv` that was moved still point to the old place.
    return Stamp(f"Python {VERSION} in {ROOT}", digest.hexdigest(), extras)


def stamp_found() -> Stamp | None:
    """Read what the last set-up left behind; None where there is nothing that can be built upon."""
    try:
        home, requirements, extras = STAMP.read_text(encoding="utf-8").split("\n")
    except (OSError, ValueError):
        return None
    return Stamp(home, requirements, frozenset(extras.split())) if PYTHON.exists() else None


def leave_stamp(stamp: Stamp) -> None:
    """Write down what `.venv` holds now."""
    lines = (stamp.home, stamp.requirements, " ".join(sorted(stamp.extras)))
    STAMP.write_text("\n".join(lines), encoding="utf-8")


def install_from_system(reason: str, packages: str) -> None:
    """Install Debian packages, or stop after saying the command that does."""
    script = ROOT / "installer" / "packages.sh"
    if subprocess.run(["sh", str(script), reason, packages], check=False).returncode != 0:
        raise SetUpError


def can_make_environments() -> bool:
    """Say whether this Python has what a new environment with pip needs; Debian packs that separately."""
    probe = [sys.executable, "-c", "import ensurepip, venv"]
    return subprocess.run(probe, check=False, stderr=subprocess.DEVNULL).returncode == 0


def ensure_venv_module() -> None:
    """See to it that this Python can make environments."""
    if can_make_environments():
        return
    install_from_system(f"Python {VERSION} here has no venv and pip modules", f"python{VERSION}-venv")
    if not can_make_environments():
        raise SetUpError(f"{sys.executable} has no venv and pip modules; name another Python with PYTHON=…")


def ensure_programs(programs: dict[str, str], needing: str) -> None:
    """See to it that there is what is started besides Python."""
    missing = [name for name in programs if shutil.which(name) is None]
    if missing:
        reason = f"{needing} {', '.join(missing)}"
        install_from_system(reason, " ".join(programs[name] for name in missing))


def has_module(module: str) -> bool:
    """Say whether the system's own Python has that module."""
    if not Path(SYSTEM_PYTHON).exists():
        return False
    return subprocess.run([SYSTEM_PYTHON, "-c", f"import {module}"], check=False, capture_output=True).returncode == 0


def ensure_modules_of_system() -> None:
    """See to it that the system's Python can start what the tests need, where its packages have that."""
    missing = [name for name, package in TEST_MODULES.items() if not has_module(name) and is_offered(package)]
    if missing:
        reason = f"the tests need {', '.join(missing)} for {SYSTEM_PYTHON}"
        install_from_system(reason, " ".join(TEST_MODULES[name] for name in missing))


def is_offered(package: str) -> bool:
    """Say whether apt has that package; where there is no apt, set-up stops later, and says so."""
    if shutil.which("apt-cache") is None:
        return True
    listed = subprocess.run(["apt-cache", "madison", package], check=False, capture_output=True)
    return listed.returncode == 0 and bool(listed.stdout.strip())


def can_be_loaded(library: str) -> bool:
    """Say whether the system has that shared library."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def ensure_window_libraries() -> None:
    """See to it that Qt can start and has a font: without one every letter is a box, and nothing fails."""
    missing = [name for name in WINDOW_LIBRARIES if not can_be_loaded(name)]
    packages = [WINDOW_LIBRARIES[name] for name in missing]
    if not any(next(folder.rglob("*.[to]tf"), None) for folder in FONT_FOLDERS):
        missing.append("a font")
        packages.append("fonts-dejavu-core")
    if missing:
        install_from_system(f"the window needs {', '.join(missing)}", " ".join(packages))


def make_venv() -> None:
    """Create an empty `.venv` with pip in it, in the place of whatever was there."""
    ensure_venv_module()
    made = subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], check=False)
    if made.returncode != 0:
        raise SetUpError(f"{sys.executable} could not make {VENV}; the lines above say why.")


def install(wanted: Stamp) -> None:
    """Install the project and its pinned requirements into `.venv`."""
    project = f"{ROOT}[{','.join(sorted(wanted.extras))}]" if wanted.extras else str(ROOT)
    command = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--no-input", "install"]
    # Most of what is installed is never imported, and Python compiles what is.
    command += ["--use-pep517", "--no-compile", "--constraint", str(ROOT / "constraints.txt"), "--editable", project]
    if not sys.stderr.isatty():
        command.append("--quiet")
    print("Setting up Workerbee in .venv: this takes some minutes, once.", file=sys.stderr, flush=True)
    # Until pip is through, a mixture of two versions may be there, which is none that a checkout could go back to.
    leave_stamp(Stamp(wanted.home, "", frozenset()))
    # pip speaks on stdout, which belongs to the program that is set up.
    if subprocess.run(command, check=False, stdout=sys.stderr).returncode != 0:
        raise SetUpError("pip could not install it, as said above; check the network and run make again.")
    compile_for_workers()
    leave_stamp(wanted)


def compile_for_workers() -> None:
    """Compile what a worker imports: it is confined, may not write there, and would compile it anew at every start."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    imports = "import core.worker.roles.organiser, core.worker.roles.volunteer"
    subprocess.run([str(PYTHON), "-c", imports], check=False, stdout=sys.stderr, env=environment)


def set_up(extras: frozenset[str]) -> None:
    """Bring `.venv` up to date for these extras."""
    if "test" in extras:
        ensure_programs(TEST_PROGRAMS, "the tests need")
        # after the others, with which apt's lists have come
        offered = {name: each for name, each in TEST_PROGRAMS_OF_SOME_SYSTEMS.items() if is_offered(each)}
        ensure_programs(offered, "the tests need")
        ensure_modules_of_system()
    if "window" in extras:
        ensure_window_libraries()
    if "installer" in extras:
        ensure_programs(PACKAGE_PROGRAMS, "the installer needs")
    wanted, found = wanted_stamp(extras), stamp_found()
    if found is not None and found.covers(wanted):
        return
    if found is None or found.home != wanted.home:
        make_venv()
    install(wanted)


def say(sentence: str) -> int:
    """Tell a person what stands in the way, unless that was said already, and give the exit code."""
    if sentence:
        print(f"Workerbee cannot be set up yet: {sentence}", file=sys.stderr)
    return 1


def main() -> int:
    """Read the command line, set up, and turn what went wrong into one sentence."""
    parser = argparse.ArgumentParser(description="Make .venv and install Workerbee into it.")
    parser.add_argument("extras", nargs="*", help="extras of pyproject.toml to install, such as: test")
    extras = frozenset(parser.parse_args().extras)
    try:
        with (ROOT / "pyproject.toml").open("rb") as ours:
            # Two terminals may ask at once; the second waits, and then finds everything done.
            fcntl.flock(ours, fcntl.LOCK_EX)
            set_up(extras)
    except SetUpError as problem:
        return say(str(problem))
    except OSError as problem:
        return say(f"{problem.filename or VENV}: {problem.strerror}.")
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
