"""The card that compares what a run requires with what this computer has."""

from __future__ import annotations

from app.appearance.line_breaks import breakable, unbroken
from app.pages.review.requirement_row import RequirementRow
from app.widgets.labels import Heading, Hint, Strong, Words
from app.widgets.layout.card import Card
from core.hardware.device import Device
from core.hardware.fit import Fits
from core.placeholders import fill_placeholders
from core.texts.device import name_of


class RequirementsCard(Card):
    """What a run requires, beside what this computer has; without a device it says only that there is none."""

    def __init__(self) -> None:
        super().__init__()
        self._device = Hint()
        self.gpu = RequirementRow(self.tr("GPU memory"))
        self.memory = RequirementRow(self.tr("Memory"))
        self.disk = RequirementRow(self.tr("Disk"))
        self._download, self._traffic, self._measured = Words(), Words(), Strong()
        self.parts.setSpacing(12)
        self.parts.addWidget(Heading(self.tr("What it needs")))
        for part in (self._device, self._measured, self.gpu, self.memory, self.disk, self._download, self._traffic):
            self.parts.addWidget(part)
        self.parts.addStretch(1)
        self._measured.hide()

    @property
    def text(self) -> str:
        """Everything that the card says, one part a line."""
        rows = [row.text for row in (self.gpu, self.memory, self.disk) if not row.isHidden()]
        head, foot = (self._device, self._measured), (self._download, self._traffic)
        return "\n".join([*(part.text() for part in head), *rows, *(part.text() for part in foot)])

    def show_measured(self, words: str) -> None:
        """Show the sentence about the dry run."""
        self._measured.set_text(unbroken(words))

    def show_traffic(self, words: str) -> None:
        """Show what the run sends and receives."""
        self._traffic.set_text(words)

    def show_download(self, words: str) -> None:
        """Show what is downloaded at the start, and how long that takes."""
        self._download.set_text(words)

    def show_fits(self, device: Device | None, fits: Fits | None) -> None:
        """Show how the run fits on that device."""
        if device is None or fits is None:
            self._device.set_text(self.tr("The device that you chose is not there now."))
            for row in (self.gpu, self.memory, self.disk):
                row.show_fit(None)
            return
        self._device.set_text(breakable(fill_placeholders(self.tr("On %1"), name_of(device))))
        self.gpu.show_fit(fits.gpu)
        self.memory.show_fit(fits.memory)
        self.disk.show_fit(fits.disk)
