"""The system call filter, run by an interpreter of classic BPF for both processors, and by this computer's kernel."""

from __future__ import annotations

import errno
import struct
import sys
from collections.abc import Callable

import pytest

from core.security.confinement.bpf import Label, Program, answer, assemble, if_equal, load
from core.security.confinement.seccomp import filter_program, internet_program
from core.security.confinement.system_calls import AARCH64, X86_64, SystemCalls
from tests.core.security.confinement.confined_child import run_confined

ALLOWED, REFUSED, UNKNOWN = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_VSOCK = 1, 2, 10, 16, 17, 40
BOTH = pytest.mark.parametrize("calls", [X86_64, AARCH64], ids=["x86_64", "aarch64"])


def answered(calls: SystemCalls, number: int, *arguments: int, arch: int | None = None) -> int:
    """What the filter answers to a system call with those arguments."""
    return interpreted(assemble(filter_program(calls)), encoded(calls, number, *arguments, arch=arch))


def encoded(calls: SystemCalls, number: int, *arguments: int, arch: int | None = None) -> bytes:
    """The system call as the filter sees it, ``struct seccomp_data``."""
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    return struct.pack("=IIQ6Q", number, calls.audit_arch if arch is None else arch, 0, *padded)


def interpreted(program: bytes, data: bytes) -> int:
    """What a program of classic BPF answers, for the five instructions that ours has."""
    tests: dict[int, Callable[[int, int], bool]] = {
        0x15: lambda word, operand: word == operand,
        0x35: lambda word, operand: word >= operand,
        0x45: lambda word, operand: bool(word & operand),
    }
    instructions = list(struct.iter_unpack("=HBBI", program))
    place = word = 0
    while True:
        code, then, other, operand = instructions[place]
        if code == 0x06:
            return int(operand)
        if code == 0x20:
            (word,) = struct.unpack_from("=I", data, operand)
            place += 1
        else:
            place += 1 + (then if tests[code](word, operand) else other)


@BOTH
def test_what_training_needs_none_of_is_refused(calls: SystemCalls) -> None:
    assert {"ptrace", "process_vm_readv", "bpf", "keyctl", "mount", "unshare", "setns"} <= calls.refused.keys()
    assert {"shmat", "semop", "msgrcv", "mq_open"} <= calls.refused.keys(), "what other programs have shared"
    assert {name for name, number in calls.refused.items() if answered(calls, number) != REFUSED} == set()


@BOTH
def test_everything_else_is_allowed(calls: SystemCalls) -> None:
    looked_into = {calls.clone, calls.clone3, calls.socket, calls.ioctl, calls.prlimit64}
    others = set(range(470)) - set(calls.refused.values()) - looked_into
    assert {number for number in others if answered(calls, number) != ALLOWED} == set()


@BOTH
def test_other_processors_system_calls_are_refused(calls: SystemCalls) -> None:
    assert answered(calls, 0, arch=0x40000003) == REFUSED, "those of 32-bit programs"
    assert answered(X86_64, 0x40000000 | 1) == REFUSED, "those of x32"


@BOTH
def test_processes_and_threads_may_be_made_but_no_namespaces(calls: SystemCalls) -> None:
    thread, fork = 0x003D0F00, 17
    assert [answered(calls, calls.clone, flags) for flags in (thread, fork)] == [ALLOWED] * 2
    for namespace in (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000):
        assert answered(calls, calls.clone, fork | namespace) == REFUSED
    assert answered(calls, calls.clone3) == UNKNOWN, "so that libraries use clone"


@BOTH
def test_sockets_are_for_the_internet_for_processes_and_for_listing_interfaces(calls: SystemCalls) -> None:
    for family in (AF_UNIX, AF_INET, AF_INET6):
        assert answered(calls, calls.socket, family, 1) == ALLOWED
    for protocol, answer_ in ((0, ALLOWED), (6, ALLOWED), (17, ALLOWED), (1, REFUSED), (132, REFUSED), (262, REFUSED)):
        assert answered(calls, calls.socket, AF_INET, 1, protocol) == answer_, "no other than TCP and UDP"
    assert answered(calls, calls.socket, AF_NETLINK, 3, 0) == ALLOWED
    assert answered(calls, calls.socket, AF_NETLINK, 3, 9) == REFUSED
    for family in (AF_PACKET, AF_VSOCK, 38):
        assert answered(calls, calls.socket, family, 3) == REFUSED


@BOTH
def test_the_second_filter_refuses_sockets_of_the_internet_and_nothing_else(calls: SystemCalls) -> None:
    program = assemble(internet_program(calls))
    tried = {family: interpreted(program, encoded(calls, calls.socket, family, 1)) for family in (1, 2, 10, 16)}
    assert tried == {AF_UNIX: ALLOWED, AF_INET: REFUSED, AF_INET6: REFUSED, AF_NETLINK: ALLOWED}
    assert {number for number in range(470) if interpreted(program, encoded(calls, number, 0)) != ALLOWED} == set()


@BOTH
def test_nothing_is_typed_into_a_terminal(calls: SystemCalls) -> None:
    assert answered(calls, calls.ioctl, 1, 0x5401) == ALLOWED
    assert answered(calls, calls.ioctl, 1, 0x5412) == answered(calls, calls.ioctl, 1, 0x541C) == REFUSED
    assert answered(calls, calls.ioctl, 1, 0xFFFFFFFF_00005412) == REFUSED, "the kernel reads the low half only"


@BOTH
def test_a_process_sets_its_own_limits_and_nobody_elses(calls: SystemCalls) -> None:
    assert answered(calls, calls.prlimit64, 0, 7) == ALLOWED
    assert answered(calls, calls.prlimit64, 0xFFFFFFFF_00000000, 7) == ALLOWED, "the kernel reads the low half only"
    assert answered(calls, calls.prlimit64, 1234, 0) == answered(calls, calls.prlimit64, 0xFFFFFFFF, 0) == REFUSED


def test_a_jump_that_cannot_be_is_a_mistake() -> None:
    there = Label("there")
    nowhere: Program = [if_equal(1, there), answer(0)]
    above: Program = [there, load(0), if_equal(1, there), answer(0)]
    for program in (nowhere, above):
        with pytest.raises(ValueError, match="there"):
            assemble(program)
    far: Program = [if_equal(1, there), *[load(0)] * 256, there, answer(0)]
    with pytest.raises(ValueError, match="there"):
        assemble(far)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has seccomp")
def test_the_kernel_takes_it_for_threads_that_run_already() -> None:
    said = run_confined("""
import threading
from core.security.confinement.landlock import refuse_new_privileges
from core.security.confinement.seccomp import refuse_system_calls
go, answers = threading.Event(), []

def attempt():
    go.wait()
    try:
        socket.socket(40, 1)
    except OSError as error:
        answers.append(error.errno)

thread = threading.Thread(target=attempt)
thread.start()
refuse_new_privileges()
refuse_system_calls()
go.set()
thread.join()
say(*answers)
subprocess.run([sys.executable, "-c", "pass"], check=True)
say(len(socket.if_nameindex()) > 0)
""")
    assert said == [str(errno.EPERM), "True"]
