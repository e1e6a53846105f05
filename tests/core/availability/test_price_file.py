"""Prices come from a file that somebody's script writes: whatever is in it, there are prices or a word for why not."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.availability.decision import Reason
from core.availability.price_file import MOST_BYTES, MOST_ROWS, PriceFile, parse_prices
from core.availability.prices import Prices
from core.availability.rules import AvailabilityRules
from tests.core.availability.owner import BERLIN, WEDNESDAY, Computer
from tests.support.hypothesis_profile import ODD_TEXT, damaged, tried

CSV = """\
start,price
2026-11-25T14:00:00+01:00,0.41
2026-11-25T15:00+01:00, 0.19
2026-11-25T15:00:00Z,-0.02
"""
JSON = """\
[{"start": "2026-11-25T16:00:00+01:00", "price": -0.02, "currency": "EUR"},
 {"start": "2026-11-25T14:00:00+01:00", "price": 0.41},
 {"start": "2026-11-25T15:00:00+01:00", "price": 0.19}]
"""
THREE = Prices(tuple(WEDNESDAY.timestamp() + 3600 * hour for hour in range(3)), (0.41, 0.19, -0.02))


@pytest.mark.parametrize(
    "text", [CSV, JSON, "\ufeff" + CSV, CSV.replace("\n", "\r\n"), "area," + CSV.replace("\n2", "\nDE,2")]
)
def test_prices_are_read_from_csv_and_json(text: str) -> None:
    assert parse_prices(text.encode()) == THREE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "start,price\n",
        "[]",
        "2026-11-25T14:00:00+01:00,0.41\n",
        CSV.replace("0.41", "cheap"),
        CSV.replace("0.41", "nan"),
        CSV.replace("0.41", "1e999"),
        CSV.replace("0.41", ""),
        CSV.replace("14:00:00+01:00", "14:00:00"),
        CSV.replace("2026-11-25T14", "2026-11-32T14"),
        JSON.replace("16:00:00+01:00", "16:00:00"),
        JSON.replace("0.41", '"0.41"'),
        "[" * 100_000,
        "start,price\n" + "x" * 200_000 + ",1\n",
        "start,price\n" + "".join(f"2026-11-25T14:00:00.{row:06}Z,1\n" for row in range(MOST_ROWS + 1)),
    ],
)
def test_anything_else_is_broken(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_prices(text.encode())


@tried(100)
@given(
    damaged(CSV.encode()) | damaged(JSON.encode()) | st.binary() | ODD_TEXT.map(lambda t: t.encode(errors="replace"))
)
def test_a_damaged_file_is_refused_or_gives_prices_in_order(encoded: bytes) -> None:
    try:
        prices = parse_prices(encoded)
    except ValueError:
        return
    assert list(prices.starts) == sorted(set(prices.starts)) and len(prices.starts) == len(prices.prices)
    prices.at(WEDNESDAY)
    prices.next_cheap(WEDNESDAY, 0.2)


def test_a_file_is_read_again_after_it_has_changed(tmp_path: Path) -> None:
    path, file = tmp_path / "prices.csv", PriceFile()
    assert file.read(path) == "missing"
    path.write_text("not yet")
    assert file.read(path) == "broken"
    path.write_text(CSV)
    assert file.read(path) == THREE
    assert file.read(path) is file.read(path)
    path.unlink()
    assert file.read(path) == "missing"


def test_what_is_no_file_of_that_size_is_broken(tmp_path: Path) -> None:
    (tmp_path / "large").write_text(CSV + "\n" * MOST_BYTES)
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "large", tmp_path / "pipe"):
        assert PriceFile().read(path) == "broken"


def test_a_price_holds_until_the_next_or_for_an_hour() -> None:
    quarter = Prices((WEDNESDAY.timestamp(), WEDNESDAY.timestamp() + 900), (1.0, 2.0))
    assert quarter.at(WEDNESDAY - timedelta(seconds=1)) is None
    assert quarter.at(WEDNESDAY + timedelta(seconds=899)) == 1.0
    assert quarter.at(WEDNESDAY + timedelta(seconds=900)) == 2.0
    assert quarter.at(WEDNESDAY + timedelta(seconds=4499)) == 2.0
    assert quarter.at(WEDNESDAY + timedelta(seconds=4500)) is None


def test_a_dear_hour_is_waited_out_and_the_cheap_one_is_named() -> None:
    computer = Computer(AvailabilityRules(highest_price=0.2))
    dear = computer.see(prices=THREE)
    assert dear.reason == Reason("price", until=datetime(2026, 11, 25, 15, tzinfo=BERLIN))
    assert computer.after(3600, prices=THREE).is_free


def test_only_cheap_hours_is_kept_where_nobody_knows_the_price() -> None:
    computer = Computer(AvailabilityRules(highest_price=0.2))
    assert computer.see().reason == Reason("price", "missing", can_see=False)
    assert computer.see(prices="broken").reason == Reason("price", "broken", can_see=False)
    assert computer.after(86400, prices=THREE).reason == Reason("price", "old", can_see=False)
    assert Computer(AvailabilityRules(highest_price=0.01)).see(
        prices=Prices(THREE.starts[:1], (0.4,))
    ).reason == Reason("price")
