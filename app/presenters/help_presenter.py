"""The help page, connected to the navigator."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject

from app.controllers.device_poller import DevicePoller
from app.controllers.navigator import Navigator
from app.pages.help.page import HelpPage
from app.pages.help.report_dialog import ReportDialog
from core.errors import ErrorKind
from core.files.documents import ERRORS, INDEX, slug_of
from core.files.folders import Folders


class HelpPresenter(QObject):
    """Shows the shipped documents beside whatever goes on.

    Attributes:
        page: the help page.
        report: the dialog of the report of a problem, once it was opened.
        offers_settings, offers_help: whether the header has a button for them beside this page.
    """

    offers_settings, offers_help = True, False

    def __init__(
        self,
        navigator: Navigator,
        folders: Folders,
        device_poller: DevicePoller,
        sources: Callable[[], Mapping[str, str | None]] = dict,
    ) -> None:
        """``sources`` returns by field of ``Observation`` the program that tells it, ``None`` where nobody does."""
        page = HelpPage()
        super().__init__(page)
        self.page, self._navigator, self._folders = page, navigator, folders
        self._device_poller, self._sources = device_poller, sources
        self.report: ReportDialog | None = None
        page.back_requested.connect(navigator.close_help)
        page.report_requested.connect(self._open_report)

    def open(self, error: ErrorKind | None) -> None:
        """Open the paragraph about an error, or the list of documents; a document that is open already stays."""
        if error is not None:
            self.page.open_first(ERRORS, slug_of(error.title))
        elif self._navigator.page_name != "help":
            self.page.open_first(INDEX)
        self._navigator.open_help()

    def go_back(self) -> bool:
        """Go back to the document that was read before; false where this is the first one."""
        return self.page.go_back()

    def _open_report(self) -> None:
        from core.hardware.discovery import this_cpu
        from core.problem_report.contents import report_text

        seen = self._device_poller.seen
        devices = (*seen.devices, *seen.idle) if seen is not None else (this_cpu(),)
        told = (f"{field}: {_teller(source)}" for field, source in self._sources().items())
        findings = ("Not examined: `workerbee doctor` does that. Who tells the window's rules:", *told)
        self.report = ReportDialog(report_text(self._folders, findings, devices), self.page)
        self.report.open()

    def refresh(self) -> None:
        """Do nothing: a document is the same whatever goes on."""


def _teller(source: str | None) -> str:
    return "nobody tells it" if source is None else f"told by {source}"
