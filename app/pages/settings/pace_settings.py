"""The owner's limits of pace: of the GPU's heat, power and noise, of what disturbs a person, and of the line."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtCore import Signal

from app.appearance.line_breaks import breakable
from app.pages.settings.rule_row import RuleRow
from app.widgets.inline_inputs import Number
from app.widgets.labels import Heading, Hint, Strong
from app.widgets.layout.card import Card
from app.widgets.layout.inline_form import InlineForm
from core.availability.observation import Observation
from core.availability.pacing import GpuCause, Pace
from core.availability.rules import AvailabilityRules
from core.records.settings import Settings
from core.texts import availability
from core.texts.settings import pace_views

_FIELDS: dict[GpuCause, str] = {"heat": "gpu_celsius", "power": "gpu_watts", "noise": "fan_percent"}
_KILOBYTE, _LEAST_KILOBYTES, _MOST_KILOBYTES = 1000, 10, 10_000_000


class PaceSettings(Card):
    """The settings of how fast to help: what slows training down, and does not pause it.

    Signals:
        change_requested: the field of the settings that a person has changed, with its new value (a dict).
    """

    change_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._rules = AvailabilityRules()
        self.now, self.upload, self.download = Strong(), Hint(), Hint()
        self.rows = self._rows()
        share = self._number(self.tr("Share of the time"), 5, 95, 50, " %")
        words, sentence = self.tr("While somebody uses this computer compute in"), self.tr("%1 %2 of the time", "share")
        self.attended = RuleRow(words, sentence, share)
        self.rates = {
            "attended_upload_rate": self._rate(self.tr("Upload while somebody uses this computer")),
            "upload_rate": self._rate(self.tr("Upload at other times")),
            "attended_download_rate": self._rate(self.tr("Download while somebody uses this computer")),
            "download_rate": self._rate(self.tr("Download at other times")),
        }
        self._connect()
        self._lay_out()
        self.show_settings(Settings())

    def show_settings(self, settings: Settings) -> None:
        """Show the limits in their inputs, without emitting anything."""
        self._rules = rules = settings.availability
        for cause, field in _FIELDS.items():
            limit: int | None = getattr(rules, field)
            self.rows[cause].show_rule(limit is not None, limit)
        share = rules.attended_compute_share
        self.attended.show_rule(share is not None, None if share is None else round(share * 100))
        for field, rate in self.rates.items():
            rate.show_number((getattr(rules, field) or 0) // _KILOBYTE)

    def show_sights(self, pace: Pace, seen: Observation | None) -> None:
        """Show how fast training may be now, and what is measured of the GPU and known of the line."""
        self.now.set_text(breakable(availability.slowed(pace)) if pace.cause else "")
        for cause, row in self.rows.items():
            row.show_reading(breakable(pace_views.measured(cause, seen)) if seen and self._is_on(cause) else "")
        is_wanted = self._rules.attended_compute_share is not None
        self.attended.show_reading(breakable(pace_views.presence(seen)) if seen and is_wanted else "")
        upload, download = pace_views.of_upload(pace, seen) if seen else "", pace_views.of_download(pace)
        self.upload.set_text(breakable(upload) if seen and self._rules.limits_uploads else "")
        self.download.set_text(breakable(download) if seen and self._rules.limits_downloads else "")

    def _is_on(self, cause: GpuCause) -> bool:
        return getattr(self._rules, _FIELDS[cause]) is not None

    def _rows(self) -> dict[GpuCause, RuleRow]:
        heat = self._number(self.tr("Temperature of the GPU"), 30, 110, 75, " °C")
        power = self._number(self.tr("Power of the GPU"), 10, 5000, 200, " W")
        noise = self._number(self.tr("Speed of the fan"), 5, 100, 50, " %")
        return {
            "heat": RuleRow(self.tr("Slow down to keep the GPU at"), self.tr("%1 %2 or less", "temperature"), heat),
            "power": RuleRow(self.tr("Slow down until the GPU takes"), self.tr("%1 %2 or less", "power"), power),
            "noise": RuleRow(self.tr("Slow down to keep its fan at"), self.tr("%1 %2 or less", "fan"), noise),
        }

    def _number(self, name: str, least: int, most: int, usual: int, unit: str) -> Number:
        number = Number(name, least, most)
        number.setSuffix(unit)
        number.show_number(usual)
        return number

    def _rate(self, name: str) -> Number:
        rate = Number(name, 0, _MOST_KILOBYTES, self.tr("as much as it can"))
        rate.setSuffix(" kB/s")
        rate.setSingleStep(50)
        return rate

    def _connect(self) -> None:
        for cause, field in _FIELDS.items():
            self.rows[cause].changed.connect(
                lambda on, limit, field=field: self._change(**{field: limit if on else None})
            )
        self.attended.changed.connect(
            lambda on, percent: self._change(attended_compute_share=percent / 100 if on else None)
        )
        for field, rate in self.rates.items():
            rate.chosen.connect(lambda number, field=field: self._change(**{field: _bytes(number)}))

    def _change(self, **fields: object) -> None:
        rules = replace(self._rules, **fields)
        if rules != self._rules:
            self.change_requested.emit({"availability": rules})

    def _lay_out(self) -> None:
        self.parts.setSpacing(12)
        self.parts.addWidget(Heading(self.tr("How fast to help")))
        self.parts.addWidget(self.now)
        for row in (*self.rows.values(), self.attended):
            self.parts.addWidget(row)
        attended_upload, upload, attended_download, download = self.rates.values()
        sending = self.tr("While somebody uses this computer send %1 and at other times %2")
        self.parts.addWidget(InlineForm(sending, attended_upload, upload))
        self.parts.addWidget(self.upload)
        receiving = self.tr("While somebody uses this computer receive %1 and at other times %2")
        self.parts.addWidget(InlineForm(receiving, attended_download, download))
        self.parts.addWidget(self.download)
        for hidden in (self.now, self.upload, self.download):
            hidden.hide()


def _bytes(kilobytes: int) -> int | None:
    return max(kilobytes, _LEAST_KILOBYTES) * _KILOBYTE if kilobytes else None
