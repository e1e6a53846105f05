"""A process that computes on the device for the rows that need torch and no swarm: asked and answered by lines of JSON.

`python -m tests.gpu.device_process DEVICE` is started anew after a row that has failed, so that no row inherits
another's memory or a broken CUDA context.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from core.engine.worker_command import worker_environment
from core.errors import UserError
from core.run.manifest import RunManifest
from tests.bench.setup import NotMeasured, TooLate
from tests.gpu.table import Untried
from tests.support.checkout import ROOT

_END_SECONDS = 10.0


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A function of `tests.gpu.device_work` by its name, and what it is given."""

    what: str
    manifest: RunManifest | None = None
    numbers: dict[str, float] = {}
    folder: str = ""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What the function has returned; or why it could not be tried, or has failed."""

    figures: dict[str, Any] = {}
    untried: str = ""
    failed: str = ""


class DeviceProcess:
    """The process on one device, ``cpu`` or ``cuda:N``, started by the first question; ``log`` is its stderr's file."""

    def __init__(self, device: str, log: Path) -> None:
        self._device, self._log = device, log
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, question: Question) -> dict[str, Any]:
        """The function's figures; raises Untried or NotMeasured. Whatever ends the wait for them ends the process."""
        process = self._process or self._started()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(msgspec.json.encode(question) + b"\n")
            process.stdin.flush()
            answer = msgspec.json.decode(process.stdout.readline(), type=Answer)
        except TooLate:
            self.close()
            raise
        except (OSError, msgspec.MsgspecError) as error:
            self.close()
            raise NotMeasured(f"the process on {self._device} has ended: {self._last_words()}") from error
        if answer.untried:
            raise Untried(answer.untried)
        if answer.failed:
            self.close()
            raise NotMeasured(answer.failed)
        return answer.figures

    def close(self) -> None:
        """End the process, and with it whatever it holds of the device."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait(_END_SECONDS)
            for pipe in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    if pipe is not None:
                        pipe.close()

    def _started(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "tests.gpu.device_process", self._device]
        pipe = subprocess.PIPE
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=log, env=worker_environment(), cwd=ROOT, start_new_session=True
            )
        return self._process

    def _last_words(self) -> str:
        return " ".join(self._log.read_text(errors="replace").split())[-200:] or "without a word"


def main() -> None:
    """Answer until stdin ends. What libraries print goes to the log."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    from core.worker.process import process_tree

    process_tree.setup_fork_handling()  # before hivemind is imported
    from tests.gpu import device_work

    device = device_work.open_device(sys.argv[1])
    for line in sys.stdin.buffer:
        began = time.monotonic()
        answer = _answer(device_work, device, msgspec.json.decode(line, type=Question))
        print(f"{time.monotonic() - began:.1f} s for {line[:60]!r}", file=sys.stderr, flush=True)
        answers.write(msgspec.json.encode(answer) + b"\n")
        answers.flush()


def _answer(work: Any, device: Any, question: Question) -> Answer:
    try:
        return Answer(figures=work.WORK[question.what](device, question))
    except UserError as error:
        return Answer(untried=str(error.detail) or error.problem.value.title)
    except Exception as error:
        import traceback

        traceback.print_exc()
        return Answer(failed=f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0]}"[:300])


if __name__ == "__main__":
    main()
