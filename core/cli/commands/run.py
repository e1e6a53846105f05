"""`run new` and `run check`: write a run file, look for mistakes in one."""

from __future__ import annotations

from core.cli.output.json_lines import print_object
from core.cli.parser.arguments import CheckRunFile, NewRunFile
from core.run.manifest import RunManifest
from core.run.requirements import estimate_requirements
from core.run.run_file import load_run_file, write_template
from core.run.run_file_lint import lint
from core.security.sanitize import sanitize_line
from core.texts.figures import count, size


def new_run_file(command: NewRunFile) -> int:
    """Write the commented template; raises UserError if the file exists already."""
    write_template(command.file)
    if command.json:
        print_object("run_file_written", file=str(command.file))
    else:
        print(f"{command.file} is written. Change it, then: workerbee publish {command.file}")
    return 0


def check_run_file(command: CheckRunFile) -> int:
    """Print what the run will require of its volunteers; raises UserError with every mistake in the file."""
    manifest = load_run_file(command.file)
    (_print_as_json if command.json else _print_for_people)(command, manifest)
    return 0


def _print_as_json(command: CheckRunFile, manifest: RunManifest) -> None:
    needs = estimate_requirements(manifest)
    print_object(
        "run_file_checked",
        file=str(command.file),
        run=manifest.run.id,
        parameters=needs.parameters,
        download_bytes=needs.download_bytes,
        fetched_bytes=needs.fetched_bytes,
        device_memory_bytes=needs.device_memory_bytes,
        host_memory_bytes=needs.host_memory_bytes,
        traffic_bytes=needs.traffic_bytes,
        hints=[str(hint) for hint in lint(manifest)],
    )


def _print_for_people(command: CheckRunFile, manifest: RunManifest) -> None:
    needs = estimate_requirements(manifest)
    print(f"{command.file} is right: “{sanitize_line(manifest.run.name)}”, {count(needs.parameters)} parameters.")
    files = f" and {size(needs.fetched_bytes)} of files" if needs.fetched_bytes else ""
    print(
        f"A volunteer downloads {size(needs.download_bytes)}{files}, needs about "
        f"{size(needs.device_memory_bytes)} on the device and {size(needs.host_memory_bytes)} of ordinary "
        f"memory, and sends and receives up to {size(needs.traffic_bytes)} each in an epoch."
    )
    for hint in lint(manifest):
        print(f"Note: {hint}")
