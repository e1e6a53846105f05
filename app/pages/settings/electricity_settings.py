"""The settings of what electricity costs, from which the page of contributions reckons."""

from __future__ import annotations

from math import isfinite

from PySide6.QtCore import QLocale, Signal
from PySide6.QtWidgets import QLineEdit

from app.widgets.inline_inputs import Number
from app.widgets.labels import Heading, Hint
from app.widgets.layout.card import Card
from app.widgets.layout.inline_form import InlineForm
from core.placeholders import fill_placeholders
from core.records.contribution_report import ASSUMED_WATTS
from core.records.settings import Settings
from core.texts import figures

_PRICE_WIDTH, _CURRENCY_WIDTH = 96, 72
_HIGHEST_PRICE = 1_000_000.0
_MOST_CHARACTERS = 8
_MOST_WATTS = 10_000


class ElectricitySettings(Card):
    """The price of a kWh, and the power of a device that does not tell its own.

    Signals:
        change_requested: the fields that a person has changed, with their new values (a dict).
    """

    change_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._settings = Settings()
        self.price, self.currency = QLineEdit(), QLineEdit()
        self.price.setFixedWidth(_PRICE_WIDTH)
        self.price.setAccessibleName(self.tr("Price of a kilowatt-hour"))
        self.price.setPlaceholderText(self.tr("unknown"))
        self.price.editingFinished.connect(self._change_price)
        self.currency.setFixedWidth(_CURRENCY_WIDTH)
        self.currency.setAccessibleName(self.tr("Currency"))
        self.currency.setMaxLength(_MOST_CHARACTERS)
        self.currency.editingFinished.connect(self._change_currency)
        usual = fill_placeholders(self.tr("%1 W, as a processor"), figures.number(ASSUMED_WATTS))
        self.watts = Number(self.tr("Power of a device that does not tell its own"), 0, _MOST_WATTS, usual)
        self.watts.setSuffix(" W")
        self.watts.chosen.connect(lambda watts: self._change(assumed_watts=float(watts) or None))
        self.parts.setSpacing(14)
        self.parts.addWidget(Heading(self.tr("Electricity")))
        self.parts.addWidget(InlineForm(self.tr("A kilowatt-hour costs %1 %2"), self.price, self.currency))
        self.parts.addWidget(InlineForm(self.tr("A device that does not tell its power draws %1"), self.watts))
        self.parts.addWidget(Hint(self.tr("From these the page of contributions reckons what training has cost.")))
        self.show_settings(self._settings)

    def show_settings(self, settings: Settings) -> None:
        """Show the settings in their inputs, without emitting anything; what is being typed stays."""
        self._settings = settings
        if not (self.price.hasFocus() and self.price.isModified()):
            self._show_price()
        if not self.currency.hasFocus():
            self.currency.setText(settings.currency)
        self.watts.show_number(round(settings.assumed_watts or 0))

    def _show_price(self) -> None:
        price = self._settings.price_per_kwh
        self.price.setText("" if price is None else QLocale().toString(price, "g", 6))

    def _change_price(self) -> None:
        """What is no price changes nothing."""
        typed = self.price.text().strip()
        number, is_number = QLocale().toDouble(typed)
        if typed and not (is_number and isfinite(number) and 0 <= number <= _HIGHEST_PRICE):
            self._show_price()
            return
        price = number if typed else None
        if price != self._settings.price_per_kwh:
            self._change(price_per_kwh=price)

    def _change_currency(self) -> None:
        """A word without spaces; none brings the last one back."""
        currency = "".join(letter for letter in self.currency.text() if letter.isprintable() and not letter.isspace())
        if currency and currency != self._settings.currency:
            self._change(currency=currency)
        self.currency.setText(currency or self._settings.currency)

    def _change(self, **fields: object) -> None:
        self.change_requested.emit(fields)
