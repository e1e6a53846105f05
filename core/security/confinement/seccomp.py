"""A seccomp filter that refuses the system calls of which training needs none (seccomp(2)).

They fail with EPERM. clone3 fails with ENOSYS, as a filter cannot look into its arguments: libraries then use clone.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import socket
import sys

from core.security.confinement.bpf import (
    INSTRUCTION_BYTES,
    Instruction,
    Label,
    Program,
    answer,
    assemble,
    if_any_bit,
    if_at_least,
    if_equal,
    load,
)
from core.security.confinement.kernel import system_call
from core.security.confinement.system_calls import BY_MACHINE, PIDFD_GETFD, SystemCalls

# <linux/seccomp.h>; SPEC_ALLOW: older kernels would slow down the whole process for a side channel of its own
_SET_MODE_FILTER, _FLAG_TSYNC, _FLAG_SPEC_ALLOW = 1, 1 << 0, 1 << 2
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NUMBER, _ARCHITECTURE = 0, 4
_X32_BIT = 0x40000000
# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_NEW_NAMESPACES = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C  # they type into a terminal for the person
_AF_NETLINK, _NETLINK_ROUTE = 16, 0
_AF_UNIX = 1  # which Windows' Python lacks
_INTERNET = (int(socket.AF_INET), int(socket.AF_INET6))
_PROTOCOLS = (
    0,
    int(socket.IPPROTO_TCP),
    int(socket.IPPROTO_UDP),
)  # Landlock knows no other connections, such as MPTCP's

_REFUSE, _PERMIT, _UNKNOWN = Label("refuse"), Label("permit"), Label("unknown")
_CLONE, _SOCKET, _IOCTL, _NETLINK = Label("clone"), Label("socket"), Label("ioctl"), Label("netlink")
_PROTOCOL, _LIMITS = Label("protocol"), Label("limits")
_KNOWN_PROCESSOR = Label("known processor")


class _FilterProgram(ctypes.Structure):
    """``struct sock_fprog``: the number of instructions, and where they are."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def refuse_system_calls() -> None:
    """Install the filter in all threads of this process and whatever they start; raises OSError.

    ``no_new_privs`` must be set. There is none for processors without a table, and for 32-bit programs.
    """
    _install(filter_program(_calls()))


def refuse_internet_sockets() -> None:
    """Let this process and whatever it starts make no sockets of the internet protocols at all; raises OSError."""
    _install(internet_program(_calls()))


def refuse_descriptor_copies() -> None:
    """Let this process and whatever it starts copy no other process's descriptors (pidfd_getfd); raises OSError."""
    _calls()
    _install(DESCRIPTOR_PROGRAM)


def filter_program(calls: SystemCalls) -> Program:
    """The filter for one processor: another one's system calls, such as those of 32-bit programs, are refused."""
    return [
        load(_ARCHITECTURE),
        if_equal(calls.audit_arch, _KNOWN_PROCESSOR),
        answer(_ERRNO | errno.EPERM),
        _KNOWN_PROCESSOR,
        load(_NUMBER),
        *([if_at_least(_X32_BIT, _REFUSE)] if calls.has_x32 else []),
        *(if_equal(number, _REFUSE) for number in sorted(calls.refused.values())),
        if_equal(calls.clone3, _UNKNOWN),
        if_equal(calls.clone, _CLONE),
        if_equal(calls.socket, _SOCKET),
        if_equal(calls.ioctl, _IOCTL),
        if_equal(calls.prlimit64, _LIMITS),
        answer(_ALLOW),
        *_checks_of_arguments(),
        _REFUSE,
        answer(_ERRNO | errno.EPERM),
        _UNKNOWN,
        answer(_ERRNO | errno.ENOSYS),
        _PERMIT,
        answer(_ALLOW),
    ]


def internet_program(calls: SystemCalls) -> Program:
    """The filter that refuses internet sockets; what else is refused is the other filter's affair, and comes first."""
    return [
        load(_NUMBER),
        if_equal(calls.socket, _SOCKET),
        answer(_ALLOW),
        _SOCKET,
        _argument(0),
        *(if_equal(family, _REFUSE) for family in _INTERNET),
        answer(_ALLOW),
        _REFUSE,
        answer(_ERRNO | errno.EPERM),
    ]


DESCRIPTOR_PROGRAM: Program = [
    load(_NUMBER),
    if_equal(PIDFD_GETFD, _REFUSE),
    answer(_ALLOW),
    _REFUSE,
    answer(_ERRNO | errno.EPERM),
]
"""The filter that refuses pidfd_getfd; the processor is the other filter's affair."""


def _calls() -> SystemCalls:
    calls = BY_MACHINE.get(platform.machine())
    if calls is None or sys.maxsize < 1 << 32:
        raise OSError(errno.ENOSYS, f"no list of system calls for {platform.machine()}")
    return calls


def _install(program: Program) -> None:
    encoded = assemble(program)
    filter_ = _FilterProgram(len(encoded) // INSTRUCTION_BYTES, encoded)
    flags = ctypes.c_uint(_FLAG_TSYNC | _FLAG_SPEC_ALLOW)
    system_call(_calls().seccomp, ctypes.c_uint(_SET_MODE_FILTER), flags, ctypes.byref(filter_))


def _checks_of_arguments() -> list[Instruction | Label]:
    """No new namespaces, no typing into terminals, no other process's limits (0 is the calling one).

    Of sockets IP's, local ones, and those that list interfaces.
    """
    return [
        _CLONE,
        _argument(0),
        if_any_bit(_NEW_NAMESPACES, _REFUSE),
        answer(_ALLOW),
        _IOCTL,
        _argument(1),
        if_equal(_TIOCSTI, _REFUSE),
        if_equal(_TIOCLINUX, _REFUSE),
        answer(_ALLOW),
        _LIMITS,
        _argument(0),
        if_equal(0, _PERMIT),
        answer(_ERRNO | errno.EPERM),
        _SOCKET,
        _argument(0),
        if_equal(_AF_UNIX, _PERMIT),
        *(if_equal(family, _PROTOCOL) for family in _INTERNET),
        if_equal(_AF_NETLINK, _NETLINK),
        answer(_ERRNO | errno.EPERM),
        _PROTOCOL,
        _argument(2),
        *(if_equal(protocol, _PERMIT) for protocol in _PROTOCOLS),
        answer(_ERRNO | errno.EPERM),
        _NETLINK,
        _argument(2),
        if_equal(_NETLINK_ROUTE, _PERMIT),
    ]


def _argument(number: int) -> Instruction:
    """Load the low half of an argument, which is all that the kernel reads of these."""
    high_half_first = 0 if sys.byteorder == "little" else 4
    return load(16 + 8 * number + high_half_first)
