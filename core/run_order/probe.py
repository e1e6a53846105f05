"""A look at a run that is not helped now: a worker of its own asks whether it is open and unchanged, and leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.client.client import Client
from core.files.folders import Folders
from core.protocol.client_events import ClientEvent, Obstacle
from core.records.consents import Consents
from core.run_order.engine import RunKey
from core.run_order.obstacle import obstacle_of_problem, obstacle_of_run
from core.run_order.order import OrderedRun

_LEAVE_SECONDS = 5.0


class RunProbe:
    """Looks at one run at a time, through outgoing connections only; on the thread that calls ``handle``.

    ``post`` is called from other threads, too, and queues an event that is then given to ``handle``.
    """

    def __init__(
        self,
        folders: Folders,
        consents: Consents,
        post: Callable[[ClientEvent], None],
        worker_command: Sequence[str] | None = None,
    ) -> None:
        self.found: tuple[RunKey, Obstacle | None] | None = None
        self._consents = consents
        self._client = Client(folders, post, worker_command=worker_command, leave_limit_seconds=_LEAVE_SECONDS)
        self._run: OrderedRun | None = None

    @property
    def is_free(self) -> bool:
        """Whether nothing is looked at, and no answer waits to be taken."""
        return self._run is None and self.found is None and self._client.session.phase in ("idle", "ended")

    def look(self, ordered: OrderedRun) -> None:
        """Look at that run; ``found`` is the answer, once there is one."""
        run, self._run = ordered.run, ordered
        self._client.join(run.address, run_id=run.run_id, network="client", manifest=run.manifest)

    def take(self) -> tuple[RunKey, Obstacle | None] | None:
        """The answer, which is given once: the run, and what is in its way."""
        found, self.found = self.found, None
        return found

    def handle(self, event: ClientEvent) -> None:
        """Take the worker's event, and leave as soon as it has answered."""
        self._client.handle(event)
        session, ordered = self._client.session, self._run
        if ordered is None or not (session.is_search_finished or session.phase == "ended" or session.restarting):
            return
        self._run = None
        if session.is_search_finished:
            run = session.found(*ordered.key)
            self.found = ordered.key, obstacle_of_run(run, self._consents)
        elif session.problem is not None:
            self.found = ordered.key, obstacle_of_problem(session.problem, None)
        else:
            self.found = ordered.key, "unreachable"
        self._client.leave()

    def stop(self) -> None:
        """Give up what is being looked at."""
        self._run = self.found = None
        self._client.leave()

    def close(self) -> None:
        """Give up, and wait until the worker has ended."""
        self.stop()
        self._client.close()
