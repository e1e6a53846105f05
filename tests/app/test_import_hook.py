"""No source file is read, and none kept, because of PySide's import hook."""

from __future__ import annotations

import subprocess
import sys

from tests.support.checkout import ROOT

PROGRAM = """
import linecache, sys
import app.__main__ as program

def remove_and_look():
    remove()
    sources_before = len(linecache.cache)
    import app.startup, app.application
    def look(request):
        print(len(linecache.cache) - sources_before)
        return 0
    app.startup.open_window = look

remove, program.remove_import_hook = program.remove_import_hook, remove_and_look
sys.argv = ["workerbee"]
sys.exit(program.main())
"""


def test_the_windows_modules_are_imported_without_reading_their_sources() -> None:
    program = [sys.executable, "-c", PROGRAM]
    answer = subprocess.run(
        program, cwd=ROOT, env={"QT_QPA_PLATFORM": "offscreen"}, capture_output=True, text=True, timeout=120
    )
    assert (answer.stdout, answer.returncode) == ("0\n", 0), answer.stderr


def test_pyside_still_reads_them_unless_its_hook_is_removed() -> None:
    program = [sys.executable, "-c", "import PySide6.QtCore, linecache, core.errors; print(bool(linecache.cache))"]
    assert subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=60).stdout == "True\n"
