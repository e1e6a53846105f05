"""What a report of a problem holds: hardware, what `doctor` finds, settings, last pauses and events, ends of logs."""

from __future__ import annotations

import contextlib
import getpass
import os
import platform
import socket
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from core.files.folders import Folders
from core.files.logs import worker_log
from core.hardware.device import Device
from core.problem_report.hardware import hardware_lines
from core.problem_report.redaction import Redaction
from core.problem_report.session_events import last_events
from core.records.pauses import PauseLog
from core.records.recent_runs import RecentRuns
from core.records.settings import Settings, load_settings
from core.security.known_organisers import KnownOrganisers
from core.texts.settings.pause_history import lines_of
from core.version import own_version

MAX_LOG_BYTES = 200_000  # of the end of each log
_PAUSE_DAYS, _MAX_PAUSES = 7.0, 50  # of each device
_ENVIRONMENT = ("XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE", "DESKTOP_SESSION", "LANG", "QT_QPA_PLATFORM")


def report_text(folders: Folders, findings: Sequence[str], devices: Sequence[Device]) -> str:
    """The whole report, redacted; ``findings`` are lines of `doctor`, ``devices`` the GPUs and the CPU."""
    settings, _quarantined = load_settings(folders.settings_file)
    redaction = Redaction([*_names_here(settings), *_folders_here(folders), *_names_of_runs(folders)])
    sections = (
        ("Workerbee", _versions()),
        ("Hardware", hardware_lines(devices, folders.data)),
        ("What doctor finds", findings),
        ("Settings", _settings_lines(settings)),
        ("The last pauses", _pauses(folders)),
        ("The last events", last_events(folders.logs) or ("There are none.",)),
        *((path.name, _end_of(path)) for path in _logs(folders)),
    )
    text = "\n\n".join("\n".join((f"== {title} ==", *lines)) for title, lines in sections)
    return redaction.redacted(text) + "\n"


def _versions() -> Iterator[str]:
    yield f"Workerbee {own_version()}, Python {platform.python_version()}, {time.strftime('%Y-%m-%d %H:%M %z')}"
    yield f"{platform.system()} {platform.release()} {platform.machine()}"
    for name, value in (_os_release() | {name: os.environ.get(name, "") for name in _ENVIRONMENT}).items():
        if value:
            yield f"{name}: {value}"


def _os_release() -> dict[str, str]:
    try:
        return {"distribution": platform.freedesktop_os_release().get("PRETTY_NAME", "")}
    except OSError:  # no Linux, or one that does not say
        return {}


def _settings_lines(settings: Settings) -> Iterator[str]:
    """Those that are not the default; a name that others may see, and a country, are said to be there."""
    changed = msgspec.to_builtins(settings)
    if not changed:
        yield "All are the defaults."
    for name, value in changed.items():
        yield f"{name} = {'(set)' if name in ('public_name', 'country') else value}"


def _pauses(folders: Folders) -> list[str]:
    """When each device was free for training and when it was not."""
    intervals = PauseLog(folders.contents.pauses_file).intervals(_PAUSE_DAYS, datetime.now().astimezone())
    return lines_of(intervals, _MAX_PAUSES) or ["Nothing was trained in the last days."]


def _names_here(settings: Settings) -> Iterator[tuple[str, str]]:
    """The words that name this person and this computer."""
    yield "home", str(Path.home())
    if settings.public_name is not None:
        yield "name", settings.public_name
    for name in {socket.gethostname(), socket.gethostname().partition(".")[0], _pretty_host_name()}:
        yield "computer", name
    with contextlib.suppress(KeyError, OSError):  # a user id without a name, in a container
        yield "user", getpass.getuser()
    yield "name", _full_name()


def _full_name() -> str:
    """What the system's list of users calls this person; empty where it has no name."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_gecos.partition(",")[0].strip()
    except (ImportError, KeyError):
        return ""


def _pretty_host_name() -> str:
    """The computer's name as its owner has typed it (machine-info(5)); empty where there is none."""
    try:
        lines = Path("/etc/machine-info").read_text(errors="replace").splitlines()
    except OSError:
        return ""
    prefix = "PRETTY_HOSTNAME="
    return next((line.removeprefix(prefix).strip("\"'") for line in lines if line.startswith(prefix)), "")


def _folders_here(folders: Folders) -> Iterator[tuple[str, str]]:
    """Where Workerbee and its Python lie: what is below is named by these programs, and not by the person."""
    for folder in (folders.settings, folders.data, folders.cache, folders.logs):
        yield "folder", str(folder)
    if not sys.prefix.startswith("/usr"):
        yield "python", sys.prefix


def _names_of_runs(folders: Folders) -> Iterator[tuple[str, str]]:
    """The runs that this person has looked at, joined or published."""
    data = folders.contents
    for run in RecentRuns(data.recent_runs_file).all():
        yield "run", run.run_id
        yield "run", run.name
    for run_id in (*KnownOrganisers(data.known_organisers_file).organisers(), *data.published_runs()):
        yield "run", run_id


def _logs(folders: Folders) -> list[Path]:
    return [path for path in (folders.logs / "client.log", worker_log(folders.logs)) if path.is_file()]


def _end_of(path: Path) -> Iterator[str]:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - MAX_LOG_BYTES))
            yield from file.read(MAX_LOG_BYTES).decode("utf-8", "replace").splitlines()
    except OSError as error:
        yield f"It cannot be read: {error.strerror or error}"
