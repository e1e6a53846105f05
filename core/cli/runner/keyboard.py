"""Single keys from the terminal while training: `q` leaves. The terminal's settings are always restored."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

try:
    import select
    import termios
    import tty
except ImportError:  # Windows: Ctrl-C only
    _has_terminals = False
else:
    _has_terminals = True


@contextmanager
def listen_for_keys(on_key: Callable[[str], None]) -> Iterator[None]:
    """While this lasts, call ``on_key`` from another thread for every key typed at a terminal in the foreground."""
    if not (_has_terminals and _is_in_foreground()):
        yield
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    wake_reading, wake_writing = os.pipe()
    reader = threading.Thread(target=_read, args=(terminal, wake_reading, on_key), name="keys", daemon=True)
    try:
        tty.setcbreak(terminal)
        reader.start()
        yield
    finally:
        os.close(wake_writing)
        reader.join(1)
        os.close(wake_reading)
        with suppress(termios.error):
            termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _is_in_foreground() -> bool:
    """Whether we may change the terminal: a process in the background would be stopped for it."""
    try:
        terminal = sys.stdin.fileno()
        return os.isatty(terminal) and os.tcgetpgrp(terminal) == os.getpgrp()
    except (OSError, ValueError, AttributeError):
        return False


def _read(terminal: int, wake: int, on_key: Callable[[str], None]) -> None:
    with suppress(OSError):
        while True:
            ready, _, _ = select.select([terminal, wake], [], [])
            if wake in ready:
                return
            key = os.read(terminal, 1)
            if not key:
                return
            on_key(key.decode("latin-1"))
