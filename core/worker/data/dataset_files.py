"""Which files of a hub's repository a split of a data set consists of, found in our own list of its files.

As the library `datasets` finds them, but without asking anybody: what a card names is looked up in the list, so that
it can be nothing else than a file of the repository.
"""

from __future__ import annotations

import fnmatch
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from core.localizable import localized
from core.worker.data.dataset_card import CardConfig

Format = Literal["parquet", "json", "text", "csv"]

_FORMATS: Mapping[str, Format] = {
    "parquet": "parquet",
    "json": "json",
    "jsonl": "json",
    "txt": "text",
    "csv": "csv",
    "tsv": "csv",
}
# By these last extensions, and no others, the library knows that a file is no archive, whose members it would open by
# whatever names they have. No name may hold what it takes for another place: “::” and “:”, or for a pattern.
_DATA_FILE = re.compile(
    r"[\w .,=+@()&'!~^$/-]+\."
    r"(?:(?P<plain>parquet|json|jsonl|txt|csv|tsv)|(?P<packed>json|jsonl|txt|csv|tsv)\.(?:gz|bz2|xz|zst))\Z"
)
_MAGIC = re.compile(r"[*?\[]")
_MAX_PATTERNS = 100
_NO_DATA = ("README.md", "config.json", "dataset_info.json", "dataset_infos.json", "dataset_dict.json")
_ANY_FOLDERS = "**"


@dataclass(frozen=True)
class SplitFiles:
    """The names of a split's files in the order in which they are read, their format, and options of its reader."""

    format: Format
    names: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)


def find_split(config: CardConfig, split: str, names: Sequence[str]) -> SplitFiles:
    """The files of that split among the ``names`` of a repository's files; raises ValueError where there is none."""
    folder = _folder(config.data_dir)
    below = sorted(name.removeprefix(folder) for name in names if name.startswith(folder))
    patterns = _patterns(config) or _default_patterns(below)
    if split not in patterns:
        told = ", ".join(sorted(patterns))
        raise ValueError(localized("it has no split “%1”; there are: %2", split, f"{told:.300}"))
    found = _matching_any(patterns[split], below)
    kind, chosen = _most_common_kind(found)
    return SplitFiles(_FORMATS[kind], tuple(folder + name for name in chosen), _options(config, kind))


def matching(pattern: str, names: Sequence[str]) -> list[str]:
    """Those of the names that match: ``*`` within a folder's or file's name, ``**`` any number of folders.

    Names with a dot in front, folders with two underscores, and files that are about the data set match only what
    names them.
    """
    if not _MAGIC.search(pattern):
        return [pattern] if pattern in names else []
    parts = [_matcher(part) for part in pattern.split("/")]
    return [name for name in names if name.rpartition("/")[2] not in _NO_DATA and _matches(name.split("/"), parts)]


def is_elsewhere(place: str) -> bool:
    """Whether a place is outside the repository: a URL, an absolute path, or a path with ``..`` in it."""
    parts = place.replace("\\", "/").split("/")
    return "::" in place or ":" in parts[0] or parts[0] in ("", "~") or ".." in parts


def _folder(data_dir: str) -> str:
    stripped = _inside(data_dir).strip("/") if data_dir else ""
    return f"{stripped}/" if stripped not in ("", ".") else ""


def _inside(place: str) -> str:
    if is_elsewhere(place):
        raise ValueError(localized("its card names “%1” as data, which is not in the repository", f"{place:.200}"))
    return place.removeprefix("./")


def _patterns(config: CardConfig) -> dict[str, list[str]]:
    """The patterns of each split, as the card has them; of a list without splits, all are of “train”."""
    entries = [config.data_files] if isinstance(config.data_files, str) else config.data_files
    found: dict[str, list[str]] = {}
    for entry in entries:
        name, paths = ("train", entry) if isinstance(entry, str) else (entry.split, entry.path)
        listed = [paths] if isinstance(paths, str) else paths
        found.setdefault(name, []).extend(_inside(path) for path in listed if path)
    return {name: patterns for name, patterns in found.items() if patterns}


