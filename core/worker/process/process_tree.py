"""The processes that hivemind forks from the worker, a DHT and two averagers: none of them may outlive it."""

from __future__ import annotations

import contextlib
import ctypes
import logging
import multiprocessing
import os
import resource
import signal
import sys
import threading
import time

WANTED_FILE_DESCRIPTORS = 4096
_PR_SET_PDEATHSIG = 1
_POLL_SECONDS = 1.0
_parent = os.getpid()  # of the fork that is being made

log = logging.getLogger(__name__)


def setup_fork_handling() -> None:
    """Prepare this process to have children; call it once, before anything forks.

    WORKAROUND H35: hivemind's averagers work only when forked (not the default on macOS, nor anywhere from
    Python 3.14), run out of the usual 1024 descriptors in large swarms, leave what they share in /dev/shm
    unless it is shared by descriptor, and stay alive for ever when only their parent is killed, announcing a
    peer that is dead.
    """
    multiprocessing.set_start_method("fork", force=True)
    os.environ["HIVEMIND_MEMORY_SHARING_STRATEGY"] = "file_descriptor"
    _raise_descriptor_limit()
    os.register_at_fork(before=_remember_parent, after_in_child=_exit_with_parent)


def _raise_descriptor_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED_FILE_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(WANTED_FILE_DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _remember_parent() -> None:
    global _parent
    _parent = os.getpid()


def _exit_with_parent() -> None:
    """In a child: end as soon as the parent has ended, and on SIGTERM, which the parent may have caught.

    PR_SET_PDEATHSIG (prctl(2)) does it on Linux, for grandchildren too: uvloop runs these hooks for p2pd, and the
    kernel keeps the setting over exec. Elsewhere a thread polls the parent's pid.
    """
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != _parent:
            os._exit(1)
    else:
        threading.Thread(target=_exit_after, args=(_parent,), daemon=True).start()


def _exit_after(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_POLL_SECONDS)
    os._exit(1)
