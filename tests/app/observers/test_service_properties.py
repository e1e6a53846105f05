"""Properties of a service: current while it changes, hangs, lies, restarts or goes away."""

from __future__ import annotations

import pytest
from PySide6.QtDBus import QDBusConnection
from pytestqt.qtbot import QtBot

from app.observers.service_answer import ServiceAnswer
from app.observers.service_properties import ServiceProperties
from core.observers.desktop_bus.services import Target
from tests.app.observers.conftest import Buses
from tests.app.support.mock_service import MockService

LIMIT = 60_000
NAME, PATH = "org.example.Weather", "/org/example/Weather"
TARGET = Target(NAME, PATH, NAME)


def weather(buses: Buses, celsius: float) -> MockService:
    service = buses.on_session(NAME, PATH)
    service.add_properties(NAME, {"Celsius": ("d", celsius), "Rains": ("b", False), "Place": ("s", "Bonn")})
    return service


def test_what_a_service_has_and_signals_is_known(qtbot: QtBot, buses: Buses) -> None:
    service = weather(buses, 20.0)
    properties = ServiceProperties(buses.session, TARGET)
    qtbot.waitUntil(lambda: properties.number("Celsius", -90, 60) == 20.0, timeout=LIMIT)
    assert (properties.flag("Rains"), properties.text("Place")) == (False, "Bonn")
    service.update(NAME, {"Rains": ("b", True)})
    qtbot.waitUntil(lambda: properties.flag("Rains") is True, timeout=LIMIT)
    assert properties.text("Place") == "Bonn"


def test_a_value_of_another_type_or_out_of_bounds_is_none(qtbot: QtBot, buses: Buses) -> None:
    service = weather(buses, 20.0)
    properties = ServiceProperties(buses.session, TARGET)
    qtbot.waitUntil(lambda: properties.value is not None, timeout=LIMIT)
    assert (properties.flag("Celsius"), properties.number("Rains", 0, 1), properties.text("Rains")) == (
        None,
        None,
        None,
    )
    assert properties.number("Celsius", 30, 60) is None
    for celsius in (("d", float("nan")), ("d", float("inf")), ("as", ["hot"]), ("s", "hot"), ("x", -(2**63))):
        with qtbot.waitSignal(properties.answered, timeout=LIMIT):
            service.update(NAME, {"Celsius": celsius})
        assert properties.number("Celsius", -90, 60) is None


def test_a_service_that_restarts_is_read_anew(qtbot: QtBot, buses: Buses) -> None:
    service = weather(buses, 20.0)
    properties = ServiceProperties(buses.session, TARGET)
    qtbot.waitUntil(lambda: properties.number("Celsius", -90, 60) == 20.0, timeout=LIMIT)
    service.end()
    qtbot.waitUntil(lambda: properties.value is None and properties.is_absent, timeout=LIMIT)
    service = weather(buses, -5.0)
    service.update(NAME, {"Rains": ("b", True)})  # it had its name before it had properties
    qtbot.waitUntil(lambda: properties.number("Celsius", -90, 60) == -5.0, timeout=LIMIT)
    assert not properties.is_absent


def test_a_service_that_hangs_has_no_value_until_it_answers_again(qtbot: QtBot, buses: Buses) -> None:
    service = weather(buses, 20.0)
    service.hang()
    properties = ServiceProperties(buses.session, TARGET, retry_seconds=0.2)
    with qtbot.waitSignal(properties.answered, timeout=LIMIT):
        pass
    assert properties.value is None
    assert not properties.is_absent
    service.recover()
    qtbot.waitUntil(lambda: properties.number("Celsius", -90, 60) == 20.0, timeout=LIMIT)


def test_whoever_is_asked_again_while_answering_is_asked_once_more(qtbot: QtBot, buses: Buses) -> None:
    service = buses.on_session(NAME, PATH)
    service.add_method("Count", "i", "self.n = getattr(self, 'n', 0) + 1; ret = self.n")
    answer = ServiceAnswer(buses.session, TARGET, "Count")
    for _ in range(5):
        answer.ask()
    qtbot.waitUntil(lambda: answer.value == 2, timeout=LIMIT)
    with qtbot.waitSignal(answer.answered, timeout=LIMIT):
        answer.ask()
    assert answer.value == 3


def test_a_service_that_is_not_running_is_not_started_by_the_question(qtbot: QtBot, buses: Buses) -> None:
    answer = ServiceAnswer(buses.session, Target("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus"), "GetAddress")
    qtbot.waitUntil(lambda: answer.is_absent, timeout=LIMIT)


@pytest.mark.parametrize("method", ["GetAll", "Get"])
def test_without_a_bus_there_is_nothing(qtbot: QtBot, no_bus: QDBusConnection, method: str) -> None:
    answer = ServiceAnswer(no_bus, TARGET, method)
    answer.ask()
    assert answer.value is None
