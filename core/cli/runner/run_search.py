"""The search for the runs at a pasted address: what `join`, `inspect` and `peers` share."""

from __future__ import annotations

from core.cli.runner.worker_session import WorkerSession
from core.errors import ErrorKind, UserError
from core.protocol.commands import NetworkMode
from core.protocol.events import RunFound
from core.run.address import JoinAddress
from core.run.manifest import RunManifest
from core.security.sanitize import sanitize_line
from core.texts.run import closed_words, line_of, order_words


def find_runs(
    worker: WorkerSession,
    address: JoinAddress,
    *,
    run_id: str | None,
    network: NetworkMode,
    port: int | None = None,
    manifest: RunManifest | None = None,
    lists_peers: bool = False,
    watches_peers: bool = False,
    waits_for_room: bool = False,
) -> tuple[RunFound, ...]:
    """Return the runs that the swarm publishes, or those of that id; raises UserError if there are none."""
    worker.client.join(
        address,
        run_id=run_id,
        network=network,
        port=port,
        manifest=manifest,
        lists_peers=lists_peers,
        watches_peers=watches_peers,
        waits_for_room=waits_for_room,
    )
    session = worker.wait_until(lambda session: session.is_search_finished)
    wanted = run_id or address.run_id
    runs = tuple(run for run in session.runs if wanted in (None, run.manifest.run.id))
    if not runs:
        raise UserError(ErrorKind.NO_SUCH_RUN, f"No run {wanted} is published there." if wanted else "")
    return runs


def only_run(runs: tuple[RunFound, ...]) -> RunFound:
    """Return the only run, as `one_run` does; raises UserError where it takes nobody, or not this computer, too."""
    found = one_run(runs)
    run = found.manifest.run
    if found.order.state in ("draining", "ended"):
        raise UserError(ErrorKind.RUN_NOT_OPEN, f"{order_words(found.order)}.")
    if run.state != "open":
        notice = f" The organiser says: {sanitize_line(run.notice)}" if run.notice.strip() else ""
        raise UserError(ErrorKind.RUN_NOT_OPEN, f"“{sanitize_line(run.name)}” is {run.state}.{notice}")
    if found.access.standing not in ("open", "invited"):
        has_ended = found.access.standing == "ended"
        raise UserError(ErrorKind.INVITATION_ENDED if has_ended else ErrorKind.NOT_INVITED, closed_words(found))
    return found


def one_run(runs: tuple[RunFound, ...]) -> RunFound:
    """Return the only run, or the only one that the address vouches for; raises UserError for any other number."""
    if len(runs) > 1:
        runs = tuple(run for run in runs if run.vouched) if _have_one_name(runs) else runs
    if len(runs) != 1:
        raise UserError(ErrorKind.SEVERAL_RUNS, "\n".join(_line(run) for run in runs))
    return runs[0]


def _have_one_name(runs: tuple[RunFound, ...]) -> bool:
    """Two organisers who use one run id: --run cannot tell them apart, the address may."""
    return len({run.manifest.run.id for run in runs}) == 1 and any(run.vouched for run in runs)


def _line(run: RunFound) -> str:
    return f"{run.manifest.run.id}: {sanitize_line(run.manifest.run.name, 60)} · {line_of(run)}"
