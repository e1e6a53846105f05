"""Prices from an address on the web: fetched by a process of its own, within bounds, and kept where nobody answers."""

from __future__ import annotations

import ipaddress
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.availability.arbiter import ArbiterState, decide
from core.availability.decision import Reason
from core.availability.price_file import MOST_BYTES
from core.availability.prices import PriceProblem, Prices
from core.availability.rules import AvailabilityRules
from core.observers.computer import ComputerObserver
from core.observers.price_download import AGAIN_SECONDS, OLD_SECONDS, REFRESH_SECONDS, PriceDownload
from core.observers.price_fetch import fetch_prices
from core.security.address_guard import AddressGuard
from core.security.verified_download import RefusedError
from tests.support.environment.folder_server import FolderServer, serving_folder

HERE = AddressGuard((ipaddress.ip_network("127.0.0.0/8"),))
FETCHES_HERE = (
    sys.executable,
    "-c",
    "import ipaddress, sys\n"
    "from core.observers.price_fetch import main\n"
    "from core.security.address_guard import AddressGuard\n"
    "sys.exit(main(AddressGuard((ipaddress.ip_network('127.0.0.0/8'),)), 'http://'))",
)
"""The real process, which may ask this computer in plain HTTP."""
LIMIT_SECONDS = 60.0
HOUR = 3600


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FolderServer]:
    (tmp_path / "web").mkdir()
    with serving_folder(tmp_path / "web") as server:
        yield server


def price_list(hours: int, price: float = 0.2) -> bytes:
    """So many hours from this one on."""
    first = time.time() // HOUR * HOUR
    starts = (datetime.fromtimestamp(first + HOUR * each, UTC).isoformat() for each in range(hours))
    return "\n".join(["start,price", *(f"{start},{price}" for start in starts)]).encode()


class Owner:
    """Somebody whose rule names that address, at any time."""

    def __init__(self, data: Path, address: str) -> None:
        self.later, self.address = 0.0, address
        self.download = PriceDownload(data, FETCHES_HERE, lambda: time.time() + self.later)

    def look(self) -> Prices | PriceProblem:
        """What is known once nothing is being fetched any more."""
        until = time.monotonic() + LIMIT_SECONDS
        found = self.download.read(self.address)
        while self.download.is_fetching:
            assert time.monotonic() < until
            time.sleep(0.02)
            found = self.download.read(self.address)
        return found


def test_prices_are_fetched_once_a_day_and_kept_for_two(server: FolderServer, tmp_path: Path) -> None:
    (tmp_path / "web/prices.csv").write_bytes(price_list(72))
    owner = Owner(tmp_path, f"{server.address}prices.csv")
    assert owner.download.read(owner.address) == "unfetched"
    found = owner.look()
    assert isinstance(found, Prices) and found.prices == (0.2,) * 72
    owner.later = REFRESH_SECONDS - HOUR
    owner.look()
    assert len(server.requests) == 1
    (tmp_path / "web/prices.csv").write_bytes(price_list(72, price=0.3))
    owner.later = REFRESH_SECONDS + 60
    owner.look()
    again = owner.download.read(owner.address)
    assert isinstance(again, Prices) and again.prices == (0.3,) * 72
    (tmp_path / "web/prices.csv").unlink()
    owner.later = OLD_SECONDS - HOUR
    assert owner.look() == again, "what cannot be fetched is kept"
    owner.later = OLD_SECONDS + 60
    assert owner.look() == "old"


def test_prices_that_end_soon_are_asked_for_every_hour(server: FolderServer, tmp_path: Path) -> None:
    (tmp_path / "web/prices.csv").write_bytes(price_list(8))
    owner = Owner(tmp_path, f"{server.address}prices.csv")
    owner.look()
    owner.look()
    assert len(server.requests) == 1
    owner.later = AGAIN_SECONDS + 60
    owner.look()
    owner.look()
    assert len(server.requests) == 2


def test_what_is_no_price_list_or_too_long_changes_nothing(server: FolderServer, tmp_path: Path) -> None:
    kept = tmp_path / "prices/kept"
    good = price_list(2)
    for bad in (b"<html>Login</html>", b"start,price\n" + b"x" * MOST_BYTES):
        (tmp_path / "web/prices.csv").write_bytes(good)
        fetch_prices(f"{server.address}prices.csv", kept, HERE)
        (tmp_path / "web/prices.csv").write_bytes(bad)
        with pytest.raises((ValueError, RefusedError)):
            fetch_prices(f"{server.address}prices.csv", kept, HERE)
        assert kept.read_bytes() == good
    assert list(kept.parent.iterdir()) == [kept]


def test_an_address_never_leads_into_the_owners_own_network(server: FolderServer, tmp_path: Path) -> None:
    (tmp_path / "web/prices.csv").write_bytes(price_list(2))
    with pytest.raises(RefusedError, match="own network"):
        fetch_prices(f"{server.address}prices.csv", tmp_path / "prices/file", AddressGuard())
    owner = Owner(tmp_path, f"{server.address}prices.csv")
    owner.download = PriceDownload(tmp_path)
    assert owner.look() == "unfetched"
    assert server.requests == [], "the real process asks over TLS only"


def test_without_prices_the_rule_says_that_it_cannot_see(tmp_path: Path) -> None:
    rules = AvailabilityRules(price_address="https://prices.invalid/today.csv", highest_price=0.3, memory_pressure=None)
    computer = ComputerObserver(tmp_path)
    seen = computer.observe(rules)
    computer.close()
    _, decision = decide(ArbiterState(), rules, seen)
    assert Reason("price", "unfetched", can_see=False) in decision.reasons
