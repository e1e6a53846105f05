"""`workerbee` and `python -m app`: a link, a run file or nothing opens the window; the rest are commands."""

from __future__ import annotations

import gc
import sys

from app.desktop.display import is_display_there, why_no_window
from app.desktop.launch_request import LaunchRequest
from app.import_hook import remove_import_hook

_NO_WINDOW_CODE = 7
_USAGE_CODE = 2
_INTERRUPTED_CODE = 130


def main() -> int:
    """Do what was typed; the process's exit code."""
    words = sys.argv[1:]
    if words == ["demo"] and is_display_there() and not why_no_window():
        return _window(None)
    request = LaunchRequest.read(words)
    if request is None:
        return _command(words)
    if is_display_there():
        return _window(request)
    if not words:
        return _command(words)
    print(
        "There is no display to open a window on; in a terminal, `workerbee join ADDRESS` does the same.",
        file=sys.stderr,
    )
    return _USAGE_CODE


def _command(words: list[str]) -> int:
    try:
        from core.cli.main import run_command

        return run_command(words)
    except KeyboardInterrupt:  # while the modules are being loaded; later it is the command's
        return _INTERRUPTED_CODE


def _window(request: LaunchRequest | None) -> int:
    """The window, given that; nothing is the demo's."""
    reason = why_no_window()
    if reason:
        print(f"{reason}\nWithout a window, `workerbee --help` shows the commands.", file=sys.stderr)
        return _NO_WINDOW_CODE
    gc.disable()  # nothing that a start makes is garbage; looking for some takes a tenth of its time
    try:
        remove_import_hook()
        from app.startup import open_demo, open_window
    except ImportError as error:
        if not (error.name or "").startswith("PySide6") and ".so" not in str(error):
            raise
        print(f"The window cannot start, because Qt cannot: {error}.", file=sys.stderr)
        return _NO_WINDOW_CODE
    return open_demo() if request is None else open_window(request)


if __name__ == "__main__":
    sys.exit(main())
