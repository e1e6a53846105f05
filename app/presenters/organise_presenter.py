"""The page of an organiser, connected to what is watched and to the runs that were published from here."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from app.controllers.navigator import Navigator
from app.controllers.organiser.exporter import ModelExporter
from app.controllers.organiser.fleet_watcher import FleetWatcher
from app.pages.organise.page import OrganisePage
from app.pages.organise.published_card import PublishedLine
from app.pages.save_dialog import open_save_dialog
from app.presentation.address import what_is_wrong
from core.errors import UserError
from core.files.folders import Folders
from core.placeholders import fill_placeholders
from core.records.published.runs import PublishedRun, find_published_run, published_runs
from core.run.address import JoinAddress, UnreadableAddress
from core.texts import figures
from core.texts.errors import title_of
from core.texts.worker_messages import translate_message

_REFRESH_SECONDS = 10.0  # from one look at the folders of published runs to the next


class OrganisePresenter(QObject):
    """Shows the fleet that is watched, and what was published from this computer.

    Attributes:
        page: the page of an organiser.
        offers_settings, offers_help: whether the header has a button for them beside this page.
    """

    offers_settings, offers_help = True, True

    def __init__(self, watcher: FleetWatcher, exporter: ModelExporter, navigator: Navigator, folders: Folders) -> None:
        page = OrganisePage()
        super().__init__(page)
        self.page = page
        self.files: QFileDialog | None = None
        self._watcher, self._exporter, self._folders = watcher, exporter, folders
        self._looked_at = -_REFRESH_SECONDS
        page.back_requested.connect(navigator.go_back)
        page.stop_requested.connect(watcher.stop)
        page.watch_again_requested.connect(self._watch_again)
        page.published.watch_requested.connect(self._watch)
        page.published.copy_requested.connect(self._copy)
        page.published.export_requested.connect(self._choose_folder)
        exporter.finished.connect(self._tell_export)
        exporter.failed.connect(self._tell_export)
        self._tell_export()  # of a page that was made anew, in another language

    def refresh(self) -> None:
        """Show what is so now."""
        watcher, page = self._watcher, self.page
        page.show_fleet(watcher.snapshot, watcher.history)
        page.show_watching(watcher.session, is_watching=watcher.is_watching)
        if time.monotonic() - self._looked_at >= _REFRESH_SECONDS:
            self._looked_at = time.monotonic()
            page.show_published(self._published())

    def _published(self) -> list[PublishedLine]:
        try:
            return [_line(run) for run in published_runs(self._folders.contents)]
        except UserError as error:
            self._tell_failed(error)
            return []

    def _watch(self, link: str) -> None:
        try:
            self._watcher.watch(JoinAddress.parse(link))
        except UnreadableAddress as error:
            self.page.show_outcome(what_is_wrong(error))

    def _watch_again(self) -> None:
        if self._watcher.address is not None:
            self._watcher.watch(self._watcher.address)

    def _copy(self, link: str) -> None:
        QGuiApplication.clipboard().setText(link)
        self.page.show_outcome(self.tr("The address is on the clipboard."))

    def _choose_folder(self, run_id: str) -> None:
        export = partial(self._export, run_id)
        self.files = open_save_dialog(self.page, self.tr("The folder to make"), f"{run_id}-model", export)

    def _export(self, run_id: str, target: Path) -> None:
        try:
            run = find_published_run(run_id, self._folders.contents)
        except UserError as error:
            self._tell_failed(error)
            return
        self._exporter.export(run, target)
        self._tell_export()

    def _tell_export(self) -> None:
        """Say what has become of the model that was asked for last, if one was."""
        outcome = self._exporter.outcome
        if self._exporter.is_exporting:
            self.page.show_outcome(self.tr("The model is being written…"))
        elif isinstance(outcome, UserError):
            self._tell_failed(outcome)
        elif outcome is not None:
            done = self.tr("The model of epoch %1 is in %2; README.md there says how to load it.")
            self.page.show_outcome(fill_placeholders(done, figures.count(outcome.epoch), str(outcome.folder)))

    def _tell_failed(self, error: UserError) -> None:
        self.page.show_outcome(f"{title_of(error.problem)} {translate_message(error.detail)}".strip())


def _line(run: PublishedRun) -> PublishedLine:
    scores, info = run.scores, run.manifest.run
    loss = scores[-1].loss if scores else None
    return PublishedLine(info.id, info.name, run.link, run.is_published_now, run.epoch, loss, len(run.checkpoints))
