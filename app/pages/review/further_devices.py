"""The choice of further GPUs: with several in the computer, each that is ticked trains with a process of its own."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox

from app.widgets.labels import Heading, Hint
from app.widgets.layout.card import Card
from app.widgets.layout.tab_order import put_in_tab_order
from core.files.disk_space import DiskSpace
from core.hardware.device import Device
from core.hardware.fit import fits
from core.run.manifest import RunManifest
from core.texts.device import label_of
from core.texts.fit import verdict_on


class FurtherDevices(Card):
    """A box to tick for each GPU beside the one that is chosen; hidden where there is none.

    Signals:
        devices_chosen: train on these, too (their labels).
    """

    devices_chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._words = Hint(
            self.tr(
                "Each trains beside the first, as another peer of the run, and pauses by itself while others need it. "
                "All take memory, disk and traffic of their own."
            )
        )
        self.boxes: dict[str, QCheckBox] = {}
        self.parts.addWidget(Heading(self.tr("Train on more GPUs")))
        self.parts.addWidget(self._words)
        self.hide()

    def show_devices(
        self, first: Device | None, devices: Sequence[Device], chosen: Collection[str], run: RunManifest
    ) -> None:
        """Offer the GPUs beside the ``first``, which is chosen already; those of the labels ``chosen`` are ticked."""
        is_gpu = first is not None and first.is_gpu
        offered = [each for each in devices if each.is_gpu and each != first] if is_gpu else []
        for label in self.boxes.keys() - {each.label for each in offered}:
            box = self.boxes.pop(label)
            self.parts.removeWidget(box)
            box.deleteLater()
        is_new = any(each.label not in self.boxes for each in offered)
        for each in offered:
            box = self.boxes.get(each.label) or self._added(each.label)
            fit = fits(run, each, devices, DiskSpace()).gpu
            name = label_of(each)
            box.setText(f"{name} ({verdict_on(fit)})" if fit is not None else name)
            box.setToolTip(box.text())
            box.blockSignals(True)
            box.setChecked(each.label in chosen)
            box.blockSignals(False)
        if is_new:
            put_in_tab_order(self._words, *(self.boxes[each.label] for each in offered))
        self.setVisible(bool(offered))

    def _added(self, label: str) -> QCheckBox:
        box = self.boxes[label] = QCheckBox()
        box.setMinimumWidth(1)  # a long name is cut, and told whole by the tooltip
        self.parts.addWidget(box)
        box.toggled.connect(self._tell)
        return box

    def _tell(self) -> None:
        self.devices_chosen.emit(tuple(label for label, box in sorted(self.boxes.items()) if box.isChecked()))
