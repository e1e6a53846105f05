"""The versions of Python that Workerbee and its engine are made for; with nothing but the standard library."""

from __future__ import annotations

import sys

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
"""Those for which the package has its libraries, and the lists of `resources/engine` the engine's."""


def this_python() -> str:
    """The version of the running Python, such as ``3.11``, which will also run the engine."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"
