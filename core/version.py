"""The version of this Workerbee."""

from __future__ import annotations


def own_version() -> str:
    """The installed version, such as ``0.1.0``; other words where nobody has installed it."""
    from importlib.metadata import PackageNotFoundError, version  # which load all of email

    try:
        return version("workerbee")
    except PackageNotFoundError:
        return "from source"
