"""`reset`: list what is kept of a person, with sizes, and delete it."""

from __future__ import annotations

import sys

from core.cli.parser.engine_arguments import Reset
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.records.erase import ALL_BUT_IDENTITY, CATEGORIES, Category, erase_user_data, list_user_data
from core.texts.figures import size
from core.texts.user_data import name_of


def reset(wish: Reset, folders: Folders) -> int:
    """0 if it was deleted, or if the person does not want it after all."""
    wanted = _categories(wish)
    kept = [each for each in list_user_data(folders) if each.category in wanted]
    if not kept:
        print("Nothing is kept.")
        return 0
    for each in kept:
        print(f"{size(each.held_bytes):>10}  {name_of(each.category)}: {each.paths[0].parent}")
    if wanted == ALL_BUT_IDENTITY:
        print(f"{name_of('identity')} stay; --identity deletes them too.")
    if not (wish.yes or _agrees()):
        print("Nothing was deleted.")
        return 0
    erase_user_data(folders, wanted)
    print("Deleted.")
    return 0


def _categories(wish: Reset) -> frozenset[Category]:
    if wish.downloads:
        return frozenset({"downloads"})
    return CATEGORIES if wish.identity else ALL_BUT_IDENTITY


def _agrees() -> bool:
    """Ask; anything but a clear yes is a no."""
    if not sys.stdin.isatty():
        raise UserError(ErrorKind.USAGE, "There is no terminal to ask you at: add --yes to delete it.")
    return input("Delete it? [y/N] ").strip().lower() in ("y", "yes")
