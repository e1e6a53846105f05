"""`peers` and `block`: what may be typed after them, and what that asks for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from core.cli.options import values as typed
from core.cli.options.shared_options import RESULT_AS_JSON, add_address, add_json, add_network, read_address
from core.protocol.commands import NetworkMode

DEFAULT_BLOCK_SECONDS = 7 * 86_400.0


@dataclass(frozen=True)
class ListPeers:
    """The command `peers`: who takes part in a run, or whom they name for what was sent."""

    address: str
    run_id: str | None
    suspects: bool
    network: NetworkMode
    json: bool


@dataclass(frozen=True)
class BlockPeer:
    """The command `block`: for ``seconds``, or no longer where they are 0; without a peer it shows who is blocked."""

    peer_id: str | None
    run_id: str | None
    seconds: float
    json: bool


def add_peers(parser: argparse.ArgumentParser) -> None:
    """Add the address, and what is to be shown."""
    add_address(parser)
    parser.add_argument("--run", metavar="ID", help="which run, where there are several")
    parser.add_argument("--suspects", action="store_true", help="show whom the peers name for what they have sent")
    add_network(parser, mode="client")
    add_json(parser)


def add_block(parser: argparse.ArgumentParser) -> None:
    """Add the peer, the run and the time."""
    parser.add_argument("peer_id", metavar="PEER", nargs="?", help="the peer id; without one, who is blocked is shown")
    parser.add_argument("--run", metavar="ID", help="which run, where several were published here")
    time = parser.add_mutually_exclusive_group()
    time.add_argument(
        "--for",
        dest="seconds",
        metavar="TIME",
        type=typed.seconds,
        default=DEFAULT_BLOCK_SECONDS,
        help="for how long, such as 12h (default: 7d)",
    )
    time.add_argument("--lift", action="store_true", help="block the peer no longer")
    add_json(parser, RESULT_AS_JSON)


def read_peers(asked: argparse.Namespace) -> ListPeers:
    """What was typed after `peers`."""
    return ListPeers(read_address(asked), asked.run, asked.suspects, asked.network, asked.json)


def read_block(asked: argparse.Namespace) -> BlockPeer:
    """What was typed after `block`."""
    return BlockPeer(asked.peer_id, asked.run, 0.0 if asked.lift else asked.seconds, asked.json)
