"""A mount namespace in which nothing is mounted but what was granted (mount_namespaces(7), pivot_root(2)).

What is not there has no sockets either: neither the session bus in /run/user, nor an SSH agent's in /tmp, nor
containers' in /run. Landlock cannot see to that before ABI 9. Shared memory is this process's and its children's own.
"""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from core.security.confinement.kernel import call, system_call
from core.security.confinement.privileges import may_mount

_CLONE_NEWNS, _CLONE_NEWUSER = 0x00020000, 0x10000000
_MS_NOSUID, _MS_NODEV, _MS_BIND, _MS_REC, _MS_PRIVATE = 1 << 1, 1 << 2, 1 << 12, 1 << 14, 1 << 18
_MNT_DETACH = 2
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_ROOT = Path("/")
_SHARED_MEMORY = Path("/dev/shm")

log = logging.getLogger(__name__)


@dataclass
class _View:
    """What the new root shall show: symbolic links as they are, and paths without any, to be mounted."""

    links: dict[Path, str] = field(default_factory=dict)
    mounts: set[Path] = field(default_factory=set)

    def add(self, path: Path) -> None:
        """Add a path; the links on the way to it are noted, and followed."""
        for place in (*reversed(path.parents), path):
            if place.is_symlink() and place != Path("/proc/self"):
                self.links[place] = str(place.readlink())
                rest = path.relative_to(place)
                return self.add(Path(os.path.normpath(place.parent / self.links[place] / rest)))
        if path.exists():
            self.mounts.add(path)
        return None

    def outermost(self) -> list[Path]:
        """The paths to be mounted, without those that lie in others."""
        return sorted(path for path in self.mounts if self.mounts.isdisjoint(path.parents))


def enter_mount_namespace(paths: Iterable[Path], scratch: Path) -> bool:
    """Give this process a root folder with nothing but those paths; whether the kernel allows it.

    The process must have one thread only. ``scratch`` is a folder whose parent is there to be mounted over.
    It is tried in a child first, because half of it would leave a process without its own user's name.
    """
    view = _View()
    for path in paths:
        view.add(path)
    if not _succeeds_in_child(view, scratch.parent):
        return False
    _enter(view, scratch.parent)
    return True


def _succeeds_in_child(view: _View, base: Path) -> bool:
    child = os.fork()
    if child == 0:
        try:
            _enter(view, base)
            os._exit(0)
        except BaseException as error:
            log.info("no mount namespace can be made: %s", error)
        finally:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def _enter(view: _View, base: Path) -> None:
    """Build the new root on a small file system of its own, over ``base``, and make it the root; raises OSError."""
    _unshare()
    _mount("none", _ROOT, "", _MS_REC | _MS_PRIVATE)
    sources = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in view.outermost()}
    _mount("tmpfs", base, "tmpfs", _MS_NOSUID | _MS_NODEV, "size=1m,mode=755")
    for link, target in view.links.items():
        if sources.keys().isdisjoint(link.parents):
            place = _below(base, link)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(target)
    for path, source in sources.items():
        _bind(source, _below(base, path))
    if _SHARED_MEMORY in sources:
        _mount("tmpfs", _below(base, _SHARED_MEMORY), "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=1777")
    os.chdir(base)
    system_call(_PIVOT_ROOT[os.uname().machine], b".", b".")
    call("umount2", b".", _MNT_DETACH)
    os.chdir(_ROOT)


def _unshare() -> None:
    """A mount namespace; without the right to mount, in a user namespace in which this user has it."""
    if may_mount():
        call("unshare", _CLONE_NEWNS)
        return
    user, group = os.geteuid(), os.getegid()
    call("unshare", _CLONE_NEWUSER | _CLONE_NEWNS)
    with suppress(FileNotFoundError):
        Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def _bind(source: int, place: Path) -> None:
    """Show what that descriptor stands for at ``place``; a folder's other mounts are shown with it."""
    try:
        if stat.S_ISDIR(os.stat(source).st_mode):
            place.mkdir(parents=True, exist_ok=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()
        _mount(f"/proc/self/fd/{source}", place, "", _MS_BIND | _MS_REC)
    finally:
        os.close(source)


def _below(base: Path, path: Path) -> Path:
    return base / path.relative_to(_ROOT)


def _mount(source: str, target: Path, kind: str, flags: int, data: str = "") -> None:
    call("mount", source.encode(), bytes(target), kind.encode() or None, flags, data.encode() or None)
