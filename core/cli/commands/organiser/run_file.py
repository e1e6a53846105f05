"""`run new` and `run check`: write a run file, look for mistakes in one."""

from __future__ import annotations

import sys
from dataclasses import asdict

from rich.box import SIMPLE
from rich.table import Table

from core.cli.output.console import PlainConsole
from core.cli.output.json_lines import print_object
from core.cli.parser.organiser.run_arguments import CheckRunFile, NewRunFile
from core.run.manifest import RunManifest
from core.run.requirements import estimate_requirements
from core.run.round_estimate import RoundEstimate, estimate_round
from core.run.run_file import load_run_file, write_template
from core.run.run_file_lint import lint
from core.security.sanitize import sanitize_line
from core.texts.figures import about, count, latency, share, size

VOLUNTEERS = (2, 8, 32)  # sizes of a swarm for which rounds are estimated


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
        experts=None if needs.experts is None else asdict(needs.experts),
        hints=[str(hint) for hint in lint(manifest)],
        rounds=[_as_object(estimate) for estimate in _estimates(command, manifest)],
    )


def _estimates(command: CheckRunFile, manifest: RunManifest) -> list[RoundEstimate]:
    """For swarms of several sizes, where the command names a line."""
    if command.line is None:
        return []
    flop_per_second = command.gpu_tflops * 1e12
    return [estimate_round(manifest, command.line, flop_per_second, volunteers) for volunteers in VOLUNTEERS]


def _as_object(estimate: RoundEstimate) -> dict[str, float]:
    derived = {"training_share": estimate.training_share, "rounds_per_day": estimate.rounds_per_day}
    return asdict(estimate) | derived | {"keeper_bytes_per_day": estimate.keeper_bytes_per_day}


def _print_for_people(command: CheckRunFile, manifest: RunManifest) -> None:
    needs = estimate_requirements(manifest)
    print(f"{command.file} is right: “{sanitize_line(manifest.run.name)}”, {count(needs.parameters)} parameters.")
    files = f" and {size(needs.fetched_bytes)} of files" if needs.fetched_bytes else ""
    print(
        f"A volunteer downloads {size(needs.download_bytes)}{files}, needs about "
        f"{size(needs.device_memory_bytes)} on the device and {size(needs.host_memory_bytes)} of ordinary "
        f"memory, and sends and receives up to {size(needs.traffic_bytes)} each in an epoch."
    )
    if (experts := needs.experts) is not None:
        print(
            f"Volunteers host {count(experts.count)} experts of {count(experts.parameters)} parameters, "
            f"{size(experts.state_bytes)} of memory each; a trainer sends their hosts {size(experts.sent_bytes)} "
            f"for each sample, and receives {size(experts.received_bytes)}."
        )
    for hint in lint(manifest):
        print(f"Note: {hint}")
    _print_estimates(command, manifest)


def _print_estimates(command: CheckRunFile, manifest: RunManifest) -> None:
    """A table of what a line leaves of the computing, a row for each size of the swarm."""
    estimates = _estimates(command, manifest)
    if not estimates:
        return
    any_of_them, *_, largest = estimates
    takes = _takes(any_of_them.exchange_seconds)
    receives = f"as much, which takes {takes}"
    if any_of_them.received_bytes != any_of_them.sent_bytes:
        receives = f"as much of each sender, which takes {takes} to {_takes(largest.exchange_seconds)}"
    print(
        f"\nVolunteers with {command.line} (upload/download) and GPUs that train at {command.gpu_tflops:g} TFLOP/s: "
        f"each sends {size(any_of_them.sent_bytes)} a round and receives {receives}; "
        f"a newcomer's download takes {_takes(any_of_them.newcomer_seconds)}. "
        "The line that a lone keeper needs, and its traffic, are those of each direction. An estimate: nothing was "
        "measured, and no round fails.\n"
    )
    table = Table("volunteers", "a round", "training", "rounds a day", "keeper's line", "its traffic a day", box=SIMPLE)
    for each in estimates:
        table.add_row(
            count(each.volunteers),
            _takes(each.round_seconds),
            share(each.training_share),
            count(round(each.rounds_per_day)),
            f"{count(round(each.keeper_upload / 1e6))} Mbit/s",
            size(each.keeper_bytes_per_day),
        )
    PlainConsole(sys.stdout).print(table)


def _takes(seconds: float) -> str:
    return about(seconds) if seconds >= 1 else latency(seconds)
