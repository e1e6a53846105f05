"""`run rollback`: all peers of a run that was published here go back to an earlier checkpoint."""

from __future__ import annotations

import time

from core.cli.output.json_lines import print_object
from core.cli.parser.organiser.run_arguments import RollBackRun
from core.cli.runner.consent import confirm
from core.cli.runner.displays import stream_for_people
from core.files.folders import Folders
from core.records.published.rollback_order import checkpoint_to_go_back_to, order_rollback
from core.records.published.runs import PublishedRun, find_published_run


def roll_back(command: RollBackRun, folders: Folders) -> int:
    """Say what is given up, ask, and write it for the process that publishes the run; raises UserError."""
    run = find_published_run(command.run, folders.contents)
    checkpoint_to_go_back_to(run.files, command.epoch)
    stream, run_id = stream_for_people(command.json), run.manifest.run.id
    print(f"All peers of “{run_id}” {_described(run, command.epoch)}", file=stream)
    is_agreed, number = command.yes or confirm("Take the run back?", command.json), 0
    if is_agreed:
        number = order_rollback(run.files, run.organiser, run_id, command.epoch, time.time()).number
        told = "All obey within a minute or two." if run.is_published_now else "They obey once the run is published."
        print(f"{told} The later checkpoints stay for now, so that you can go forward again.", file=stream)
    else:
        print("The run stays where it is.", file=stream)
    if command.json:
        print_object("run_rolled_back", run=run_id, epoch=command.epoch, changed=is_agreed, number=number)
    return 0


def _described(run: PublishedRun, epoch: int) -> str:
    """What a rollback to that epoch does; after another one, the epoch may be a later one."""
    if run.epoch <= epoch:
        return f"go on from epoch {epoch}."
    return f"go back to epoch {epoch}. What was learned up to epoch {run.epoch} is given up."
