"""`fleet`: what may be typed after it, and what that asks for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from core.cli.options import values as typed
from core.cli.options.shared_options import add_address, add_json, add_network, read_address
from core.errors import ErrorKind, UserError
from core.protocol.commands import NetworkMode


@dataclass(frozen=True)
class WatchFleet:
    """The command `fleet`: watch the peers of a run, once or until one leaves, and write down what is seen.

    ``price`` is what a kilowatt-hour costs, in whatever currency.
    """

    address: str
    run_id: str | None
    network: NetworkMode
    once: bool
    log: Path | None
    page: Path | None
    metrics: int | None
    price: float | None
    json: bool


@dataclass(frozen=True)
class ReplayFleet:
    """The command `fleet --replay`: the fleet as a log has it, at a time in seconds since 1970 or at its end."""

    file: Path
    at: float | None
    page: Path | None
    price: float | None
    json: bool


def add_fleet(parser: argparse.ArgumentParser) -> None:
    """Add the address, how often to look, and where to write."""
    add_address(parser)
    parser.add_argument("--run", metavar="ID", help="which run, where there are several")
    parser.add_argument("--once", action="store_true", help="look once, and end")
    parser.add_argument("--log", metavar="FILE", type=Path, help="append what is seen, a JSON object a line")
    parser.add_argument("--page", metavar="DIR", type=Path, help="write a status page there every minute")
    add_metrics(parser)
    parser.add_argument("--replay", metavar="FILE", type=Path, help="show what such a log has, without any network")
    parser.add_argument(
        "--at", metavar="TIME", type=typed.moment, help='with --replay: "2026-11-25 19:30", or 90m for so long ago'
    )
    parser.add_argument(
        "--price",
        metavar="N",
        type=typed.positive_number,
        help="what a kWh costs, such as 0.30: say what the energy costs that the peers tell of",
    )
    add_network(parser, mode="client")
    add_json(parser, "print what is seen, a JSON object a line")


def add_metrics(parser: argparse.ArgumentParser) -> None:
    """Add the port at which Prometheus is answered."""
    parser.add_argument(
        "--metrics", metavar="PORT", type=typed.port, help="answer Prometheus at http://127.0.0.1:PORT/metrics"
    )


def read_fleet(asked: argparse.Namespace) -> WatchFleet | ReplayFleet:
    """What was typed after `fleet`; raises UserError for what does not go together."""
    if asked.price is not None and asked.json:
        raise UserError(ErrorKind.USAGE, "--price is for people, not for --json.")
    if asked.replay is None:
        if asked.at is not None:
            raise UserError(ErrorKind.USAGE, "--at needs --replay FILE.")
        address = read_address(asked)
        if asked.once and asked.metrics is not None:
            raise UserError(ErrorKind.USAGE, "--metrics is for watching, not for --once.")
        return WatchFleet(
            address, asked.run, asked.network, asked.once, asked.log, asked.page, asked.metrics, asked.price, asked.json
        )
    if asked.address or asked.copied or asked.log or asked.once or asked.metrics is not None:
        raise UserError(ErrorKind.USAGE, "--replay goes with --at, --page, --price and --json only.")
    return ReplayFleet(asked.replay, asked.at, asked.page, asked.price, asked.json)
