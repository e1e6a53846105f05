"""Fetches a file of prices once: ``python -m core.observers.price_fetch ADDRESS FILE``.

A process of its own, because TLS would stay in the window's memory for ever. What is no file of prices, or leads into
this computer's own network, changes nothing.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path

from core.availability.price_file import MOST_BYTES, parse_prices
from core.engine.one_answer import answer_once
from core.files.atomic import write_atomically
from core.security.address_guard import AddressGuard
from core.security.verified_download import RefusedError, Remote, UnreachableError, fetch_rest

_SCHEME = "https://"


def fetch_prices(address: str, path: Path, guard: AddressGuard) -> None:
    """Replace the file by the one at that address, and remove those of other addresses beside it.

    Raises UnreachableError, RefusedError, OSError, and ValueError for what are no prices.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        part = Path(scratch) / "part"
        for _ in fetch_rest(Remote.at_most(address, MOST_BYTES, guard), part):
            pass
        encoded = part.read_bytes()
    parse_prices(encoded)
    write_atomically(path, encoded)
    for other in path.parent.iterdir():
        if other != path:
            with contextlib.suppress(OSError):
                other.unlink()


def main(guard: AddressGuard | None = None, scheme: str = _SCHEME) -> int:
    """Fetch and return 0, or return 1 and log why there is nothing."""

    def fetch(address: str, path: str) -> bytes:
        if not address.startswith(scheme):
            raise ValueError(f"the address does not begin with {scheme}")
        fetch_prices(address, Path(path), guard or AddressGuard())
        return b""

    return answer_once(fetch, OSError, ValueError, RefusedError, UnreachableError)


if __name__ == "__main__":
    sys.exit(main())
