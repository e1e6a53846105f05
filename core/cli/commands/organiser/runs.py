"""`runs`: what is published, and was published, from this computer; and the runs that it helps, in their order."""

from __future__ import annotations

from core.cli.output.json_lines import print_object
from core.cli.parser.organiser.published_arguments import ListRuns
from core.cli.runner.displays import stream_for_people
from core.files.folders import Folders
from core.records.published.checkpoint_header import KeptCheckpoint
from core.records.published.runs import PublishedRun, published_runs
from core.run_order.order import RunOrderFile
from core.security.sanitize import sanitize_line
from core.texts import figures
from core.texts.run import order_words, rollback_words


def runs(command: ListRuns, folders: Folders) -> int:
    """Print every run that has a folder here, and what is in that, and the order; programs get an object for each."""
    found, helped = published_runs(folders.contents), RunOrderFile(folders.contents.run_order_file).order.runs
    for run in found:
        if command.json:
            _print_object(run)
        else:
            print("\n".join(_lines(run)))
    if not found:
        print("No run was published from here.", file=stream_for_people(command.json))
    if helped and not command.json:
        print("Runs that the window helps, in this order:")
    for place, ordered in enumerate(helped, 1):
        name, run_id = sanitize_line(ordered.name), sanitize_line(ordered.run.run_id)
        if command.json:
            print_object("run_in_order", place=place, id=run_id, name=name, organiser=ordered.run.organiser)
        else:
            print(f"  {place}. {name} ({run_id})")
    return 0


def _lines(run: PublishedRun) -> list[str]:
    info, kept, scores = run.manifest.run, run.checkpoints, run.scores
    control = run.control
    order, rollback = order_words(control.order), rollback_words(control.rollback)
    last = f"loss {figures.loss(scores[-1].loss)} after epoch {scores[-1].epoch}" if scores else "none yet"
    return [
        f"{sanitize_line(info.id)}: {sanitize_line(info.name)}",
        f"  state        {'published now' if run.is_published_now else 'not published now'}, {info.state}",
        *([f"  order        {order}"] if order else []),
        *([f"  taken back   {rollback}"] if rollback else []),
        f"  address      {sanitize_line(run.link) or 'not known'}",
        f"  epoch        {run.epoch}",
        f"  evaluation   {last}",
        f"  checkpoints  {', '.join(map(_words, kept)) or 'none'}",
        f"  folder       {run.files.path}",
    ]


def _words(kept: KeptCheckpoint) -> str:
    return f"epoch {kept.epoch}" + (f" (loss {figures.loss(kept.loss)})" if kept.loss is not None else "")


def _print_object(run: PublishedRun) -> None:
    print_object(
        "run",
        id=run.manifest.run.id,
        name=run.manifest.run.name,
        state=run.manifest.run.state,
        order=run.control.order.state,
        revision=run.manifest.revision,
        published=run.is_published_now,
        organiser=run.organiser,
        address=run.link,
        epoch=run.epoch,
        evaluations=[{"epoch": each.epoch, "loss": each.loss} for each in run.scores],
        checkpoints=[{"epoch": each.epoch, "loss": each.loss, "file": str(each.path)} for each in run.checkpoints],
        folder=str(run.files.path),
    )
