"""The devices that train in the run, side by side: what each does, and which of them the page shows."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QRadioButton, QStyle, QStyleOptionButton, QWidget

from app.widgets.labels import Heading, Hint
from app.widgets.layout.card import Card
from app.widgets.layout.tab_order import put_in_tab_order
from core.texts.device import short_label_of


class DeviceLine(QRadioButton):
    """A sentence that ends in an ellipsis where it has too little room; the tooltip tells it whole."""

    def initStyleOption(self, option: QStyleOptionButton) -> None:  # noqa: N802
        """Fill in what is drawn: the sentence as far as there is room for it."""
        super().initStyleOption(option)
        room = self.style().subElementRect(QStyle.SubElement.SE_RadioButtonContents, option, self).width()
        ampersands = Qt.TextFlag.TextShowMnemonic.value
        option.text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room, ampersands)


class DeviceList(Card):
    """A line for each device, of which one is shown; hidden where there is only one.

    Signals:
        device_chosen: show that device on the page (its label).
    """

    device_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._heading, self._words = Heading(), Hint()
        self.lines: dict[str, DeviceLine] = {}
        self.parts.addWidget(self._heading)
        self.parts.addWidget(self._words)
        self._retranslate()
        self.hide()

    def show_devices(self, sentences: Sequence[tuple[str, str]], shown: str) -> None:
        """Show the label of each device and its status sentence; ``shown`` is the label of that on the page."""
        if [label for label, _ in sentences] != list(self.lines):
            self._make([label for label, _ in sentences])
        for label, sentence in sentences:
            line = self.lines[label]
            words = f"{short_label_of(label)}: {sentence}"
            if line.toolTip() != words:
                line.setText(words.replace("&", "&&"))
                line.setToolTip(words)
            line.setChecked(label == shown)
            # Tab leads to the chosen one, and the arrow keys from there to the others
            line.setFocusPolicy(Qt.FocusPolicy.StrongFocus if label == shown else Qt.FocusPolicy.ClickFocus)
        self.setVisible(len(sentences) > 1)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Retranslate the texts when the language changes."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _make(self, labels: Sequence[str]) -> None:
        for line in self.lines.values():
            self.parts.removeWidget(line)
            line.deleteLater()
        self.lines = {label: DeviceLine(self) for label in labels}
        for label, line in self.lines.items():
            line.setMinimumWidth(1)  # a long sentence is cut
            line.clicked.connect(lambda _is_checked, label=label: self.device_chosen.emit(label))
            self.parts.addWidget(line)
        put_in_tab_order(self._words, *self.lines.values())

    def _retranslate(self) -> None:
        self._heading.setText(self.tr("GPUs in this run"))
        self._words.setText(
            self.tr("The page shows the one that is chosen, and its buttons are for that; the tray pauses all.")
        )
