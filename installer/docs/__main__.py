"""Write the generated regions of resources/docs anew, or see whether they are behind.

python -m installer.docs [--check]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from core.files.documents import FOLDER
from installer.docs.command_line import command_reference
from installer.docs.engines import engine_table, large_library_table
from installer.docs.errors import error_catalogue, exit_codes
from installer.docs.messages import commands, events
from installer.docs.packages import floor_table, package_table
from installer.docs.regions import with_region
from installer.docs.run_file import run_file_reference
from installer.docs.systems import system_table

REGIONS: dict[str, dict[str, Callable[[], str]]] = {
    "architecture.md": {"packages": package_table, "floors": floor_table},
    "command-line.md": {"commands": command_reference, "exit codes": exit_codes},
    "installation.md": {
        "engines": engine_table,
        "large libraries": large_library_table,
        "systems": system_table,
    },
    "protocol.md": {"protocol commands": commands, "protocol events": events},
    "run-file-reference.md": {"run file": run_file_reference},
    "user-guide.md": {"errors": error_catalogue},
}


def main(words: Sequence[str] | None = None) -> int:
    """Whether all documents are up to date by now, as an exit code."""
    parser = argparse.ArgumentParser(prog="python -m installer.docs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing, only look")
    is_check = parser.parse_args(words).check
    behind = {name: text for name in REGIONS if (text := generated(name)) != _text_of(name)}
    for name, text in behind.items():
        if is_check:
            print(f"{name} is behind; run: python -m installer.docs", file=sys.stderr)
        else:
            (FOLDER / name).write_text(text, "utf-8")
    return 1 if is_check and behind else 0


def generated(name: str) -> str:
    """That document as it should be, its generated regions filled from the code."""
    text = _text_of(name)
    for region, content in REGIONS[name].items():
        text = with_region(text, region, content())
    return text


def _text_of(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


if __name__ == "__main__":
    sys.exit(main())
