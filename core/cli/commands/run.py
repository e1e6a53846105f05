"""`run new` and `run check`."""

from __future__ import annotations

from core.cli.output.format import count, size
from core.cli.parser.arguments import CheckRunFile, NewRunFile
from core.run.requirements import needs_of
from core.run.run_file import load_run_file, write_template
from core.run.run_file_lint import hints_for
from core.security.sanitize import safe_line


def new_run_file(wish: NewRunFile) -> int:
    """Write the commented template."""
    write_template(wish.file)
    print(f"{wish.file} is written. Change it, then: workerbee publish {wish.file}")
    return 0


def check_run_file(wish: CheckRunFile) -> int:
    """Say what is wrong by raising, or what the run will ask of its volunteers."""
    manifest = load_run_file(wish.file)
    needs = needs_of(manifest)
    print(f"{wish.file} is right: “{safe_line(manifest.run.name)}”, {count(needs.parameters)} parameters.")
    files = f" and {size(needs.fetched_bytes)} of files" if needs.fetched_bytes else ""
    print(
        f"A volunteer downloads {size(needs.download_bytes)}{files}, needs about "
        f"{size(needs.device_memory_bytes)} on the device and {size(needs.host_memory_bytes)} of ordinary "
        f"memory, and sends and receives up to {size(needs.traffic_bytes)} each in an epoch."
    )
    for hint in hints_for(manifest):
        print(f"Note: {hint}")
    return 0
