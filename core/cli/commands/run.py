"""`run new` and `run check`."""

from __future__ import annotations

from core.cli.parser.arguments import CheckRunFile, NewRunFile
from core.run.requirements import estimate_requirements
from core.run.run_file import load_run_file, write_template
from core.run.run_file_lint import lint
from core.security.sanitize import sanitize_line
from core.texts.figures import count, size


def new_run_file(wish: NewRunFile) -> int:
    """Write the commented template."""
    write_template(wish.file)
    print(f"{wish.file} is written. Change it, then: workerbee publish {wish.file}")
    return 0


def check_run_file(wish: CheckRunFile) -> int:
    """Say what is wrong by raising, or what the run will ask of its volunteers."""
    manifest = load_run_file(wish.file)
    needs = estimate_requirements(manifest)
    print(f"{wish.file} is right: “{sanitize_line(manifest.run.name)}”, {count(needs.parameters)} parameters.")
    files = f" and {size(needs.fetched_bytes)} of files" if needs.fetched_bytes else ""
    print(
        f"A volunteer downloads {size(needs.download_bytes)}{files}, needs about "
        f"{size(needs.device_memory_bytes)} on the device and {size(needs.host_memory_bytes)} of ordinary "
        f"memory, and sends and receives up to {size(needs.traffic_bytes)} each in an epoch."
    )
    for hint in lint(manifest):
        print(f"Note: {hint}")
    return 0
