"""`forget`: forget who signed a run, so that it may be joined although its organiser's key has changed."""

from __future__ import annotations

import sys

from core.cli.parser.forget_arguments import ForgetOrganiser
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.security.known_organisers import KnownOrganisers
from core.security.sanitize import sanitize_line


def forget(wish: ForgetOrganiser, folders: Folders) -> int:
    """Say what it means, ask, and forget the key; 0 also if the person does not want it after all."""
    known = KnownOrganisers(folders.contents.known_organisers_file)
    organiser = known.organisers().get(wish.run_id)
    if organiser is None:
        raise UserError(ErrorKind.NO_SUCH_RUN, f"No organiser of “{sanitize_line(wish.run_id)}” is known here.")
    print(
        f"The run {wish.run_id} was signed by {organiser}.\n"
        "Whoever signs it next will be trusted in its place, and decides what this computer trains.\n"
        "Ask the organiser, by another way than the run's address, whether the key was changed."
    )
    if not (wish.yes or _agrees()):
        print("Nothing was forgotten.")
        return 0
    known.forget(wish.run_id)
    print("Forgotten.")
    return 0


def _agrees() -> bool:
    """Ask the person; anything but a clear yes is a no."""
    if not sys.stdin.isatty():
        raise UserError(ErrorKind.USAGE, "There is no terminal to ask you at: add --yes to forget it.")
    return input("Forget its key? [y/N] ").strip().lower() in ("y", "yes")
