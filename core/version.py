"""The version of this Workerbee, and how versions are compared."""

from __future__ import annotations

import re

VERSION_PATTERN = r"^[0-9]{1,6}(\.[0-9]{1,6}){1,3}\Z"


def own_version() -> str:
    """The installed version, such as ``0.1.0``; other words where nobody has installed it."""
    from importlib.metadata import PackageNotFoundError, version  # which load all of email

    try:
        return version("workerbee")
    except PackageNotFoundError:
        return "from source"


def is_older(version: str, than: str) -> bool:
    """Whether the version is older than another; false where one of them is no version, as in a checkout."""
    are_versions = re.match(VERSION_PATTERN, version) and re.match(VERSION_PATTERN, than)
    return bool(are_versions) and _numbers(version) < _numbers(than)


def _numbers(version: str) -> tuple[int, ...]:
    """1.0 and 1.0.0 are the same."""
    numbers = [int(part) for part in version.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
