"""`service`: what may be typed after it, and what that asks for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path

from core.cli.options.shared_options import (
    NOTHING_FOLLOWS,
    RESULT_AS_JSON,
    Order,
    add_invitation,
    add_json,
    add_order,
    read_order,
)


@dataclass(frozen=True)
class InstallService:
    """The command `service install`; ``address`` is the pasted text, empty for the run of last time."""

    address: str = field(repr=False)  # an invitation may be in it
    run_id: str | None
    recipe: Path | None
    yes: bool
    json: bool
    order: Order = NOTHING_FOLLOWS


@dataclass(frozen=True)
class RemoveService:
    """The command `service remove`, which ends and removes the service."""

    json: bool


@dataclass(frozen=True)
class ShowService:
    """The command `service status`, which says what the service does."""

    json: bool


@dataclass(frozen=True)
class RunService:
    """The command `service run`, which the service manager starts."""

    json: bool


ServiceCommand = InstallService | RemoveService | ShowService | RunService


def add_service(parser: argparse.ArgumentParser) -> None:
    """Add the actions on the service to the parser of `service`."""
    add_json(parser, RESULT_AS_JSON)
    actions = parser.add_subparsers(dest="action", metavar="install|remove|status|run")
    install = actions.add_parser("install", help="help a run from now on, without a desktop", allow_abbrev=False)
    install.add_argument(
        "address", metavar="ADDRESS", nargs="*", help="the organiser's address; the last run's if none"
    )
    add_invitation(install)
    install.add_argument("--run", metavar="ID", help="the run, where there are several at that address")
    install.add_argument("--recipe", metavar="run.toml", type=Path, help="a run file, where the swarm publishes none")
    install.add_argument("--yes", action="store_true", help="agree to the run without being asked")
    add_order(install)
    add_json(install, RESULT_AS_JSON, is_nested=True)
    for action, words in (("remove", "end it, and remove it"), ("status", "say what it does")):
        add_json(actions.add_parser(action, help=words, allow_abbrev=False), RESULT_AS_JSON, is_nested=True)
    run = actions.add_parser("run", help="what the service manager starts", allow_abbrev=False)
    add_json(run, is_nested=True)


def read_service(asked: argparse.Namespace) -> ServiceCommand:
    """Return the command that the parser of `service` has read."""
    match asked.action:
        case "install":
            address = " ".join([*asked.address, asked.invitation or ""]).strip()
            return InstallService(address, asked.run, asked.recipe, asked.yes, asked.json, read_order(asked))
        case "remove":
            return RemoveService(asked.json)
        case "run":
            return RunService(asked.json)
        case _:
            return ShowService(asked.json)
