"""Which of the system's libraries the package needs, read out of everything that is inside it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from installer.environment import WINDOW_LIBRARIES

# WINDOW_LIBRARIES are those that a bare system lacks; the rest comes along with nearly everything.
_PACKAGES = WINDOW_LIBRARIES | {
    "ld-linux-x86-64.so.2": "libc6",
    "libGLX.so.0": "libglx0",
    "libOpenGL.so.0": "libopengl0",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libX11.so.6": "libx11-6",
    "libbrotlicommon.so.1": "libbrotli1",
    "libbrotlidec.so.1": "libbrotli1",
    "libc.so.6": "libc6",
    "libdl.so.2": "libc6",
    "libfreetype.so.6": "libfreetype6",
    "libgcc_s.so.1": "libgcc-s1",
    "libgio-2.0.so.0": "libglib2.0-0",
    "libgobject-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libm.so.6": "libc6",
    "libpthread.so.0": "libc6",
    "libresolv.so.2": "libc6",
    "librt.so.1": "libc6",
    "libstdc++.so.6": "libstdc++6",
    "libutil.so.1": "libc6",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libxcb-glx.so.0": "libxcb-glx0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb.so.1": "libxcb1",
    "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1",
}
# Qt opens these only where the desktop uses them, and does without where it does not.
_OF_THE_DESKTOP = {"libgtk-3.so.0", "libgdk-3.so.0", "libgdk_pixbuf-2.0.so.0", "libpango-1.0.so.0"}
_OF_THE_DESKTOP |= {"libcairo.so.2", "libatk-1.0.so.0", "libharfbuzz.so.0", "libpangocairo-1.0.so.0"}
_OF_THE_DESKTOP |= {"libcairo-gobject.so.2"}
# Renamed where time became 64 bits wide; the new one still answers to the old name.
_RENAMED = {"libglib2.0-0": "libglib2.0-0t64 | libglib2.0-0"}


class UnknownLibraryError(Exception):
    """Something inside needs a library of which nobody has said which package has it."""


def packages_for(root: Path) -> list[str]:
    """The Depends of what lies below; raises UnknownLibraryError."""
    objects = [file for file in root.rglob("*") if file.is_file() and _is_object(file)]
    own = {file.name for file in objects}
    packages = set()
    for file in objects:
        for name in needed_by(file):
            if name in own or name in _OF_THE_DESKTOP:
                continue
            if name not in _PACKAGES:
                raise UnknownLibraryError(f"{file.name} needs {name}: name its package in {__file__}")
            packages.add(_PACKAGES[name])
    return sorted(_RENAMED.get(package, package) for package in packages)


def newest_glibc(root: Path) -> str:
    """The least version of the C library with which all of it runs, such as 2.34."""
    versions = {
        tuple(int(part) for part in word[len("GLIBC_") :].split("."))
        for file in root.rglob("*")
        if file.is_file() and _is_object(file)
        for word in _headers(file).split()
        if word.startswith("GLIBC_2")
    }
    return ".".join(str(part) for part in max(versions))


def needed_by(file: Path) -> Iterator[str]:
    """The names that the dynamic linker would look for."""
    for line in _headers(file).splitlines():
        words = line.split()
        if words[:1] == ["NEEDED"]:
            yield words[1]


@cache
def _headers(file: Path) -> str:
    return subprocess.run(["objdump", "-p", str(file)], check=True, capture_output=True, text=True).stdout


def _is_object(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(4) == b"\x7fELF"
