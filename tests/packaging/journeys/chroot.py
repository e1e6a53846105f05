"""A bare Debian in a folder, in which programs are started as root or as an ordinary person."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PERSON, PERSON_ID = "volunteer", 1000
_MOUNTS = (("proc", "proc"), ("/dev", "dev"), ("/dev/shm", "dev/shm"), ("/tmp/.X11-unix", "tmp/.X11-unix"))
_NOT_COMPARED = (
    "proc",
    "sys",
    "dev",
    "tmp",
    "run",
    "home",
    "root",
    "var/log",
    "var/cache/apt",
    "var/lib/apt",
)
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Chroot:
    """One system; ``root`` is its folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @property
    def home(self) -> Path:
        """The person's, seen from outside."""
        return self.root / "home" / PERSON

    def as_root(self, *command: str) -> str:
        """What it prints; a failure is one of the journey."""
        environment = {"PATH": _PATH, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            ["chroot", str(self.root), *command],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{command}: {done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout

    def as_person(self, *command: str, **environment: str) -> list[str]:
        """What starts this as an ordinary person, with nothing of our own environment but the test's mark."""
        told = {"HOME": f"/home/{PERSON}", "PATH": _PATH, "LANG": "C.UTF-8", "USER": PERSON} | environment
        told["XDG_RUNTIME_DIR"] = f"/run/user/{PERSON_ID}"
        words = " ".join(f"{name}={value}" for name, value in told.items())
        script = f'exec env -i {words} "WORKERBEE_TEST_FAMILY=$WORKERBEE_TEST_FAMILY" "DISPLAY=$DISPLAY" "$@"'
        who = f"--userspec={PERSON_ID}:{PERSON_ID}"
        return ["chroot", who, str(self.root), "/bin/sh", "-c", script, "sh", *command]

    def files(self) -> set[str]:
        """Everything that is there, but what every use of apt and every person leaves."""
        skipped = {str(self.root / each) for each in _NOT_COMPARED}
        found = set()
        for place, folders, names in os.walk(self.root):
            folders[:] = [each for each in folders if f"{place}/{each}" not in skipped]
            found |= {str(Path(place, each).relative_to(self.root)) for each in [*folders, *names]}
        return found

    def install(self, package: Path) -> None:
        """With apt, as a person's own installer program does."""
        shutil.copy(package, self.root / "tmp" / package.name)
        self.as_root("apt-get", "install", "-y", "--no-install-recommends", f"/tmp/{package.name}")


@contextmanager
def bare(suite: str, folder: Path) -> Iterator[Chroot]:
    """A fresh copy of that Debian; the pattern of it is kept in ``folder`` for the next time."""
    folder = folder.resolve()
    pattern, root = folder / f"base-{suite}", folder / f"journey-{suite}"
    if not (pattern / "etc" / "debian_version").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["debootstrap", "--variant=minbase", suite, str(pattern)], check=True)
    _unmount(root)
    shutil.rmtree(root, ignore_errors=True)
    subprocess.run(["cp", "-a", "--reflink=auto", str(pattern), str(root)], check=True)
    chroot = Chroot(root)
    try:
        _mount(root)
        chroot.as_root("useradd", "--create-home", "--uid", str(PERSON_ID), PERSON)
        chroot.as_root("install", "-d", "-m", "700", "-o", PERSON, f"/run/user/{PERSON_ID}")
        # a mirror of testing may be some weeks behind, and apt would refuse its list
        chroot.as_root("apt-get", "-o", "Acquire::Check-Valid-Until=false", "update")
        yield chroot
    finally:
        _unmount(root)
        shutil.rmtree(root, ignore_errors=True)


def _mount(root: Path) -> None:
    Path("/tmp/.X11-unix").mkdir(mode=0o1777, exist_ok=True)
    shutil.copy("/etc/resolv.conf", root / "etc" / "resolv.conf")
    for what, where in _MOUNTS:
        (root / where).mkdir(parents=True, exist_ok=True)
        how = ["-t", "proc"] if what == "proc" else ["--bind"]
        subprocess.run(["mount", *how, what, str(root / where)], check=True)


def _unmount(root: Path) -> None:
    """Before anything is deleted: what is mounted there is the machine's own."""
    for place in reversed(_mounted(root)):
        subprocess.run(["umount", "--lazy", place], check=True)
    assert _mounted(root) == [], "something is still mounted, so nothing is deleted"


def _mounted(root: Path) -> list[str]:
    """In the order in which it was mounted; asked of the kernel, as a folder does not tell."""
    lines = Path("/proc/self/mounts").read_text("utf-8").splitlines()
    return [place for line in lines if Path(place := line.split()[1]).is_relative_to(root)]
