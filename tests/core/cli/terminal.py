"""The command line as the foreground program of a pseudo-terminal."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.support.cli_process import LIMIT_SECONDS, argv, environment


class Terminal:
    """A command with a terminal of its own, as its foreground program."""

    def __init__(self, folder: Path, words: Sequence[str], worker: Sequence[str], kind: str = "xterm") -> None:
        self._master, self._slave = pty.openpty()
        self.before = termios.tcgetattr(self._slave)
        self.shown = ""
        self.process = subprocess.Popen(
            argv(words, worker),
            env={**environment(folder), "TERM": kind},
            cwd=folder,
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            preexec_fn=self._take,
        )

    def wait_for(self, words: str) -> None:
        """Until the terminal shows that."""
        self.wait_until(lambda shown: words in shown)

    def wait_until(self, is_so: Callable[[str], bool]) -> None:
        """Until that is so of all that it has shown."""
        ends = time.monotonic() + LIMIT_SECONDS
        while not is_so(self.shown):
            assert time.monotonic() < ends, self.shown
            self._read(0.5)

    def type(self, keys: str) -> None:
        """As a person would."""
        os.write(self._master, keys.encode())

    def end(self) -> int:
        """The exit code, once everything is read and the process has ended."""
        ends = time.monotonic() + LIMIT_SECONDS
        while self.process.poll() is None:
            assert time.monotonic() < ends, self.shown
            self._read(0.1)
        self._read(0)
        return self.process.returncode

    @property
    def is_as_before(self) -> bool:
        """Whether echo and line editing are what they were, and the cursor can be seen."""
        is_visible = self.shown.rfind("\x1b[?25l") <= self.shown.rfind("\x1b[?25h")
        return termios.tcgetattr(self._slave) == self.before and is_visible

    @property
    def lines(self) -> list[str]:
        """What is left to read, without what was drawn over; of a terminal that is wider than any line."""
        lines, row = [""], 0
        for part in re.split(r"(\x1b\[[0-9;?]*[A-Za-z]|\n|\r)", self.shown):
            if part == "\n":
                row += 1
                lines += [""] * (row == len(lines))
            elif part == "\x1b[1A":
                row -= 1
            elif part == "\x1b[2K":
                lines[row] = ""
            elif not part.startswith(("\x1b", "\r")):
                lines[row] += part
        return lines

    def close(self) -> None:
        """Leave nothing behind."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._master)
        os.close(self._slave)

    def _take(self) -> None:
        """Make the terminal the new process's controlling one, so that Ctrl-C is a signal to it, as a shell does.

        Who runs the tests in the background may ignore that signal, which a process inherits.
        """
        import fcntl

        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.setsid()
        fcntl.ioctl(self._slave, termios.TIOCSCTTY, 0)

    def _read(self, seconds: float) -> None:
        while select.select([self._master], [], [], seconds)[0]:
            self.shown += os.read(self._master, 65536).decode(errors="replace")
            seconds = 0
