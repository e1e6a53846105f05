"""Countries are shown only where peers tell one, and who tells none is counted as that."""

from __future__ import annotations

import io
import json
from typing import Any

import msgspec
import pytest
from rich.console import Console

from core.cli.output.fleet_view import fleet_picture
from core.fleet.countries import countries_line, silent_peers
from core.fleet.exposition import exposition
from core.fleet.history import FleetHistory
from core.fleet.page import page_files
from core.fleet.snapshot import FleetSnapshot
from core.fleet.totals import MOST_GROUPS
from core.worker.swarm.dht.reader import parse_record
from core.worker.swarm.dht.run_records import DisclosureRecord
from tests.core.fleet.exposition_format import parse
from tests.core.fleet.made_up_fleets import peer, snapshot

TOLD = ("DE", "DE", "FR", "DE", "", "", "ZZ")
SEEN = snapshot(*(peer(number, country=country) for number, country in enumerate(TOLD)), untold=5)
SILENT = snapshot(peer(0), peer(1))


def picture(seen: FleetSnapshot) -> str:
    """What a terminal shows of it."""
    stream = io.StringIO()
    Console(file=stream, width=100, markup=False).print(fleet_picture(seen, FleetHistory([seen]), 60))
    return stream.getvalue()


def test_who_tells_a_country_is_counted_by_it_and_the_others_as_those_who_do_not() -> None:
    assert countries_line(SEEN.totals) == "3 × DE, 1 × FR, 3 do not say"
    assert silent_peers(SEEN.totals) == 3, "ZZ is no country, and of those who were not told nothing is known"
    assert countries_line(snapshot(peer(0, country="DE"), peer(1)).totals) == "1 × DE, 1 does not say"
    assert countries_line(snapshot(peer(0, country="DE")).totals) == "1 × DE"


def test_terminal_page_and_metrics_show_countries_only_where_somebody_tells_one() -> None:
    assert "countries     3 × DE, 1 × FR, 3 do not say" in picture(SEEN) and "countries" not in picture(SILENT)
    html, status = (page_files(SEEN, FleetHistory())[name].decode() for name in ("index.html", "status.json"))
    assert "<dt>Countries, as told</dt><dd>3 × DE, 1 × FR, 3 do not say</dd>" in html
    assert [each["name"] for each in json.loads(status)["totals"]["countries"]] == ["DE", "FR"]
    gauge = parse(exposition(SEEN))["workerbee_country_peers"]
    assert sorted(gauge.samples.values()) == [1, 3]

    assert b"ountries, as told" not in page_files(SILENT, FleetHistory())["index.html"]
    assert "workerbee_country_peers" not in parse(exposition(SILENT))


def test_of_very_many_countries_the_small_ones_are_one() -> None:
    codes = ["AD", "AE", "AF", "AG", "AI", "AL", "AM", "AO", "AQ", "AR", "AS", "AT", "AU", "AW"]
    many = snapshot(*(peer(number, country=code) for number, code in enumerate(codes)))
    assert countries_line(many.totals).endswith(f"1 × {codes[MOST_GROUPS - 1]}, 2 × others")


def test_a_log_from_before_anybody_told_a_country_is_read() -> None:
    old = msgspec.to_builtins(SEEN)
    del old["totals"]["countries"]
    for each in old["peers"]:
        del each["country"]
    read = msgspec.json.decode(msgspec.json.encode({"event": "fleet", **old}), type=FleetSnapshot)
    assert countries_line(read.totals) == ""


@pytest.mark.parametrize(
    "wrong",
    [{"country": "de"}, {"country": "DE\n"}, {"country": "DEU"}, {"country": 1}, {"may_be_named": 1}, {"name": "Ada"}],
)
def test_a_record_that_no_peer_of_ours_would_write_is_none(wrong: dict[str, Any]) -> None:
    record = DisclosureRecord(may_be_named=True, country="DE")
    assert parse_record(DisclosureRecord, record.dict()) == record
    assert parse_record(DisclosureRecord, record.dict() | wrong) is None