def _default_patterns(names: Sequence[str]) -> dict[str, list[str]]:
    """The library's own rules for repositories whose card names no files, asked of our list."""
    from datasets.data_files import _get_data_files_patterns

    try:
        found = _get_data_files_patterns(partial(matching, names=names))
    except FileNotFoundError as error:
        raise ValueError(localized("there are no files in it")) from error
    return {str(split): list(patterns) for split, patterns in found.items()}


def _matching_any(patterns: Sequence[str], names: Sequence[str]) -> list[str]:
    if sum(bool(_MAGIC.search(pattern)) for pattern in patterns) > _MAX_PATTERNS:
        raise ValueError(localized("its card has more than %1 patterns for a split", _MAX_PATTERNS))
    known = set(names)
    found: dict[str, None] = {}
    for pattern in patterns:
        is_name = not _MAGIC.search(pattern)
        found.update(dict.fromkeys(({pattern} & known) if is_name else matching(pattern, names)))
    return list(found)


def _most_common_kind(names: Sequence[str]) -> tuple[str, list[str]]:
    """The kind of most files, Parquet in a draw, and its files; raises ValueError where no file has a known one."""
    kinds = {name: found["plain"] or found["packed"] for name in names if (found := _DATA_FILE.match(name))}
    kinds = {name: "json" if kind == "jsonl" else kind for name, kind in kinds.items()}
    if not kinds:
        others = Counter(name.rpartition(".")[2] for name in names).most_common(1)
        known = ", ".join(dict.fromkeys(_FORMATS.values()))
        if others:
            raise ValueError(localized("its format, %1, is none of %2", f"{others[0][0]:.20}", known))
        raise ValueError(localized("it has no files in any of %1", known))
    counts = Counter(kinds.values())
    kind = max(counts, key=lambda each: (counts[each], each == "parquet", each))
    return kind, [name for name in names if kinds.get(name) == kind]


def _options(config: CardConfig, kind: str) -> dict[str, str]:
    """What the reader is told; a separator of several characters would be a pattern, which may take for ever."""
    separator = config.delimiter or config.sep or ("\t" if kind == "tsv" else "")
    match _FORMATS[kind]:
        case "csv" if separator:
            if len(separator) != 1:
                raise ValueError(localized("its card names a separator of more than one character"))
            return {"sep": separator}
        case "json" if config.field:
            return {"field": config.field}
        case _:
            return {}


def _matcher(part: str) -> Callable[[str], object] | None:
    """What tells whether a part of a name matches; ``None`` stands for any number of folders.

    fnmatch's expressions are atomic, so that no pattern takes longer than its length times the name's.
    """
    if part == _ANY_FOLDERS:
        return None
    expression = re.compile(fnmatch.translate(part))
    return lambda text: (not _is_hidden(text) or text[0] == part[:1]) and expression.match(text)


def _is_hidden(part: str) -> bool:
    return part.startswith((".", "__"))


def _matches(parts: Sequence[str], pattern: Sequence[Callable[[str], object] | None]) -> bool:
    """Follow all ways to match at once: ``reached`` are the places in the pattern where they are."""
    reached = _with_skipped({0}, pattern)
    for part in parts:
        after = set()
        for place in reached:
            if place == len(pattern):
                continue
            matcher = pattern[place]
            if matcher is None and not _is_hidden(part):
                after.add(place)
            elif matcher is not None and matcher(part):
                after.add(place + 1)
        reached = _with_skipped(after, pattern)
    return len(pattern) in reached


def _with_skipped(places: set[int], pattern: Sequence[Callable[[str], object] | None]) -> set[int]:
    """The places, and those that follow where ``**`` stands for no folder."""
    found = set(places)
    for place in sorted(places):
        while place < len(pattern) and pattern[place] is None:
            place += 1
            found.add(place)
    return found
