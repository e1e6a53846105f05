"""Landlock: which files a process and its children may use, where they may connect, and whom they may send signals.

A kernel knows the rights up to its ABI version (landlock(7)); whatever it does not know stays allowed. A ruleset holds
for the calling thread and all that it starts, and can never be lifted; another one takes away more.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from core.security.confinement.gaps import Gap
from core.security.confinement.grants import Access, Grant
from core.security.confinement.kernel import control_process, system_call

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same numbers on every processor
_VERSION_FLAG, _RULE_PATH_BENEATH, _RULE_NET_PORT = 1, 1, 2
_PR_SET_NO_NEW_PRIVS = 38

# <linux/landlock.h>, LANDLOCK_ACCESS_FS_…
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE = 1 << 4, 1 << 5
_MAKE_CHAR, _MAKE_DIR, _MAKE_REG, _MAKE_SOCK, _MAKE_FIFO, _MAKE_BLOCK, _MAKE_SYM = (1 << bit for bit in range(6, 13))
_REFER, _TRUNCATE, _IOCTL_DEV, _RESOLVE_UNIX = 1 << 13, 1 << 14, 1 << 15, 1 << 16
_SCOPE_ABSTRACT_UNIX_SOCKET, _SCOPE_SIGNAL = 1 << 0, 1 << 1
_BIND_TCP, _CONNECT_TCP = 1 << 0, 1 << 1  # LANDLOCK_ACCESS_NET_…

_FIRST_ABI = (
    _EXECUTE
    | _WRITE_FILE
    | _READ_FILE
    | _READ_DIR
    | _REMOVE_DIR
    | _REMOVE_FILE
    | sum((_MAKE_CHAR, _MAKE_DIR, _MAKE_REG, _MAKE_SOCK, _MAKE_FIFO, _MAKE_BLOCK, _MAKE_SYM))
)
_LATER = {2: _REFER, 3: _TRUNCATE, 5: _IOCTL_DEV, 9: _RESOLVE_UNIX}
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV | _RESOLVE_UNIX
_TRUNCATE_ABI, PORTS_ABI, _SCOPE_ABI, SOCKETS_ABI = 3, 4, 6, 9

_READ = _READ_FILE | _READ_DIR
_WRITE = (
    _READ
    | _WRITE_FILE
    | _TRUNCATE
    | _REFER
    | _REMOVE_DIR
    | _REMOVE_FILE
    | sum((_MAKE_DIR, _MAKE_REG, _MAKE_SOCK, _MAKE_FIFO, _MAKE_SYM))
)
_RIGHTS: dict[Access, int] = {
    "list": _READ_DIR,
    "read": _READ,
    "run": _READ | _EXECUTE,
    "write": _WRITE,
    "device": _READ | _WRITE_FILE | _IOCTL_DEV,
    "change": _WRITE_FILE | _TRUNCATE,
    "sockets": _READ_DIR | _MAKE_SOCK | _REMOVE_FILE | _RESOLVE_UNIX,
}


class _Ruleset(ctypes.Structure):
    """``struct landlock_ruleset_attr``; a kernel refuses fields that it does not know unless they are zero."""

    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _PathBeneath(ctypes.Structure):
    """``struct landlock_path_beneath_attr``, which has no padding."""

    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


class _NetPort(ctypes.Structure):
    """``struct landlock_net_port_attr``."""

    _fields_ = (("allowed_access", ctypes.c_uint64), ("port", ctypes.c_uint64))


def abi_version() -> int:
    """The version of Landlock's ABI that this kernel has; 0 where it has none, or a container hides it."""
    try:
        return system_call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION_FLAG))
    except OSError:
        return 0


def restrict_files(grants: Iterable[Grant], abi: int) -> None:
    """Keep everything from this thread, and all that it starts, but the grants; raises OSError.

    ``no_new_privs`` must be set. Abstract sockets and processes outside are out of reach from ABI 6 on.
    """
    handled = _FIRST_ABI | sum(right for since, right in _LATER.items() if since <= abi)
    scoped = _SCOPE_ABSTRACT_UNIX_SOCKET | _SCOPE_SIGNAL if abi >= _SCOPE_ABI else 0
    with _restricting(_Ruleset(handled, 0, scoped), 3 if abi >= _SCOPE_ABI else 1) as ruleset:
        for grant in grants:
            _add(ruleset, grant, handled)


def restrict_ports(ports: Iterable[int]) -> None:
    """Let this thread, and all that it starts, connect to no other TCP ports, and listen on none; raises OSError.

    It needs PORTS_ABI. Other protocols than TCP are none of its business. A ruleset that does not allow it forbids to
    move files to other folders, whatever else it is about.
    """
    with _restricting(_Ruleset(_REFER, _BIND_TCP | _CONNECT_TCP, 0), 2) as ruleset:
        _add(ruleset, Grant(Path("/"), "write"), _REFER)
        for port in ports:
            _add_rule(ruleset, _RULE_NET_PORT, _NetPort(_CONNECT_TCP, port))


def gaps_of(abi: int) -> Iterator[Gap]:
    """What Landlock of that version leaves open; pathname sockets are told apart."""
    if abi < 1:
        yield "files"
    elif abi < _TRUNCATE_ABI:
        yield "truncation"
    if abi < PORTS_ABI:
        yield "network"
    if abi < _SCOPE_ABI:
        yield "signals"


def refuse_new_privileges() -> None:
    """Let no program that is run from here on gain privileges, setuid ones included (PR_SET_NO_NEW_PRIVS)."""
    control_process(_PR_SET_NO_NEW_PRIVS, 1)


@contextmanager
def _restricting(attributes: _Ruleset, fields: int) -> Iterator[int]:
    """A new ruleset, of the first fields that the kernel knows, which holds from the end of the block on."""
    size = ctypes.c_size_t(fields * ctypes.sizeof(ctypes.c_uint64))
    ruleset = system_call(_CREATE_RULESET, ctypes.byref(attributes), size, ctypes.c_uint32(0))
    try:
        yield ruleset
        system_call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    finally:
        os.close(ruleset)


def _add(ruleset: int, grant: Grant, handled: int) -> None:
    """Add a rule; a path that has just vanished, or may not even be opened, needs none."""
    try:
        place = os.open(grant.path, os.O_PATH | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.EACCES, errno.ENOTDIR):
            return
        raise
    try:
        rights = _RIGHTS[grant.access] & handled
        is_folder = stat.S_ISDIR(os.fstat(place).st_mode)
        _add_rule(ruleset, _RULE_PATH_BENEATH, _PathBeneath(rights if is_folder else rights & _OF_FILES, place))
    finally:
        # the kernel forgets /proc/self, rule and all, unless somebody has it open
        if grant.access != "change":
            os.close(place)


def _add_rule(ruleset: int, kind: int, rule: ctypes.Structure) -> None:
    system_call(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(kind), ctypes.byref(rule), ctypes.c_uint32(0))
