"""Who trains waits for a disk that has no room for the folders; a request to stop is obeyed meanwhile."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from core.cli import folder_preparation
from core.cli.folder_preparation import wait_for_folders
from core.cli.runner.cancellation import Stop, Stopped
from core.cli.runner.context import CommandContext, EventLoop
from core.client.restart_policy import RestartPolicy
from core.errors import ErrorKind, UserError
from core.files.folders import Folders


def context_on(disk: Path) -> CommandContext:
    """A command whose folders lie on that disk."""
    loop = EventLoop()
    return CommandContext(Folders.below(disk / "home"), loop, Stop(wake=lambda: loop.post(lambda: None)))


def let_it_hold(disk: Path, files: int) -> None:
    """From now on the disk has room for so many files and folders, its own among them."""
    subprocess.run(["mount", "-o", f"remount,nr_inodes={files}", str(disk)], check=True)


def test_the_folders_are_made_once_the_disk_has_room(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(folder_preparation, "PATIENCE", RestartPolicy(delays_seconds=(0.1,), room_seconds=0.1))
    begun = list[Path]()
    monkeypatch.setattr(folder_preparation, "set_up_logging", begun.append)
    let_it_hold(small_disk, 3)
    context = context_on(small_disk)
    context.loop.post(lambda: let_it_hold(small_disk, 100))
    wait_for_folders(context, wants_json=False)
    assert begun == [context.folders.logs] and context.folders.logs.is_dir()
    shown = capsys.readouterr().out
    assert f"The disk is full ({context.folders.settings}: No space left on device); attempt 1 starts in" in shown


def test_a_request_to_stop_is_obeyed_meanwhile(small_disk: Path) -> None:
    let_it_hold(small_disk, 1)
    context = context_on(small_disk)
    context.loop.post(lambda: context.stop.request(130))
    with pytest.raises(Stopped) as stopped:
        wait_for_folders(context, wants_json=True)
    assert stopped.value.exit_code == 130


def test_a_folder_that_refuses_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "home").touch()
    with pytest.raises(UserError) as refused:
        wait_for_folders(context_on(tmp_path), wants_json=False)
    assert refused.value.problem is ErrorKind.FOLDER_NOT_WRITABLE
