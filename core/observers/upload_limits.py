"""Whether uploads can be limited on this computer: whether a program may take the sockets of what it has started."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache

from core.security.confinement.kernel import system_call
from core.security.confinement.system_calls import PIDFD_GETFD


@cache
def can_limit_uploads() -> bool:
    """Try it once, with a shell that ends at once. Never raises.

    Linux allows it since 5.6, unless Yama's ``ptrace_scope`` is 2 or more, or a container's seccomp filter forbids it.
    """
    if sys.platform != "linux":
        return False
    try:
        with subprocess.Popen(["/bin/sh", "-c", "read nothing"], stdin=subprocess.PIPE) as child:
            process = os.pidfd_open(child.pid)
            try:
                os.close(system_call(PIDFD_GETFD, process, 0, 0))
            finally:
                os.close(process)
                child.communicate()
    except OSError:
        return False
    return True
