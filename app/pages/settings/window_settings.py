"""The settings of the window: start, closing, notifications, theme and language."""

from __future__ import annotations

from PySide6.QtCore import Signal

from app.appearance.language import SYSTEM, languages
from app.widgets.inline_inputs import Choice
from app.widgets.labels import Heading
from app.widgets.layout.card import Card
from app.widgets.layout.inline_form import InlineForm
from core.records.settings import Settings


class WindowSettings(Card):
    """The settings of the window.

    Signals:
        change_requested: the fields that a person has changed, with their new values (a dict).
    """

    change_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.login = Choice(self.tr("When I log in"))
        self.opening = Choice(self.tr("How Workerbee opens"))
        self.closing = Choice(self.tr("When I close the window"))
        self.notifications = Choice(self.tr("When a run ends or needs me"))
        self.theme = Choice(self.tr("Theme"))
        self.language = Choice(self.tr("Language"))
        self._offer_behaviour()
        self._offer_looks()
        self._connect()
        self._lay_out()
        self.show_settings(Settings())

    def show_settings(self, settings: Settings) -> None:
        """Show the settings in their inputs, without emitting anything."""
        self.login.show_chosen(settings.start_at_login)
        self.opening.show_chosen(settings.start_minimised)
        self.closing.show_chosen(settings.close_to_tray)
        self.notifications.show_chosen(settings.notifications)
        self.theme.show_chosen(settings.theme)
        self.language.show_chosen(settings.language)

    def _offer_behaviour(self) -> None:
        self.login.show_choices([(self.tr("do nothing"), False), (self.tr("start Workerbee in the tray"), True)])
        self.opening.show_choices([(self.tr("with its window"), False), (self.tr("hidden in the tray"), True)])
        self.closing.show_choices([(self.tr("go on in the tray"), True), (self.tr("leave the run and quit"), False)])
        self.notifications.show_choices([(self.tr("show a notification"), True), (self.tr("show nothing"), False)])

    def _offer_looks(self) -> None:
        self.theme.show_choices(
            [
                (self.tr("like the system"), "system"),
                (self.tr("light"), "light"),
                (self.tr("dark"), "dark"),
            ]
        )
        names = [(name, code) for code, name in languages().items()]
        self.language.show_choices([(self.tr("the system's language"), SYSTEM), *sorted(names)])

    def _connect(self) -> None:
        self.login.chosen.connect(lambda value: self._change(start_at_login=value))
        self.opening.chosen.connect(lambda value: self._change(start_minimised=value))
        self.closing.chosen.connect(lambda value: self._change(close_to_tray=value))
        self.notifications.chosen.connect(lambda value: self._change(notifications=value))
        self.theme.chosen.connect(lambda value: self._change(theme=value))
        self.language.chosen.connect(lambda value: self._change(language=value))

    def _change(self, **fields: object) -> None:
        self.change_requested.emit(fields)

    def _lay_out(self) -> None:
        self.parts.setSpacing(14)
        self.parts.addWidget(Heading(self.tr("This window")))
        for sentence in (
            InlineForm(self.tr("When I log in, %1"), self.login),
            InlineForm(self.tr("Open Workerbee %1"), self.opening),
            InlineForm(self.tr("When I close the window, %1"), self.closing),
            InlineForm(self.tr("When a run ends or needs me, %1"), self.notifications),
            InlineForm(self.tr("Look %1 and speak %2"), self.theme, self.language),
        ):
            self.parts.addWidget(sentence)
