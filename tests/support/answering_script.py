"""A process that is told lines, and answers in lines of JSON: for what must be seen in an environment of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from tests.support.checkout import ROOT


class AnsweringScript:
    """Runs Python code; warnings are errors in it."""

    def __init__(self, code: str, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", code],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )

    def say(self, line: str) -> None:
        """Tell it that line."""
        assert self.process.stdin
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, line: str) -> Any:
        """Tell it that line, and wait for the one that it answers."""
        assert self.process.stdout
        self.say(line)
        return json.loads(self.process.stdout.readline())

    def end(self) -> int:
        """Close its stdin and wait for it; the exit code."""
        with self.process:
            pass
        return self.process.returncode
