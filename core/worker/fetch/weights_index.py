"""The index of weights in several files: whether it names only such as lie beside it, in the format safetensors.

`transformers` opens whatever an index names, from wherever it is, and unpickles what is not called ``.safetensors``.
"""

from __future__ import annotations

import re
from collections.abc import Container
from pathlib import Path

import msgspec

from core.localizable import localized
from core.schema import UNREADABLE

WEIGHTS_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}\.safetensors\Z")
INDEX_SUFFIX = ".safetensors.index.json"


class _Index(msgspec.Struct):
    weight_map: dict[str, str]


def refuse_other_files(index: Path, present: Container[str]) -> None:
    """Raise ValueError for an index that cannot be read, or names anything but weights that are ``present``."""
    try:
        named = set(msgspec.json.decode(index.read_bytes(), type=_Index).weight_map.values())
    except UNREADABLE as error:
        raise ValueError(localized("%1 cannot be read", index.name)) from error
    for name in sorted(named):
        if not WEIGHTS_NAME.match(name) or name not in present:
            raise ValueError(localized("%1 names “%2”, which is none of its weights", index.name, f"{name:.200}"))


def refuse_foreign_weights(folder: Path) -> None:
    """Raise ValueError where an index in that folder names anything but weights that lie in the folder itself."""
    present = {path.name for path in folder.iterdir() if path.is_file() and not path.is_symlink()}
    for index in sorted(folder.glob(f"*{INDEX_SUFFIX}")):
        refuse_other_files(index, present)
