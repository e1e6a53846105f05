"""The model of a published run is exported from the window by a worker, which plays a part here."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.controllers.organiser.exporter import ModelExporter
from core.errors import UserError
from core.files.folders import Folders
from core.files.locks import PeerFiles
from core.records.published.runs import PublishedRun
from tests.core.fleet.made_up_fleets import run_found
from tests.support.cli_process import reciting
from tests.support.peers import fake_worker

LIMIT_MILLISECONDS = 30_000
Make = Callable[[list[str]], ModelExporter]


@pytest.fixture
def exporter(qapp: QApplication) -> Iterator[Make]:
    made: list[ModelExporter] = []

    def make(worker: list[str]) -> ModelExporter:
        made.append(ModelExporter(Folders.default(), worker_command=worker))
        return made[-1]

    yield make
    for each in made:
        each.close()


def published(folder: Path) -> PublishedRun:
    """A run without anything in its folder; the part that is played reads none of it."""
    return PublishedRun(PeerFiles(folder), run_found().manifest)


def test_a_folder_is_made_once_the_worker_has_written_the_model(exporter: Make, tmp_path: Path, qtbot: QtBot) -> None:
    making = exporter([sys.executable, fake_worker.__file__, str(tmp_path / "journal"), "good"])
    with qtbot.waitSignal(making.finished, timeout=LIMIT_MILLISECONDS) as told:
        making.export(published(tmp_path), tmp_path / "model")
        assert making.is_exporting and not (tmp_path / "model").exists()
    assert told.args == [tmp_path / "model", 7]
    assert (tmp_path / "model").is_dir() and not making.is_exporting


def test_nothing_is_left_where_it_fails_and_what_is_there_is_left_alone(
    exporter: Make, tmp_path: Path, qtbot: QtBot
) -> None:
    failed = {"event": "failed", "problem": "checkpoint_damaged", "detail": "It is cut off."}
    making = exporter(reciting(tmp_path, {"export": [[failed, {"exit": 1}]]}))
    with qtbot.waitSignal(making.failed, timeout=LIMIT_MILLISECONDS) as told:
        making.export(published(tmp_path), tmp_path / "model")
    assert told.args is not None and isinstance(told.args[0], UserError) and told.args[0].detail == "It is cut off."
    assert not list(tmp_path.glob("*model*")) and not making.is_exporting
    (tmp_path / "model").mkdir()
    with qtbot.waitSignal(making.failed, timeout=LIMIT_MILLISECONDS) as told:
        making.export(published(tmp_path), tmp_path / "model")
    assert told.args is not None and "exists already" in str(told.args[0].detail)
