"""A pytest plugin for several test processes at once (pytest-xdist): what runs first, and what runs alone.

A file is the unit: `--dist loadfile` hands a process one file after the other, in the order made here, so that
what a file's tests share (a swarm, a display, a port) is never shared between processes. Files whose tests start
peers come first, those that may take longest before all others, or else one of them would be the last to run, alone
on two cores. A test marked `quiet`
measures time that other tests would falsify: it waits until no other test runs, and keeps others from beginning.
"""

from __future__ import annotations

import contextlib
import fcntl
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

HEAVY = ("real", "networks")  # markers
_FOLDER = "quiet_folder"


def pytest_configure(config: pytest.Config) -> None:
    """Hand out whole files, in the order that is made here, unless somebody asks for another way."""
    if config.getoption("dist", "no") == "load":
        config.option.dist, config.option.loadscopereorder = "loadfile", False


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Name the folder of the locks to a process that is about to be started."""
    stash, key = node.config.stash, _folder_key
    if key not in stash:
        stash[key] = folder = tempfile.TemporaryDirectory(prefix="workerbee-tests-")
        node.config.add_cleanup(folder.cleanup)
    node.workerinput[_FOLDER] = stash[key].name


_folder_key = pytest.StashKey[tempfile.TemporaryDirectory[str]]()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with peers first, and of these the longest, those with quiet tests last; each file in one piece."""
    heavy = {item.path for item in items if any(item.get_closest_marker(name) for name in HEAVY)}
    quiet = {item.path for item in items if item.get_closest_marker("quiet")}
    limits = dict[Path, float]()
    for item in items:
        limits[item.path] = max(limits.get(item.path, 0.0), _time_limit(item))
    items.sort(key=lambda item: (item.path in quiet, item.path not in heavy, -limits[item.path]))


def _time_limit(item: pytest.Item) -> float:
    """In seconds, as its mark `timeout` says; zero where it has the usual one."""
    marker = item.get_closest_marker("timeout")
    return float(marker.args[0]) if marker is not None else 0.0


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """A quiet test has the machine for itself, as far as the other tests of this run are concerned."""
    workerinput = getattr(item.config, "workerinput", None)
    with contextlib.ExitStack() as held:
        if workerinput is not None:
            held.enter_context(_room(Path(workerinput[_FOLDER]), item.get_closest_marker("quiet") is not None))
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, Any, Any]:
    """Half a character, of which tests of hostile text have many, cannot be sent from one process to another."""
    return _sendable((yield))


def _sendable(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode()
        case dict():
            return {_sendable(key): _sendable(each) for key, each in value.items()}
        case list() | tuple():
            return type(value)(map(_sendable, value))
    return value


@contextlib.contextmanager
def _room(folder: Path, alone: bool) -> Iterator[None]:
    """In company of other tests, or alone; whoever waits to be alone lets nobody in any more."""
    with (folder / "room").open("w") as room:
        with (folder / "door").open("w") as door:
            fcntl.flock(door, fcntl.LOCK_EX)
            fcntl.flock(room, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield
