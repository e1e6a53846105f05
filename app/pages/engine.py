"""The page on which the training engine is installed, before the first run."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.appearance.theme import give_role
from app.widgets.callout import Callout
from app.widgets.key_value_list import KeyValueList
from app.widgets.labels import Hint, Title, Words
from app.widgets.layout.card import Card
from app.widgets.layout.page_column import PageColumn
from core.engine.install.events import InstallEvent, InstallFailed, InstallPaused, InstallProgress
from core.engine.install.offer import EngineOffer
from core.texts import engine as engine_words

_WIDEST = 760
_STEPS = 1000


class EnginePage(QWidget):
    """Offers an engine and shows its installation; nothing is downloaded before its button is pressed.

    Signals:
        make_requested: install the engine, or go on with it.
        pause_requested: pause the installation.
    """

    make_requested = Signal()
    pause_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.card, self.facts, self.callout = Card(), KeyValueList(), Callout()
        self.bar, self.line = QProgressBar(), Hint()
        self.bar.setTextVisible(False)
        self.make, self.pause = QPushButton(self.tr("&Download and set up")), QPushButton(self.tr("&Pause"))
        give_role(self.make, "primary")
        self.make.clicked.connect(self.make_requested)
        self.pause.clicked.connect(self.pause_requested)
        self._lay_out()
        self.show_engine(None, None, is_making=False)

    def show_engine(self, offer: EngineOffer | None, event: InstallEvent | None, *, is_making: bool) -> None:
        """Show what is offered, and the newest event of its installation."""
        facts = engine_words.facts(offer) if offer else []
        self.facts.show_facts(facts)
        self.card.setVisible(bool(facts) or is_making)
        self._show_progress(event if isinstance(event, InstallProgress) else None, is_making)
        self.make.setVisible(not is_making)
        self.make.setEnabled(offer is not None and offer.choice is not None)
        self.make.setText(
            self.tr("&Go on")
            if isinstance(event, InstallPaused)
            else self.tr("&Try again")
            if isinstance(event, InstallFailed)
            else self.tr("&Download and set up")
        )
        self.pause.setVisible(is_making)
        if isinstance(event, InstallFailed):
            self.callout.show_problem(event.problem, event.detail)
        elif offer is not None and offer.problem is not None:
            self.callout.show_problem(offer.problem, offer.detail)
        elif isinstance(event, InstallPaused):
            self.callout.show_message("info", self.tr("Paused. What was downloaded is kept."))
        else:
            self.callout.clear()

    def _show_progress(self, making: InstallProgress | None, is_making: bool) -> None:
        self.bar.setVisible(is_making)
        self.line.set_text(engine_words.progress(making) if making is not None else "")
        is_counted = making is not None and making.phase == "downloading" and making.total_bytes > 0
        self.bar.setRange(0, _STEPS if is_counted else 0)
        if making is not None and is_counted:
            self.bar.setValue(_STEPS * making.done_bytes // making.total_bytes)
        self.bar.setAccessibleName(self.line.text())

    def _lay_out(self) -> None:
        column = PageColumn(_WIDEST)
        column.parts.addWidget(Title(self.tr("One step before the first run")))
        column.parts.addWidget(
            Words(
                self.tr(
                    "Training needs an engine that suits this computer: PyTorch, hivemind and what belongs "
                    "to them. It is downloaded once, into a folder of yours; nothing else is changed."
                )
            )
        )
        for part in (self.facts, self.bar, self.line):
            self.card.parts.addWidget(part)
        column.parts.addWidget(self.card)
        column.parts.addWidget(self.callout)
        buttons = QHBoxLayout()
        for button in (self.make, self.pause):
            buttons.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        buttons.addStretch(1)
        column.parts.addLayout(buttons)
        column.parts.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(column)
