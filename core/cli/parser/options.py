"""Options that several commands share, added to a command's parser one group at a time."""

from __future__ import annotations

import argparse
from typing import get_args

from core.cli.parser import values as typed
from core.protocol.messages import NetworkMode


def add_address(parser: argparse.ArgumentParser) -> None:
    """Add the address, as one word or several, and hivemind's own option, which people copy with it."""
    parser.add_argument("address", metavar="ADDRESS", nargs="*", help="the address that the organiser posted")
    copied = {"dest": "copied", "nargs": "+", "action": "extend", "default": [], "help": argparse.SUPPRESS}
    parser.add_argument("--initial_peers", "--initial-peers", **copied)  # type: ignore[arg-type]


def add_device(parser: argparse.ArgumentParser, device: str | None) -> None:
    """Add the choice of a device and the number of CPU threads."""
    parser.add_argument("--device", metavar="auto|cpu|cuda:N", default=device, help="the device that computes")
    parser.add_argument("--threads", metavar="N", type=typed.positive, help="CPU threads, at most")


def add_memory(parser: argparse.ArgumentParser) -> None:
    """Add the limit for the device's memory."""
    parser.add_argument(
        "--memory", metavar="SIZE", type=typed.size, help="the device memory to use at most, such as 6GB"
    )


def add_computing(parser: argparse.ArgumentParser, device: str | None) -> None:
    """Add what a peer computes on, and the name that others may see."""
    add_device(parser, device)
    parser.add_argument("--name", metavar="NAME", type=typed.name, help="what others may call this computer")


def add_network(parser: argparse.ArgumentParser, mode: NetworkMode | None) -> None:
    """Add the choice of how others reach this computer."""
    modes = get_args(NetworkMode)
    parser.add_argument(
        "--network",
        choices=modes,
        default=mode,
        help="how others reach you; client means outgoing connections only",
    )


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Add the conditions on which the command leaves by itself; at most one of them may be given."""
    limits = parser.add_argument_group("when to leave").add_mutually_exclusive_group()
    limits.add_argument("--epochs", metavar="N", type=typed.positive, help="leave after so many epochs")
    limits.add_argument("--samples", metavar="N", type=typed.positive, help="leave after so many samples of your own")
    limits.add_argument(
        "--for",
        metavar="TIME",
        type=typed.seconds,
        dest="seconds",
        help="leave after this time, such as 10m or 1h30m",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add the switch to JSON lines."""
    parser.add_argument("--json", action="store_true", help="print the events, a JSON object a line")
