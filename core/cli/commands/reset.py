"""`reset`: say what is kept of a person, with sizes, and delete it."""

from __future__ import annotations

import sys

from core.cli.parser.engine_arguments import Reset
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.records.erase import list_user_data, remove
from core.texts.figures import size
from core.texts.user_data import name_of


def reset(wish: Reset, folders: Folders) -> int:
    """0 if it was deleted, or if the person does not want it after all."""
    kept = [each for each in list_user_data(folders) if wish.identity or each.kind != "identity"]
    if not kept:
        print("Nothing is kept.")
        return 0
    for holding in kept:
        print(f"{size(holding.held_bytes):>10}  {name_of(holding.kind)}: {holding.paths[0].parent}")
    if not wish.identity:
        print(f"{name_of('identity')} stay; --identity deletes them too.")
    if not (wish.yes or _agrees()):
        print("Nothing was deleted.")
        return 0
    remove(folders, with_identity=wish.identity)
    print("Deleted.")
    return 0


def _agrees() -> bool:
    """Ask; anything but a clear yes is a no."""
    if not sys.stdin.isatty():
        raise UserError(ErrorKind.USAGE, "There is no terminal to ask you at: add --yes to delete it.")
    return input("Delete it? [y/N] ").strip().lower() in ("y", "yes")
