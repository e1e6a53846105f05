"""`export`: a run's model in a folder, as transformers, peft or PyTorch load it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from core.cli.commands.organiser.hub_token import hub_token_file, require_hub_token
from core.cli.output.json_lines import print_object
from core.cli.parser.organiser.published_arguments import ExportRun
from core.cli.runner.context import CommandContext
from core.cli.runner.displays import display_for, stream_for_people
from core.cli.runner.worker_session import WorkerSession
from core.client.session import Session
from core.errors import ErrorKind, UserError
from core.files.temp_folder import temp_folder
from core.protocol.commands import Export, Push
from core.protocol.events import Exported
from core.records.published.export import export_request, folder_made_whole
from core.records.published.runs import PublishedRun, find_published_run

_Answer = TypeVar("_Answer")


def export(command: ExportRun, context: CommandContext) -> int:
    """Have a worker write the model beside the folder, and give it the folder's name once it is whole."""
    run = find_published_run(command.run, context.folders.contents)
    _refuse_what_cannot_be(command, run)
    if command.push is not None:
        require_hub_token(context.folders)  # a large model is not written first where nothing could push it
    if command.folder is None:
        with temp_folder() as scratch:
            _export_to(scratch / "model", run, command, context)
    else:
        _export_to(command.folder.absolute(), run, command, context)
    return 0


def _export_to(target: Path, run: PublishedRun, command: ExportRun, context: CommandContext) -> None:
    """Make that folder, say so, and push it if that is wanted."""
    with folder_made_whole(target) as folder:
        request = export_request(
            run, context.folders.data, folder, command.epoch, merge=command.merge, dtype=command.dtype
        )
        done = _answer(request, lambda session: session.exported, command.json, context)
    if command.folder is not None:
        if command.json:
            print_object("export", run=run.manifest.run.id, epoch=done.epoch, folder=str(target))
        words = f"The model of epoch {done.epoch} is in {target}; README.md there says how to load it."
        print(words, file=stream_for_people(command.json), flush=True)
    if command.push is not None:
        with hub_token_file(context.folders) as token:
            pushing = push_request(target, command.push, done, token)
            _answer(pushing, lambda session: session.pushed, command.json, context)


def push_request(folder: Path, repository: str, done: Exported, token_file: Path) -> Push:
    """The command for the worker that uploads an export."""
    loss = "" if done.loss is None else f", held-out loss {done.loss:.4f}"
    return Push(
        folder=str(folder), repository=repository, message=f"Epoch {done.epoch}{loss}", token_file=str(token_file)
    )


def _answer(
    request: Export | Push, answer: Callable[[Session], _Answer | None], wants_json: bool, context: CommandContext
) -> _Answer:
    """What a worker answers that request with."""
    with WorkerSession(context, display_for(wants_json)) as worker:
        worker.client.ask(request)
        answered = answer(worker.wait_until(lambda session: answer(session) is not None))
    assert answered is not None
    return answered


def _refuse_what_cannot_be(command: ExportRun, run: PublishedRun) -> None:
    """Raise UserError, before anything is written or a worker is started."""
    if command.folder is None and command.push is None:
        raise UserError(ErrorKind.USAGE, "Say where to: --to DIR, --push hub://OWNER/NAME, or both.")
    if command.merge and getattr(run.manifest.recipe, "lora", None) is None:
        raise UserError(ErrorKind.USAGE, "--merge is for runs that train adapters (LoRA), and this one trains none.")
    if not run.checkpoints and not run.files.checkpoint_file.exists():
        raise UserError(ErrorKind.NO_CHECKPOINT, f"None is in {run.files.path}.")
