"""The runs of an order: each is looked for, shown, and agreed to before anything of the first begins."""

from __future__ import annotations

from pathlib import Path

from core.cli.options.shared_options import Order
from core.cli.output.run_review import show_found
from core.cli.parser.arguments import JoinRun
from core.cli.runner.context import CommandContext
from core.cli.runner.displays import console_for, display_for, stream_for_people
from core.cli.runner.run_consent import RunConsent
from core.cli.runner.run_search import find_runs, one_run, only_run
from core.cli.runner.worker_session import WorkerSession
from core.errors import ErrorKind, UserError
from core.hardware.discovery import choose_device
from core.protocol.events import RunFound
from core.records.consents import Consents
from core.records.settings import Settings
from core.run.address import JoinAddress, peer_ids_of
from core.run.run_file import load_run_file
from core.run_order.order import MOST_RUNS, OrderedRun, RunOrder, ordered_run
from core.texts.errors import title_of

_MAY_PASS = frozenset({ErrorKind.NOBODY_ANSWERS, ErrorKind.NO_SUCH_RUN})


def agreed_runs(command: JoinRun, settings: Settings, context: CommandContext) -> tuple[OrderedRun, ...]:
    """The runs of the command that the person agrees to, in their order; raises UserError.

    Of several, one that cannot be reached now is taken where it was agreed to before, and left out where it was not.
    """
    addresses = [JoinAddress.parse(text) for text in (command.address, *command.order.following)]
    if len(addresses) > MOST_RUNS:
        raise UserError(ErrorKind.USAGE, f"At most {MOST_RUNS} runs can be named.")
    runs: list[OrderedRun] = []
    for number, address in enumerate(addresses):
        recipe, run_id = (command.recipe, command.run_id) if number == 0 else (None, None)
        run = _agreed_run(command, address, run_id, recipe, settings, context)
        if run is not None and run.key not in [each.key for each in runs]:
            runs.append(run)
    return tuple(runs)


def run_order(runs: tuple[OrderedRun, ...], order: Order) -> RunOrder:
    """These runs as the person has ordered them."""
    seconds = order.return_after_seconds
    return RunOrder(runs=runs, return_after_minutes=None if seconds is None else round(seconds / 60))


def _agreed_run(
    command: JoinRun,
    address: JoinAddress,
    run_id: str | None,
    recipe: Path | None,
    settings: Settings,
    context: CommandContext,
) -> OrderedRun | None:
    """The run at that address, once the person has agreed to it; ``None`` where they have not."""
    devices = context.devices()
    device = choose_device(devices, settings.device)
    manifest = load_run_file(recipe) if recipe else None
    wanted = run_id or address.run_id or (manifest.run.id if manifest else None)
    consents, network, port = Consents(context.folders.contents.consents_file), settings.network, settings.port

    def show(run: RunFound) -> None:
        show_found(console_for(command.json), run, worker.session, settings, device, devices)

    consent = RunConsent(command, consents, context.stop, show)
    consent.require_possible()
    with WorkerSession(context, display_for(command.json)) as worker:
        try:
            found = find_runs(
                worker, address, run_id=wanted, network=network, port=port, manifest=manifest, waits_for_room=True
            )
        except UserError as error:
            known = _known_run(address, wanted, device.label, consents) if command.order.following else None
            if not command.order.following or error.problem not in _MAY_PASS:
                raise
            _print_left_out(command, address, error, known)
            return known
        run = one_run(found) if command.order.following else only_run(found)
        is_given = consent.is_given(run)
        worker.leave()
    return ordered_run(run, address, device.label, manifest) if is_given else None


def _known_run(address: JoinAddress, run_id: str | None, device: str, consents: Consents) -> OrderedRun | None:
    """The run of that address that was agreed to before, where it is the only one of whoever posted the address."""
    known = [each for each in consents.by(peer_ids_of(address.peers)) if run_id in (None, each.run_id)]
    if len(known) != 1 or (shown := known[0].shown) is None:
        return None
    return ordered_run(RunFound(manifest=shown, organiser=known[0].organiser, vouched=True), address, device)


def _print_left_out(command: JoinRun, address: JoinAddress, error: UserError, known: OrderedRun | None) -> None:
    stream = stream_for_people(command.json)
    where = address.run_id or address.peers[0]
    follows = "You have agreed to it before, so it is tried again later." if known is not None else "It is left out."
    print(f"{where}: {title_of(error.problem)} {follows}", file=stream, flush=True)
