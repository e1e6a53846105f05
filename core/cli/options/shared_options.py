"""Options that several commands share, added to a command's parser one group at a time."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from core.cli.options import values as typed
from core.errors import ErrorKind, UserError
from core.protocol.commands import NetworkMode
from core.run.spec.experts import ExpertRole

EVENTS_AS_JSON = "print the events, a JSON object a line"
RESULT_AS_JSON = "print the result as a JSON object, an error too"


@dataclass(frozen=True)
class Limits:
    """The conditions on which training stops; at most one is set, ``seconds`` counts from the start of training."""

    epochs: int | None = None
    samples: int | None = None
    seconds: float | None = None

    def reached(self, epochs_done: int, contributed_samples: int, training_seconds: float) -> bool:
        """Return whether a limit is reached and it is time to leave."""
        return (
            (self.epochs is not None and epochs_done >= self.epochs)
            or (self.samples is not None and contributed_samples >= self.samples)
            or (self.seconds is not None and training_seconds >= self.seconds)
        )


NO_LIMITS = Limits()


@dataclass(frozen=True)
class Order:
    """The runs that follow the first, by the addresses that were pasted.

    ``return_after_seconds`` is how long an earlier one has to be open again before it takes the place of the present
    one; ``None`` waits for the end of that.
    """

    following: tuple[str, ...] = ()
    return_after_seconds: float | None = None


NOTHING_FOLLOWS = Order()


def require_new_file(file: Path, option: str = "") -> None:
    """Refuse to overwrite: raises UserError for a file that is there, naming the ``option`` that chooses another."""
    if file.exists():
        choice = f" with {option}" if option else ""
        raise UserError(ErrorKind.USAGE, f"{file} is there already; choose another file{choice}.")


def add_address(parser: argparse.ArgumentParser) -> None:
    """Add the address, as one word or several, and hivemind's own option, which people copy with it."""
    parser.add_argument("address", metavar="ADDRESS", nargs="*", help="the address that the organiser posted")
    copied = {"dest": "copied", "nargs": "+", "action": "extend", "default": [], "help": argparse.SUPPRESS}
    parser.add_argument("--initial_peers", "--initial-peers", **copied)  # type: ignore[arg-type]


def read_address(asked: argparse.Namespace) -> str:
    """The words of an address, joined; raises UserError where there are none."""
    words = [*asked.address, *asked.copied]
    if not words:
        raise UserError(ErrorKind.USAGE, "The following arguments are required: ADDRESS.")
    return " ".join(words)


def add_invitation(parser: argparse.ArgumentParser) -> None:
    """Add the file of an invitation, which as a word on the command line every user of the computer could read."""
    parser.add_argument(
        "--invitation",
        metavar="FILE",
        type=typed.invitation,
        help="a file with your invitation to a closed run, or with the whole link; - is the standard input",
    )


def read_invited_address(asked: argparse.Namespace) -> str:
    """The words of an address and what is in the file of the invitation, which may have the address, too."""
    if asked.invitation is None:
        return read_address(asked)
    return " ".join([*asked.address, *asked.copied, asked.invitation])


def add_device(parser: argparse.ArgumentParser, device: str | None) -> None:
    """Add the choice of a device and the number of CPU threads."""
    parser.add_argument("--device", metavar="auto|cpu|cuda:N", default=device, help="the device that computes")
    parser.add_argument("--threads", metavar="N", type=typed.positive, help="CPU threads, at most")


def add_memory(parser: argparse.ArgumentParser) -> None:
    """Add the limit for the device's memory."""
    parser.add_argument(
        "--memory", metavar="SIZE", type=typed.size, help="the device memory to use at most, such as 6GB"
    )


def add_role(parser: argparse.ArgumentParser) -> None:
    """Add what this computer does in a run."""
    roles = parser.add_mutually_exclusive_group()
    roles.add_argument(
        "--role",
        choices=get_args(ExpertRole),
        help="in a run with experts: train (default), host experts for others, or both",
    )
    roles.add_argument(
        "--no-train", action="store_true", help="compute almost nothing; average for others and keep the run's state"
    )
    parser.add_argument(
        "--experts", metavar="N", type=typed.experts, help="experts to host at most; by default as memory allows"
    )


def add_line(parser: argparse.ArgumentParser) -> None:
    """Add this computer's internet connection."""
    parser.add_argument(
        "--line",
        metavar="UP/DOWN",
        type=typed.line,
        help="your line in Mbit/s, such as 20/100: say what it leaves of the computing",
    )


def add_line_rates(parser: argparse.ArgumentParser) -> None:
    """Add limits to what is sent and what is received in a second."""
    parser.add_argument(
        "--upload-rate", metavar="SPEED", type=typed.rate, help="what to send in a second at most, such as 250kB"
    )
    parser.add_argument(
        "--download-rate", metavar="SPEED", type=typed.rate, help="what to receive in a second at most, such as 1MB"
    )


def add_computing(parser: argparse.ArgumentParser, device: str | None) -> None:
    """Add what a peer computes on, and the name that others may see."""
    add_device(parser, device)
    parser.add_argument("--name", metavar="NAME", type=typed.name, help="what others may call this computer")


def add_disclosure(parser: argparse.ArgumentParser) -> None:
    """Add what a volunteer may tell of themselves besides a name; nothing by default."""
    parser.add_argument(
        "--credit",
        action=argparse.BooleanOptionalAction,
        help="let model cards of this run call you by your name; --no-credit withdraws that",
    )
    parser.add_argument(
        "--country",
        metavar="CC",
        type=typed.country,
        help="tell others your country, by two letters such as DE; none tells it no longer",
    )


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


def add_order(parser: argparse.ArgumentParser) -> None:
    """Add the runs that are helped where the first cannot be."""
    parser.add_argument(
        "--then",
        metavar="ADDRESS",
        nargs="+",
        action="append",
        default=[],
        help="another run, which is helped where those before it have ended or cannot be helped; may be repeated",
    )
    parser.add_argument(
        "--return-after",
        metavar="TIME",
        type=typed.seconds,
        help="go back to an earlier run that has been open again for this time, such as 2h; by default when the "
        "present one ends",
    )


def read_order(asked: argparse.Namespace) -> Order:
    """The runs that follow the first; raises UserError where there is nothing to go back to, or nobody trains."""
    if asked.then and getattr(asked, "no_train", False):
        raise UserError(ErrorKind.USAGE, "--no-train is for one run: leave --then out.")
    if asked.return_after is not None and not asked.then:
        raise UserError(ErrorKind.USAGE, "--return-after needs another run: name it with --then.")
    return Order(tuple(" ".join(words) for words in asked.then), asked.return_after)


def add_json(parser: argparse.ArgumentParser, help_text: str = EVENTS_AS_JSON, *, is_nested: bool = False) -> None:
    """Add the switch to JSON lines; the parser of a nested command leaves unsaid what the outer one has read."""
    default = argparse.SUPPRESS if is_nested else False
    parser.add_argument("--json", action="store_true", default=default, help=help_text)


def read_limits(asked: argparse.Namespace) -> Limits:
    """The condition that was typed, if any."""
    return Limits(asked.epochs, asked.samples, asked.seconds)
