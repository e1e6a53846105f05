"""The main function of a module that `core.engine.answering_process` runs: one answer on standard output, or none."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable

LIMIT_SECONDS = 60  # in all, for a server that sends a byte now and then


def answer_once(answer: Callable[..., bytes], *errors: type[Exception]) -> int:
    """Print what ``answer`` returns for the words of this command line, and return 0.

    Where it raises one of those errors, print that to the standard error instead, and return 1. SIGALRM ends the
    process after 60 seconds, where the system has it.
    """
    if hasattr(signal, "alarm"):
        signal.alarm(LIMIT_SECONDS)
    try:
        answered = answer(*sys.argv[1:])
    except errors as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    sys.stdout.buffer.write(answered)
    return 0
