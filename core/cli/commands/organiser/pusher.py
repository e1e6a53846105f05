"""Pushes a run's model to the hub now and then while the run is published, in workers of its own."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from core.cli.commands.organiser.export import push_request
from core.cli.commands.organiser.hub_token import hub_token_file
from core.cli.runner.context import CommandContext
from core.client.client import Client
from core.errors import ErrorKind, UserError
from core.files.atomic import storage_problem
from core.localizable import Detail
from core.protocol.client_events import ClientEvent
from core.protocol.events import CheckpointSaved, Exported, Pushed, TrainingStarted, Warned
from core.records.published.export import export_request
from core.records.published.mirror import add_mirror
from core.records.published.runs import find_published_run

Tell = Callable[[Pushed | Warned], None]


class ModelPusher:
    """Exports and uploads the newest checkpoint every so many epochs; whatever fails is told, and tried next time.

    What is in the folder of a ``mirror`` by then goes along, in the same commit. Everything but the two workers happens
    on the thread of the command's loop. ``tell`` shows what has come of it.
    """

    def __init__(
        self,
        run_id: str,
        repository: str,
        every_epochs: int,
        context: CommandContext,
        tell: Tell,
        mirror: Path | None = None,
    ) -> None:
        self._run_id, self._repository, self._every = run_id, repository, every_epochs
        self._context, self._tell, self._mirror = context, tell, mirror
        self._since_epoch: int | None = None
        self._client: Client | None = None
        self._ends = contextlib.ExitStack()

    def handle_event(self, event: ClientEvent) -> None:
        """Begin after a checkpoint, if so many epochs have passed since the last push and none is under way."""
        match event:
            case TrainingStarted() if self._since_epoch is None:
                self._since_epoch = event.epoch
            case CheckpointSaved() if self._client is None:
                if event.epoch - (self._since_epoch or 0) >= self._every:
                    self._since_epoch = event.epoch
                    self._attempt(self._export)
            case _:
                pass

    def close(self) -> None:
        """End whatever is under way; what is on the hub stays."""
        if self._client is not None:
            self._client.close()
            self._client = None
        self._ends.close()

    def _attempt(self, step: Callable[[], None]) -> None:
        try:
            step()
        except UserError as error:
            self._fail(error.problem, error.detail)
        except OSError as error:
            problem = storage_problem(error, self._context.folders.cache)
            self._fail(problem.problem, problem.detail)

    def _export(self) -> None:
        run = find_published_run(self._run_id, self._context.folders.contents)
        folder = Path(tempfile.mkdtemp(dir=self._context.folders.cache, prefix="push."))
        self._ends.callback(shutil.rmtree, folder, ignore_errors=True)
        self._token = self._ends.enter_context(hub_token_file(self._context.folders))
        self._folder = folder
        self._start(lambda client: client.ask(export_request(run, self._context.folders.data, folder)))

    def _push(self, done: Exported) -> None:
        if self._mirror is not None:
            add_mirror(self._mirror, self._folder)
        request = push_request(self._folder, self._repository, done, self._token)
        self._start(lambda client: client.ask(request))

    def _start(self, begin: Callable[[Client], None]) -> None:
        loop = self._context.loop
        client = Client(
            self._context.folders,
            lambda event: loop.post(partial(self._handle, client, event)),
            worker_command=self._context.worker_command,
        )
        self._client = client
        begin(client)

    def _handle(self, client: Client, event: ClientEvent) -> None:
        """Go on with what the worker says; one that was closed says nothing any more."""
        client.handle(event)
        if client is not self._client or client.session.phase != "ended":
            return
        session = client.session
        if session.problem is not None:
            self._fail(session.problem, session.problem_detail)
        elif session.exported is not None:
            done = session.exported
            self._attempt(lambda: self._push(done))
        elif session.pushed is not None:
            self._finish()
            self._tell(session.pushed)
        else:
            self._fail(ErrorKind.WORKER_CRASHED, "")

    def _fail(self, problem: ErrorKind, detail: Detail) -> None:
        self._finish()
        self._tell(Warned(problem=problem.key, detail=detail))

    def _finish(self) -> None:
        self._client = None
        self._ends.close()
