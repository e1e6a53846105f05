"""The questions of the first day: three sentences with blanks, filled in as most owners want them."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtCore import Signal

from app.presentation.presets import preset_choices
from app.widgets.inline_inputs import Choice, Gigabytes
from app.widgets.labels import Heading, Hint
from app.widgets.layout.card import Card
from app.widgets.layout.inline_form import InlineForm
from core.availability.presets import preset_of, with_preset
from core.availability.rules import AvailabilityRules
from core.records.settings import Settings


class FirstQuestions(Card):
    """Asks when this computer helps, whether it begins at log-in, and how much it sends a day.

    Nobody need answer: what stands in the blanks is what is set already.

    Signals:
        change_requested: the fields of the settings that a person has changed, with their new values (a dict).
    """

    change_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._rules = AvailabilityRules()
        self.preset = Choice(self.tr("When to help"))
        self.login = Choice(self.tr("When I log in"))
        self.login.show_choices([(self.tr("waits for me"), False), (self.tr("starts in the tray"), True)])
        self.sent = Gigabytes(self.tr("Sent a day"), self.tr("any amount"))
        self.preset.chosen.connect(
            lambda preset: self._change(with_preset(self._rules, preset) if preset else self._rules)
        )
        self.login.chosen.connect(lambda value: self.change_requested.emit({"start_at_login": value}))
        self.sent.limit_chosen.connect(lambda limit: self._change(replace(self._rules, sent_bytes_a_day=limit)))
        self._lay_out()

    def show_settings(self, settings: Settings) -> None:
        """Show the settings in the blanks, without emitting anything."""
        self._rules = settings.availability
        preset = preset_of(self._rules)
        self.preset.show_choices(preset_choices(preset, self.tr("by my own rules")))
        self.preset.show_chosen(preset)
        self.login.show_chosen(settings.start_at_login)
        self.sent.show_limit(self._rules.sent_bytes_a_day)

    def _change(self, rules: AvailabilityRules) -> None:
        if rules != self._rules:
            self.change_requested.emit({"availability": rules})

    def _lay_out(self) -> None:
        self.parts.addWidget(Heading(self.tr("When to help")))
        for sentence in (
            InlineForm(self.tr("This computer helps %1"), self.preset),
            InlineForm(self.tr("When I log in, Workerbee %1"), self.login),
            InlineForm(self.tr("It sends %1 a day"), self.sent),
        ):
            self.parts.addWidget(sentence)
        self.parts.addWidget(Hint(self.tr("All this can be changed at any time in the settings.")))
