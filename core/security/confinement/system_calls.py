"""The system calls that training needs none of, by their numbers on the processors that Workerbee knows."""

from __future__ import annotations

from dataclasses import dataclass

PIDFD_GETFD = 438  # on both; only the process that paces p2pd's sockets needs it
_ON_BOTH = {
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "mount_setattr": 442,
    "open_tree_attr": 467,
    "quotactl_fd": 443,
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
}

# name: (x86_64, aarch64), as in asm/unistd_64.h and asm-generic/unistd.h
_DIFFERENT = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "syslog": (103, 116),
    "vhangup": (153, 58),
    "lookup_dcookie": (212, 18),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "shmdt": (67, 197),
    "semget": (64, 190),
    "semop": (65, 193),
    "semctl": (66, 191),
    "semtimedop": (220, 192),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
}
_X86_ONLY = {"modify_ldt": 154, "iopl": 172, "ioperm": 173}


@dataclass(frozen=True)
class SystemCalls:
    """The numbers of one processor: its AUDIT_ARCH, what is refused, and what is looked into or installs the filter."""

    audit_arch: int
    refused: dict[str, int]
    seccomp: int
    clone: int
    clone3: int
    socket: int
    ioctl: int
    prlimit64: int
    has_x32: bool = False


X86_64 = SystemCalls(
    audit_arch=0xC000003E,
    refused={**_ON_BOTH, **{name: numbers[0] for name, numbers in _DIFFERENT.items()}, **_X86_ONLY},
    seccomp=317,
    clone=56,
    clone3=435,
    socket=41,
    ioctl=16,
    prlimit64=302,
    has_x32=True,
)
AARCH64 = SystemCalls(
    audit_arch=0xC00000B7,
    refused={**_ON_BOTH, **{name: numbers[1] for name, numbers in _DIFFERENT.items()}},
    seccomp=277,
    clone=220,
    clone3=435,
    socket=198,
    ioctl=29,
    prlimit64=261,
)
BY_MACHINE = {"x86_64": X86_64, "aarch64": AARCH64}
"""The tables by what ``platform.machine()`` calls the processor."""
