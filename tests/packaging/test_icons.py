"""The icon's pictures are painted without a screen, and leave the caller's process as it was."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from installer.package.icons import SIZES
from installer.package.tree import ROOT

DRAW = """
import os, sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from installer.package.icons import draw
before = dict(os.environ)
draw(Path("resources/icons/workerbee.svg"), Path(sys.argv[1]))
assert QCoreApplication.instance() is None and os.environ == before
"""


def test_pictures_need_no_application_and_make_none(tmp_path: Path) -> None:
    """A QGuiApplication made on the way would be in the way of every window that this process opens later."""
    subprocess.run([sys.executable, "-c", DRAW, tmp_path], cwd=ROOT, env={"PATH": "/usr/bin"}, check=True, timeout=100)
    assert len(list(tmp_path.rglob("workerbee.png"))) == len(SIZES)
