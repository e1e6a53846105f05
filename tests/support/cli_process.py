"""The command line as a real process, with a worker of the test's own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from core.protocol.codec import decode_event
from core.protocol.events import AnyEvent
from core.run.manifest import RunManifest
from tests.support.checkout import ROOT
from tests.support.peers import fake_worker
from tests.support.peers import scripted_worker as reciting_worker

ADDRESS = "/ip4/127.0.0.1/tcp/4001/p2p/12D3KooWDpJ7As7BWAwRMfu1VU2WCqNjvq387JEYKDBj4kx6nXTN"
LINK = f"workerbee://join?peer={ADDRESS.replace('/', '%2F')}&run=sums"
LIMIT_SECONDS = 60
_SCRIPT = """
import json, sys
from core.cli.main import run_command
sys.exit(run_command(json.loads(sys.argv[1]), worker_command=json.loads(sys.argv[2])))
"""

_WITH_MEMORY = """
import json, sys
from core.cli.main import run_command
code = run_command(json.loads(sys.argv[1]), worker_command=json.loads(sys.argv[2]))
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(peak.split()[1], file=sys.stderr)
sys.exit(code)
"""

Play = dict[str, Any]


@dataclass(frozen=True)
class Result:
    """What came of a command."""

    code: int
    out: str
    err: str

    @property
    def events(self) -> list[AnyEvent]:
        """What --json printed; every line must be an event."""
        return [decode_event(line.encode()) for line in self.out.splitlines()]


def fake(folder: Path, *parts: str) -> list[str]:
    """What starts a worker that plays those parts, one a life."""
    return [sys.executable, fake_worker.__file__, str(folder / "journal"), *parts]


def reciting(folder: Path, play: Play) -> list[str]:
    """What starts a worker that recites."""
    script = folder / "play.json"
    script.write_text(json.dumps(play))
    return [sys.executable, reciting_worker.__file__, str(script)]


def argv(words: Sequence[str], worker: Sequence[str], script: str = _SCRIPT) -> list[str]:
    """What starts the command as a process."""
    return [sys.executable, "-c", script, json.dumps(list(words)), json.dumps(list(worker))]


def environment(folder: Path) -> dict[str, str]:
    """With all of Workerbee's folders in that one."""
    return {**os.environ, "WORKERBEE_HOME": str(folder / "home"), "PYTHONPATH": str(ROOT), "TERM": "xterm"}


def workerbee(
    folder: Path,
    *words: str,
    worker: Sequence[str] = (),
    stdin: str | None = None,
    limit_seconds: Any = LIMIT_SECONDS,
    **variables: str,
) -> Result:
    """Run it to its end, in that folder and without a terminal."""
    done = subprocess.run(
        argv(words, worker or fake(folder, "good")),
        env=environment(folder) | variables,
        cwd=folder,
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        encoding="utf-8",
        timeout=limit_seconds,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def peak_memory_bytes(folder: Path, *words: str) -> int:
    """What the command's own process has needed at most; it must end well."""
    command = argv(words, fake(folder, "good"), _WITH_MEMORY)
    done = subprocess.run(command, env=environment(folder), capture_output=True, check=True, timeout=LIMIT_SECONDS)
    return int(done.stderr.split()[-1]) * 1024


def run_found(manifest: RunManifest | None = None, **changes: Any) -> dict[str, Any]:
    """The event that tells of a run; ``changes`` are fields of its ``[run]``."""
    plain = msgspec.to_builtins(manifest or fake_worker.manifest())
    plain["run"].update(changes)
    return {"event": "run_found", "manifest": plain, "organiser": fake_worker.ORGANISER, "vouched": True}


def found(*runs: dict[str, Any]) -> Play:
    """A swarm that publishes those runs."""
    return {"join": [[*runs, {"event": "search_finished", "found": len(runs)}]]}


def failing(problem: str, detail: str = "") -> Play:
    """A worker that gives up whatever it is asked."""
    act: list[dict[str, Any]] = [{"event": "failed", "problem": problem, "detail": detail}, {"exit": 1}]
    return {command: [act] for command in ("join", "publish", "check")}
