"""The process that fetches files for a confined worker: it connects to the web's ports, and writes what it fetches.

Where a worker is not confined, the same functions do the same here.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import threading
import urllib.request
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

import msgspec

from core.run.spec.web_address import hub_endpoint
from core.security import verified_download
from core.security.address_guard import AddressGuard
from core.security.confinement.confine import confine_ports
from core.security.verified_download import Remote
from core.worker.delegation.calls import Caller, ask, serve_caller, socket_of
from core.worker.delegation.download_limit import downloads
from core.worker.fetch.hub_listing import HubFile, ListFiles, list_files
from core.worker.fetch.hub_stream import ReadRows, Rows, read_rows

WEB_PORTS = {"http": 80, "https": 443}
MAX_REQUEST_BYTES = 1 << 26  # the names of as many files as a repository may have, `hub_listing.MOST_FILES`


class Open(msgspec.Struct, tag=True, frozen=True):
    """From now on connect to the web's ports and these, and lead into no private network but these.

    ``networks`` are in CIDR notation; ``None`` says that whoever named the addresses is trusted.
    """

    ports: tuple[int, ...]
    networks: tuple[str, ...] | None


class FetchRest(msgspec.Struct, tag=True, frozen=True):
    """Append to the file ``part`` what is missing of the one at ``url``, as `verified_download.fetch_rest` does."""

    url: str
    part: str
    size_bytes: int
    slack_bytes: int


def open_fetcher(addresses: Iterable[str], guard: AddressGuard | None) -> None:
    """Tell the fetching process, once, what the run that was agreed to may have fetched, before anything is.

    Other ports than the web's are those that the ``addresses`` of a run name in a swarm that is here, or nearby.
    """
    path = socket_of("fetcher")
    if path is None:
        return
    networks = None if guard is None else tuple(map(str, guard.networks))
    ports = tuple({_port_of(address) for address in addresses}) if networks != () else ()
    for _ in ask(path, Open(ports, networks), object):
        pass


def fetch_rest(remote: Remote, part: Path) -> Iterator[int]:
    """As `verified_download.fetch_rest` does, no faster than downloads may be, and raises what that raises."""
    path = socket_of("fetcher")
    if path is None:
        return _at_the_limit(verified_download.fetch_rest(remote, part))
    return ask(path, FetchRest(remote.url, str(part), remote.size_bytes, remote.slack_bytes), int)


def listed_files(request: ListFiles) -> list[HubFile]:
    """The files of a hub's repository; raises ValueError where it has none, and UnreachableError."""
    path = socket_of("fetcher")
    return list_files(request) if path is None else next(ask(path, request, list[HubFile]))


def streamed_rows(request: ReadRows) -> Iterator[Rows]:
    """The rows of a hub's data set, some at a time; raises ValueError, LookupError and UnreachableError."""
    path = socket_of("fetcher")
    return read_rows(request) if path is None else ask(path, request, Rows)


def serve_fetcher(listener: socket.socket) -> NoReturn:
    """Wait until somebody opens this process, then fetch, each file in a thread of its own."""
    os.environ["USE_TORCH"] = "0"  # else `datasets` imports it
    opened: list[AddressGuard | None] = []

    def open_once(request: Open, _caller: Caller) -> Iterator[object]:
        networks = request.networks
        guard = None if networks is None else AddressGuard(tuple(map(ipaddress.ip_network, networks)))
        confine_ports({*trusted_ports(), *request.ports})
        opened.append(guard)
        yield from ()

    while not opened:
        serve_caller(listener.accept()[0], Open, open_once)

    def perform(request: FetchRest | ListFiles | ReadRows, _caller: Caller) -> Iterator[object]:
        match request:
            case FetchRest():
                return _fetched(request, opened[0])
            case ListFiles():
                return iter([list_files(request)])
            case ReadRows():
                return read_rows(request)

    while True:
        caller = (listener.accept()[0], FetchRest | ListFiles | ReadRows, perform, MAX_REQUEST_BYTES)
        threading.Thread(target=serve_caller, args=caller, name="fetch", daemon=True).start()


def _fetched(request: FetchRest, guard: AddressGuard | None) -> Iterator[int]:
    """How many bytes of the file are there, as they come; what ``HF_ENDPOINT`` names is not guarded."""
    if request.url.startswith(f"{hub_endpoint()}/"):
        guard = None
    remote = Remote(request.url, request.size_bytes, "", slack_bytes=request.slack_bytes, guard=guard)
    return _at_the_limit(verified_download.fetch_rest(remote, Path(request.part)))


def _at_the_limit(fetched: Iterator[int]) -> Iterator[int]:
    """Read on only when what has come is paid for; the first figure is what was there before."""
    before: int | None = None
    for have in fetched:
        yield have
        for _ in downloads().pauses(0 if before is None else max(have - before, 0)):
            yield have  # whoever wants no more need not wait for the end of it
        before = have


def trusted_ports() -> set[int]:
    """The web's ports, and those of the hub and of proxies that the person's environment names."""
    return {*WEB_PORTS.values(), *map(_port_of, _trusted_addresses())}


def _trusted_addresses() -> list[str]:
    """Those that the person's environment names: the hub, and proxies."""
    return [hub_endpoint(), *(proxy for name, proxy in urllib.request.getproxies().items() if name != "no")]


def _port_of(address: str) -> int:
    parts = urlsplit(address if "://" in address else f"http://{address}")
    return parts.port or WEB_PORTS.get(parts.scheme, WEB_PORTS["http"])
