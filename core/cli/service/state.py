"""`service status` and `service remove`."""

from __future__ import annotations

from typing import TextIO

from core.cli.output.json_lines import print_object
from core.cli.parser.service_arguments import RemoveService, ShowService
from core.cli.runner.context import kept_settings
from core.cli.runner.displays import stream_for_people
from core.cli.service.observed_now import unobserved_now
from core.files.folders import Folders
from core.records.unfinished_run import UnfinishedRun, UnfinishedRunFile
from core.run_order.order import RunOrder, RunOrderFile
from core.security.sanitize import sanitize_line
from core.service.platform import service_manager
from core.texts import figures
from core.texts.run_order import switch_words
from core.texts.settings.unobserved_rules import unobserved_words

_SHOWN_SWITCHES = 5
_SENTENCES = {
    "running": "The service runs: journalctl --user -u workerbee tells what it does.",
    "starting": "The service has failed, and starts again in a moment: journalctl --user -u workerbee tells why.",
    "failed": "The service has failed, and waits for you: journalctl --user -u workerbee tells why.",
    "stopped": "The service is stopped: systemctl --user start workerbee starts it.",
}


def show_service(command: ShowService, folders: Folders) -> int:
    """Print whether the service is installed, what it does, for which run, and which rules see nothing here."""
    state = service_manager().state()
    run = UnfinishedRunFile(folders.contents.service_run_file).load()
    order = RunOrderFile(folders.contents.service_order_file).order
    stream = stream_for_people(command.json)
    print(_SENTENCES[state.activity] if state.is_installed else "The service is not installed.", file=stream)
    if state.is_installed and run is not None:
        _print_runs(order, run, stream)
    if state.is_installed and state.starts_at_boot is not None:
        words = "It runs from boot on." if state.starts_at_boot else "It runs while you are logged in."
        print(words, file=stream)
    unobserved = unobserved_now(kept_settings(folders).availability) if state.is_installed else ()
    for rule in unobserved:
        print(f"Note: {unobserved_words(rule)}", file=stream)
    if command.json:
        name = run.run_id if run is not None else ""
        told = {"installed": state.is_installed, "state": state.activity, "run": name, "boot": state.starts_at_boot}
        print_object("service", **told, unobserved=list(unobserved))
    return 0


def _print_runs(order: RunOrder, run: UnfinishedRun, stream: TextIO) -> None:
    """Print its run, or the order of its runs and the last changes between them."""
    if not order.runs:
        print(f"Its run is “{sanitize_line(run.run_id)}”.", file=stream)
        return
    print("Its runs, in their order:", file=stream)
    for number, each in enumerate(order.runs, start=1):
        print(f"  {number}. {sanitize_line(each.name)}", file=stream)
    for switch in order.switches[:_SHOWN_SWITCHES]:
        print(f"  {figures.clock(switch.at)} · {switch_words(switch)}", file=stream)


def remove_service(command: RemoveService, folders: Folders) -> int:
    """Stop the service, which says goodbye to the run, and remove it."""
    was_there = service_manager().remove()
    UnfinishedRunFile(folders.contents.service_run_file).forget()
    RunOrderFile(folders.contents.service_order_file).forget()
    print("Removed." if was_there else "The service is not installed.", file=stream_for_people(command.json))
    if command.json:
        print_object("service", removed=was_there)
    return 0
