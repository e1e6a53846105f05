"""`run edit`: change numbers and data of a run that was published here while it goes on, for all in the same epoch."""

from __future__ import annotations

import time
from collections.abc import Iterator

import msgspec

from core.cli.output.json_lines import print_object
from core.cli.parser.organiser.run_arguments import EditRun
from core.cli.runner.consent import confirm
from core.cli.runner.displays import stream_for_people
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.records.published.runs import find_published_run
from core.run.consent import changes_between
from core.run.manifest import RunManifest
from core.run.run_file import load_run_file
from core.run.spec.data import SumsData
from core.run.steering.control_value import ControlValue
from core.run.steering.data_change import data_error, latest_data
from core.run.steering.edit import Numbers, edit_error, latest_numbers, numbers_of
from core.run.steering.kept_control import ask_control, asked_control

_ADVICE = "Publish the run file anew for that: volunteers are shown what has changed, and asked."
_PATHS = ("optimizer.learning_rate", "collaboration.target_batch_size", "collaboration.max_round_seconds")
_DATA = "data."


def edit_run(command: EditRun, folders: Folders) -> int:
    """Show what changes, ask, and write it for the process that publishes the run; raises UserError."""
    run = find_published_run(command.run, folders.contents)
    wanted, control = load_run_file(command.file), asked_control(run.files, run.organiser, run.manifest.run.id)
    _refuse_other_changes(run.manifest, wanted)
    if error := edit_error(run.manifest, numbers_of(wanted)) or data_error(run.manifest, wanted.data):
        raise UserError(ErrorKind.USAGE, f"{error}. {_ADVICE}")
    lines, stream = list(_changed(run.manifest, control, wanted)), stream_for_people(command.json)
    print("\n".join(lines) or "Nothing changes.", file=stream)
    is_agreed = bool(lines) and (command.yes or confirm("Change that for all peers?", command.json))
    if is_agreed:
        control = _edited(run.manifest, control, wanted, run.epoch)
        ask_control(run.files, control)
        print(_when(control, run.is_published_now), file=stream)
    if command.json:
        print_object("run_edited", run=control.run_id, changed=is_agreed, number=control.number, changes=lines)
    return 0


def _refuse_other_changes(published: RunManifest, wanted: RunManifest) -> None:
    """Raise UserError where the run file differs in anything that cannot be changed while the run goes on."""
    if wanted.run.id != published.run.id:
        raise UserError(ErrorKind.USAGE, f"The run file is of the run “{wanted.run.id}”, not “{published.run.id}”.")
    changes = [(f"{each.section}.{each.field}", each.before, each.after) for each in changes_between(published, wanted)]
    changes += [
        (f"run.{name}", getattr(published.run, name), getattr(wanted.run, name))
        for name in msgspec.structs.asdict(published.run)
        if getattr(published.run, name) != getattr(wanted.run, name)
    ]
    may_exchange = published.steering.data and not isinstance(published.data, SumsData)
    others = [
        f"{path}: {before} → {after}"
        for path, before, after in changes
        if path not in _PATHS and not (may_exchange and path.startswith(_DATA))
    ]
    if others:
        lines = "; ".join(others)
        raise UserError(ErrorKind.USAGE, f"This cannot be changed while the run goes on: {lines}. {_ADVICE}")


def _changed(published: RunManifest, control: ControlValue, wanted: RunManifest) -> Iterator[str]:
    """Each number and each field of the data that changes, as it is and as it becomes."""
    before, after = latest_numbers(published, control.edits), numbers_of(wanted)
    for path, name in zip(_PATHS, Numbers.__struct_fields__, strict=True):
        was, becomes = getattr(before, name), getattr(after, name)
        if was != becomes:
            yield f"{path}: {was:g} → {becomes:g}"
    now = msgspec.structs.replace(wanted, data=latest_data(published, control.data_changes))
    for change in changes_between(now, wanted):
        yield f"{change.section}.{change.field}: {change.before} → {change.after}"


def _when(control: ControlValue, is_published_now: bool) -> str:
    if not is_published_now:
        return "It holds from the next start on."
    words = "It holds for all peers from the same epoch on, in about half a minute."
    if any(each.from_epoch is None for each in control.data_changes):
        words += " Other data hold once the peer that publishes the run has opened them, and not at all if it cannot."
    return words


def _edited(published: RunManifest, control: ControlValue, wanted: RunManifest, epoch: int) -> ControlValue:
    """The control value that asks for the numbers and the data of that run file; raises UserError.

    The run has come to that epoch at the least.
    """
    numbers, data, now = numbers_of(wanted), wanted.data, time.time()
    if numbers != latest_numbers(published, control.edits):
        control = control.edited(numbers, numbers_of(published), now, epoch)
    if not isinstance(data, SumsData) and data != latest_data(published, control.data_changes):
        control = control.exchanged(data, published, now, epoch)
    return control
