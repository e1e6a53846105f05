"""The runs of the catalogues on the join page, connected to what reads and keeps these."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject

from app.controllers.catalogues.catalogue_controller import CatalogueController
from app.controllers.device_poller import DevicePoller
from app.controllers.settings_store import SettingsStore
from app.pages.join.page import JoinPage
from app.pages.join.run_catalogue import ShownCatalogues
from app.widgets.device_selector import device_for
from core.catalogue.refusal import Refusal
from core.catalogue.signed_file import SignedCatalogue
from core.errors import UserError


class CataloguePresenter(QObject):
    """Shows the runs of all catalogues, and has these read again while they are seen, and at no other time."""

    def __init__(
        self,
        page: JoinPage,
        catalogues: CatalogueController,
        settings_store: SettingsStore,
        device_poller: DevicePoller,
    ) -> None:
        super().__init__(page)
        self._page, self._catalogues = page, catalogues
        self._settings_store, self._device_poller = settings_store, device_poller
        catalogues.changed.connect(self.show_catalogues)
        catalogues.offered.connect(self._ask_to_trust)
        catalogues.refused.connect(self._show_refusal)
        catalogues.failed.connect(self._show_error)
        shown = page.catalogue
        shown.refresh_requested.connect(catalogues.refresh)
        shown.trust_requested.connect(catalogues.look_at)
        shown.remove_requested.connect(catalogues.remove)
        shown.adding.look_requested.connect(catalogues.look_at)
        shown.adding.cancel_requested.connect(catalogues.cancel)

    def refresh(self) -> None:
        """Show what is so now; called once a second while the page is seen."""
        self._catalogues.poll()
        self.show_catalogues()

    def show_catalogues(self) -> None:
        """Show the catalogues, and whether their runs fit on the device that the settings name."""
        catalogues, shown = self._catalogues, self._page.catalogue
        now, known = time.time(), catalogues.known
        kept = frozenset(each.source for each in known if each.is_kept(now))
        shown.adding.set_looking(catalogues.is_looking)
        shown.show_catalogues(ShownCatalogues(known, kept, catalogues.read_now))
        if (seen := self._device_poller.seen) is not None:
            shown.show_device(device_for(seen.devices, self._settings_store.settings.device), seen.devices)

    def _ask_to_trust(self, source: str, read: SignedCatalogue) -> None:
        from app.pages.join.trust_catalogue_dialog import TrustCatalogueDialog

        def trust() -> None:
            self._page.catalogue.adding.fold()
            self._catalogues.accept(source, read)

        known = self._catalogues.find(source)
        TrustCatalogueDialog(self._page, source, read, known.publisher if known else "", trust).open()

    def _show_refusal(self, refusal: Refusal) -> None:
        self._page.catalogue.adding.show_refusal(refusal)

    def _show_error(self, error: UserError) -> None:
        self._page.show_problem(error.problem, error.detail)
