"""Grants: the files and folders that a confined process may use, and how."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Literal

Access = Literal["list", "read", "run", "write", "device", "change", "sockets"]
"""``list`` the names in a folder, ``read``, ``run`` (read and execute), ``write`` (and read, make, remove),
use as a ``device``, ``change`` files that are there but make none, or make and use ``sockets``. All of it holds for
whatever lies below."""

_RUN = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store")
_DRIVERS = ("/opt/rocm*", "/opt/amdgpu*", "/opt/cuda*")
_NAMES = tuple(
    f"/etc/{name}"
    for name in ("resolv.conf", "hosts", "nsswitch.conf", "host.conf", "gai.conf", "services", "protocols")
)
_READ = (
    *(f"/etc/{name}" for name in ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime")),
    *_NAMES,
    "/etc/passwd",
    "/etc/group",
    *(f"/etc/{name}" for name in ("ssl", "ca-certificates", "pki/tls", "pki/ca-trust", "crypto-policies")),
    "/run/opengl-driver",
    "/proc",
    "/sys",
)
_DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom"))
_GPUS = ("/dev/nvidia*", "/dev/nvhost*", "/dev/nvmap", "/dev/dri", "/dev/kfd", "/dev/dxg")
_WRITE = ("/dev/shm",)


@dataclass(frozen=True)
class Grant:
    """One path, and what may be done with it and with what lies below it."""

    path: Path
    access: Access


def system_grants() -> tuple[Grant, ...]:
    """What every worker needs: libraries, its interpreter and its code, certificates, shared memory, GPUs.

    CUDA names its threads by writing below ``/proc/self``.
    """
    return (
        *_existing("run", _RUN + _DRIVERS),
        *(Grant(path, "run") for path in (*_own_code(), *_compilers())),
        *_existing("read", _READ),
        *_existing("device", _DEVICES + _GPUS),
        *_existing("write", _WRITE),
        *_existing("read", _resolver_folder()),
        Grant(Path("/proc/self"), "change"),
    )


def reading_grants() -> tuple[Grant, ...]:
    """What a Python program needs that runs no other program, writes nothing and has no GPU."""
    return (
        *_existing("read", _RUN + _READ),
        *(Grant(path, "read") for path in _own_code()),
        *_existing("read", _resolver_folder()),
        *_existing("device", _DEVICES),
    )


def p2pd_grants() -> tuple[Grant, ...]:
    """What p2pd reads of the system: how names are looked up, the time zone, and the kernel's word on the network."""
    return (
        *_existing("read", (*_NAMES, "/etc/localtime", "/proc")),
        *_existing("read", _resolver_folder()),
        *_existing("device", _DEVICES),
    )


def _existing(access: Access, patterns: Iterable[str]) -> Iterator[Grant]:
    """Those that are there, also for a process that is confined already."""
    for pattern in patterns:
        paths = map(Path, sorted(glob(pattern)))  # noqa: PTH207 - Python 3.12's Path.glob lists each folder on the way
        yield from (Grant(path, access) for path in paths if path.exists())


def _own_code() -> list[Path]:
    """The interpreter's folders, those that it imports from, and the libraries' that a person has named."""
    named = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    folders = {sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path, *named}
    return [path for path in map(Path, sorted(folders)) if path.is_absolute() and path.exists() and _is_narrow(path)]


def _compilers() -> list[Path]:
    """The folders of the compilers that `torch.compile` and Triton call, which may be anywhere.

    One below a hidden folder of the home is left out: with `~/.local/bin/gcc`, its folder is where secrets are, too.
    """
    named = [*(os.environ.get(variable) for variable in ("CC", "CXX")), "gcc", "g++", "clang"]
    programs = [Path(program) for name in named if name and (program := shutil.which(name.split()[0]))]
    folders = {path.parents[1] for program in programs for path in (program, program.resolve())}
    return [folder for folder in sorted(folders) if _is_narrow(folder) and not _is_hidden(folder)]


def _is_hidden(path: Path) -> bool:
    """Whether it is below a hidden folder of the home, by its own name or by the one to which links lead."""
    home, path = Path.home(), path.absolute()
    pairs = ((path, home), (path.resolve(), home.resolve()))
    return any(one.is_relative_to(base) and one.relative_to(base).parts[0].startswith(".") for one, base in pairs)


def _is_narrow(path: Path) -> bool:
    """Whether it is not the home folder or one above it: that would be all that is kept from the worker."""
    return not Path.home().resolve().is_relative_to(path.resolve())


def _resolver_folder() -> tuple[str, ...]:
    """The folder in which systemd or NetworkManager replaces ``resolv.conf`` whenever the network changes."""
    folder = Path("/etc/resolv.conf").resolve().parent
    return (str(folder),) if Path("/run") in folder.parents else ()
