"""The owner's rules: when this computer is free for training, and what each rule sees right now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from app.appearance.line_breaks import breakable
from app.pages.settings.price_row import PriceRow
from app.pages.settings.program_list import ProgramList
from app.pages.settings.rule_row import RuleRow
from app.presentation.presets import preset_choices
from app.widgets.inline_inputs import Choice, Gigabytes, Number
from app.widgets.labels import Heading, Hint, Strong, Words
from app.widgets.layout.card import Card
from app.widgets.layout.inline_form import InlineForm
from app.widgets.week_grid import WeekGrid
from core.availability.decision import Decision, RuleName
from core.availability.presets import preset_of, with_preset
from core.availability.rule_views import RuleView, is_on
from core.availability.rules import RULE_FIELDS, AvailabilityRules
from core.records.pauses import Interval
from core.records.settings import Settings
from core.texts import availability
from core.texts.settings import pause_history, rule_views
from core.texts.status import BETWEEN


def _field_of_each(*rules: RuleName) -> dict[RuleName, str]:
    return {rule: field for rule in rules for field in RULE_FIELDS[rule]}


_SWITCHES = _field_of_each("battery", "power_saver", "metered", "game", "film")
_SHARES = _field_of_each("gpu", "memory", "cpu")
_USUAL_PERCENT = {"gpu": 20, "memory": 20, "cpu": 50}
_USUAL_MINUTES, _MOST_MINUTES = 5, 240
_SHOWN_PAUSES = 5


class AvailabilitySettings(Card):
    """The settings of when to help: a preset, the rules one by one, and the hours of the week.

    Signals:
        change_requested: the field of the settings that a person has changed, with its new value (a dict).
        ignore_requested: ignore the reason of the pause until midnight.
        heed_requested: no longer ignore what is ignored.
    """

    change_requested = Signal(object)
    ignore_requested = Signal()
    heed_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._rules = AvailabilityRules()
        self.preset = Choice(self.tr("When to help"))
        self.now, self.history = Strong(), Hint()
        self.ignore, self.heed = (
            QPushButton(self.tr("Ignore this until midnight")),
            QPushButton(self.tr("Heed it again")),
        )
        self.rows: dict[RuleName, RuleRow] = {**self._switch_rows(), **self._share_rows(), "idle": self._idle_row()}
        self.programs, self.price = ProgramList(), PriceRow()
        amounts = self.tr("Sent a day"), self.tr("Received a day"), self.tr("Sent a month"), self.tr("Received a month")
        self.traffic = dict(zip(RULE_FIELDS["data"], map(self._gigabytes, amounts), strict=True))
        self.grid = WeekGrid(self._rules.hours)
        self._readings: dict[RuleName, Hint] = {rule: Hint() for rule in ("disk", "program", "data", "hours")}
        self._connect()
        self._lay_out()
        self.show_settings(Settings())

    def show_settings(self, settings: Settings) -> None:
        """Show the rules in their inputs, without emitting anything."""
        self._rules = rules = settings.availability
        self._show_presets()
        for rule in _SWITCHES:
            self.rows[rule].show_rule(is_on(rule, rules))
        for rule, field in _SHARES.items():
            share: float | None = getattr(rules, field)
            self.rows[rule].show_rule(share is not None, None if share is None else round(share * 100))
        self.rows["idle"].show_rule(rules.idle_minutes is not None, rules.idle_minutes)
        self.programs.show_programs(rules.programs)
        for name, number in self.traffic.items():
            number.show_limit(getattr(rules, name))
        self.price.show_price(rules.price_file, rules.price_address, rules.highest_price)
        self.grid.show_week(rules.hours)

    def show_sights(
        self,
        decision: Decision,
        views: Sequence[RuleView],
        running: Iterable[str],
        sources: Mapping[str, str | None] = MappingProxyType({}),
    ) -> None:
        """Show what the rules have decided, what each sees and who tells it, and offer the programs that run now."""
        self.now.set_text(self._now(decision) if views else "")
        self.ignore.setVisible(bool(views) and not decision.is_free)
        self.heed.setVisible(bool(views) and bool(decision.ignored))
        for view in views:
            is_looked_for = view.is_on or view.can_see
            words = breakable(self._reading(view, sources)) if is_looked_for else ""
            if view.rule in self.rows:
                self.rows[view.rule].show_reading(words)
            elif view.rule == "price":
                self.price.show_reading(words)
            elif view.rule in self._readings:
                self._readings[view.rule].set_text(words)
        self.programs.show_running(running)

    def _reading(self, view: RuleView, sources: Mapping[str, str | None]) -> str:
        parts = (rule_views.sees(view, self._rules), rule_views.told_by(view.rule, sources) if view.can_see else "")
        return BETWEEN.join(part for part in parts if part)

    def show_pauses(self, pauses: Sequence[Interval]) -> None:
        """Show each device's newest of these intervals in which it was free or paused."""
        lines = pause_history.lines_of(pauses, _SHOWN_PAUSES)
        self.history.set_text(breakable("\n".join([self.tr("The last days:"), *lines])) if lines else "")

    def _now(self, decision: Decision) -> str:
        if not decision.is_free:
            return breakable(availability.pause(decision, self._rules))
        free = self.tr("Right now this computer is free for training")
        ignored = availability.ignored(decision)
        return breakable(BETWEEN.join(part for part in (free, ignored) if part))

    def _show_presets(self) -> None:
        preset = preset_of(self._rules)
        self.preset.show_choices(preset_choices(preset, self.tr("by the rules below")))
        self.preset.show_chosen(preset)

    def _switch_rows(self) -> dict[RuleName, RuleRow]:
        return {
            "battery": RuleRow(self.tr("Pause on battery")),
            "power_saver": RuleRow(self.tr("Pause while the desktop saves power")),
            "metered": RuleRow(self.tr("Pause on a metered connection")),
            "game": RuleRow(self.tr("Pause while a game or a full-screen program runs")),
            "film": RuleRow(self.tr("Pause while a film plays")),
        }

    def _share_rows(self) -> dict[RuleName, RuleRow]:
        gpu, memory, cpu = (
            self._percent(name, _USUAL_PERCENT[rule])
            for name, rule in (
                (self.tr("Share of the GPU"), "gpu"),
                (self.tr("Share of the time"), "memory"),
                (self.tr("Share of the CPU"), "cpu"),
            )
        )
        return {
            "gpu": RuleRow(self.tr("Pause when other programs use"), self.tr("%1 %2 of the GPU"), gpu),
            "memory": RuleRow(self.tr("Pause when programs wait for memory"), self.tr("%1 %2 of the time"), memory),
            "cpu": RuleRow(self.tr("Pause when other programs use"), self.tr("%1 %2 of the CPU"), cpu),
        }

    def _idle_row(self) -> RuleRow:
        minutes = Number(self.tr("Minutes without input"), 1, _MOST_MINUTES)
        minutes.show_number(_USUAL_MINUTES)
        return RuleRow(self.tr("Wait until nobody has used it for"), self.tr("%1 %2 minutes"), minutes)

    def _percent(self, name: str, usual: int) -> Number:
        number = Number(name, 1, 100)
        number.setSuffix(" %")
        number.show_number(usual)
        return number

    def _gigabytes(self, name: str) -> Gigabytes:
        return Gigabytes(name, self.tr("any amount"))

    def _connect(self) -> None:
        self.preset.chosen.connect(lambda preset: self._emit(with_preset(self._rules, preset) if preset else None))
        for rule, field in _SWITCHES.items():
            self.rows[rule].changed.connect(lambda on, _limit, field=field: self._change(**{field: on}))
        for rule, field in _SHARES.items():
            self.rows[rule].changed.connect(
                lambda on, percent, field=field: self._change(**{field: percent / 100 if on else None})
            )
        self.rows["idle"].changed.connect(lambda on, minutes: self._change(idle_minutes=minutes if on else None))
        self.ignore.clicked.connect(lambda: self.ignore_requested.emit())
        self.heed.clicked.connect(lambda: self.heed_requested.emit())
        self.programs.changed.connect(lambda names: self._change(programs=names))
        for name, number in self.traffic.items():
            number.limit_chosen.connect(lambda limit, name=name: self._change(**{name: limit}))
        self.price.changed.connect(
            lambda file, address, highest: self._change(price_file=file, price_address=address, highest_price=highest)
        )
        self.grid.week_changed.connect(lambda week: self._change(hours=week))

    def _change(self, **fields: object) -> None:
        self._emit(replace(self._rules, **fields))

    def _emit(self, rules: AvailabilityRules | None) -> None:
        if rules is not None and rules != self._rules:
            self.change_requested.emit({"availability": rules})

    def _lay_out(self) -> None:
        self.parts.setSpacing(12)
        self.parts.addWidget(Heading(self.tr("When to help")))
        self.parts.addWidget(InlineForm(self.tr("This computer helps %1"), self.preset))
        self.parts.addWidget(self.now)
        for button in (self.ignore, self.heed):
            self.parts.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
            button.hide()
        self.parts.addWidget(self.history)
        for rule in ("battery", "power_saver", "metered", "game", "film", "gpu", "cpu", "memory", "idle"):
            self.parts.addWidget(self.rows[rule])
        self._add(Words(self.tr("Pause always while the disk is nearly full:")), self._readings["disk"])
        self._add(Words(self.tr("Pause while one of these programs runs:")), self.programs, self._readings["program"])
        sent_day, received_day, sent_month, received_month = self.traffic.values()
        day = InlineForm(self.tr("A day, send %1 and receive %2"), sent_day, received_day)
        month = InlineForm(self.tr("A month, send %1 and receive %2"), sent_month, received_month)
        self._add(day, month, self._readings["data"])
        self.parts.addWidget(self.price)
        self._add(Words(self.tr("Train only in these hours of the week:")), self.grid, self._readings["hours"])
        for reading in (self.now, self.history, *self._readings.values()):
            reading.hide()

    def _add(self, *parts: QWidget) -> None:
        for part in parts:
            self.parts.addWidget(part)
