"""A run whose organiser is lost, and the key of this computer with which it is led on."""

from __future__ import annotations

from pathlib import Path

from core.cli.output.plain import PlainDisplay
from core.cli.runner.context import CommandContext
from core.cli.runner.displays import stream_for_people
from core.cli.runner.run_search import find_runs, one_run
from core.cli.runner.worker_session import WorkerSession
from core.errors import ErrorKind, UserError
from core.files.atomic import storage_problem, write_atomically
from core.files.folders import DataFolder
from core.files.locks import PeerFiles, is_locked
from core.protocol.commands import Succession
from core.records.published.runs import find_published_run
from core.run.address import JoinAddress, UnreadableAddress
from core.run.manifest import RunManifest
from core.run.signed_manifest import SignedManifest
from core.security.identity import Identity


def run_to_take_over(
    asked: str, identity: Path | None, context: CommandContext, *, wants_json: bool
) -> tuple[RunManifest, Succession]:
    """The run at that address, or the one of that id that was taken over from here before; raises UserError.

    Without an ``identity`` the key is made ready in the run's folder: one of this computer's that the run names.
    """
    data = context.folders.contents
    try:
        address = JoinAddress.parse(asked)
    except UnreadableAddress:
        if "/" in asked:
            raise
        return _taken_over_before(asked, data)
    with WorkerSession(context, PlainDisplay(stream_for_people(wants_json))) as worker:
        found = one_run(find_runs(worker, address, run_id=None, network="client"))
        worker.leave()
    if identity is None:
        _bring_key(found.manifest, data)
    return found.manifest, Succession(organiser=found.organiser, addresses=address.peers)


def _taken_over_before(asked: str, data: DataFolder) -> tuple[RunManifest, Succession]:
    run = find_published_run(asked, data)
    try:
        signed = SignedManifest.read(run.files.succeeded_file)
    except (OSError, ValueError) as error:
        raise UserError(ErrorKind.USAGE, f"“{asked}” was not taken over: publish its run file.") from error
    return run.manifest, Succession(organiser=signed.organiser)


def _bring_key(manifest: RunManifest, data: DataFolder) -> None:
    """Put the key that the run names into the run's folder, where that has none; raises UserError."""
    own, named = PeerFiles(data.organiser_of(manifest.run.id)).identity_path, manifest.succession.keys
    if own.is_file() and Identity.load_or_create(own).peer_id in named:
        return
    for folder in sorted(data.peers.glob("*")):
        key = PeerFiles(folder).identity_path
        if own.exists() or not key.is_file() or Identity.load_or_create(key).peer_id not in named:
            continue
        if is_locked(folder):
            raise UserError(ErrorKind.USAGE, "A volunteer with this key is at work on this computer: leave first.")
        try:
            own.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomically(own, key.read_bytes())
        except OSError as error:
            raise storage_problem(error, own) from error
        return
    listed = ", ".join(named) or "none"
    raise UserError(
        ErrorKind.USAGE, f"This computer has no key that the run names under [succession] ({listed}); see --identity."
    )
