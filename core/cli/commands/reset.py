"""`reset`: list what is kept of a person, with sizes, and delete it."""

from __future__ import annotations

from collections.abc import Sequence

from core.cli.output.json_lines import print_object
from core.cli.parser.engine_arguments import Reset
from core.cli.runner.consent import confirm
from core.cli.runner.displays import stream_for_people
from core.files.folders import Folders
from core.records.erase import ALL_BUT_IDENTITY, CATEGORIES, Category, DataCategory, erase_user_data, list_user_data
from core.texts.figures import size
from core.texts.settings.user_data import name_of


def reset(command: Reset, folders: Folders) -> int:
    """List what is kept, ask, and delete it; returns 0 if the person does not want it after all, too."""
    wanted = _categories(command)
    kept = [each for each in list_user_data(folders) if each.category in wanted]
    stream = stream_for_people(command.json)
    for each in kept:
        print(f"{size(each.held_bytes):>10}  {name_of(each.category)}: {each.paths[0].parent}", file=stream)
    if kept and wanted == ALL_BUT_IDENTITY:
        print(f"{name_of('identity')} stay; --identity deletes them too.", file=stream)
    is_agreed = bool(kept) and (command.yes or confirm("Delete it?", command.json))
    listed = _listed(kept) if command.json else []
    if is_agreed:
        erase_user_data(folders, wanted)
    if command.json:
        print_object("reset", deleted=is_agreed, categories=listed)
    print("Deleted." if is_agreed else "Nothing was deleted." if kept else "Nothing is kept.", file=stream)
    return 0


def _listed(kept: Sequence[DataCategory]) -> list[dict[str, object]]:
    """The categories for programs, measured before anything is deleted."""
    return [
        {"category": each.category, "bytes": each.held_bytes, "paths": [str(path) for path in each.paths]}
        for each in kept
    ]


def _categories(command: Reset) -> frozenset[Category]:
    if command.downloads:
        return frozenset({"downloads"})
    return CATEGORIES if command.identity else ALL_BUT_IDENTITY
