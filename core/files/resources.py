"""Where the program itself lies: its root folder, and the data files that are shipped with it."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The folder that holds ``app``, ``core`` and ``resources``: the checkout, or where the package is installed.
"""
RESOURCES = ROOT / "resources"
