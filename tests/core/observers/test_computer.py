"""One look at the computer that the tests run on."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from core.availability.arbiter import ArbiterState, decide
from core.availability.rules import AvailabilityRules
from core.observers.computer import ComputerObserver
from core.observers.local_zone import local_now


def test_a_look_has_what_is_seen_here_and_what_the_front_end_adds(tmp_path: Path) -> None:
    computer = ComputerObserver(tmp_path)
    begun = time.monotonic()
    seen = computer.observe(AvailabilityRules(), idle_seconds=12.0, games=("tuxkart",))
    computer.close()
    assert (seen.idle_seconds, seen.games, seen.films) == (12.0, ("tuxkart",), None)
    assert begun <= seen.monotonic <= time.monotonic()
    assert abs(seen.at - datetime.now().astimezone()) < timedelta(minutes=1)
    assert seen.free_disk_bytes is not None and seen.free_disk_bytes > 0


def test_only_what_a_rule_asks_for_costs_a_look(tmp_path: Path) -> None:
    computer = ComputerObserver(tmp_path)
    nothing = computer.observe(AvailabilityRules())
    assert nothing.programs is None and nothing.prices is None and nothing.cpu_pressure is None
    asks = AvailabilityRules(programs=("blender",), price_file=str(tmp_path / "prices"), cpu_pressure=1.0)
    seen = computer.observe(asks)
    assert seen.programs and seen.prices == "missing"
    computer.close()


def test_a_look_leads_to_a_decision(tmp_path: Path) -> None:
    rules = AvailabilityRules(games=True, battery=False, memory_pressure=None)
    _, decision = decide(ArbiterState(), rules, ComputerObserver(tmp_path).observe(rules, games=("tuxkart",)))
    assert [reason.rule for reason in decision.reasons if reason.rule != "disk"] == ["game"]


def test_the_local_zone_has_the_changes_to_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    zone = local_now().tzinfo
    offsets = {datetime(2027, month, 1, tzinfo=zone).utcoffset() for month in (1, 7)}
    assert offsets == {timedelta(hours=1), timedelta(hours=2)}


@pytest.mark.parametrize("name", [None, "", "Nowhere/Atlantis", "../../etc/passwd", ":/etc/localtime"])
def test_a_zone_that_is_not_named_or_not_known_is_that_of_the_system(
    monkeypatch: pytest.MonkeyPatch, name: str | None
) -> None:
    monkeypatch.delenv("TZ", raising=False)
    here = datetime.now().astimezone().utcoffset()
    if name is not None:
        monkeypatch.setenv("TZ", name)
    assert local_now().utcoffset() == here
