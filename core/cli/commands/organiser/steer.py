"""`steer`: what the organiser asks of all peers of a run that was published here, such as to pause."""

from __future__ import annotations

import time

import msgspec

from core.cli.output.json_lines import print_object
from core.cli.parser.organiser.steer_arguments import SteerAction, SteerRun
from core.cli.runner.consent import confirm
from core.cli.runner.displays import stream_for_people
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.records.published.runs import PublishedRun, find_published_run
from core.run.steering.control_value import ControlValue, Order, OrderState
from core.run.steering.kept_control import ask_control, asked_control
from core.security.sanitize import sanitize_line
from core.texts.run import order_words

_ORDERS: dict[SteerAction, OrderState] = {
    "pause": "paused",
    "resume": "running",
    "drain": "draining",
    "end": "ended",
}
_QUESTION = "All peers leave, and none comes back by itself. End the run?"


def steer(command: SteerRun, folders: Folders) -> int:
    """Write the control value, which the process that publishes the run then signs and publishes; print what holds."""
    run = find_published_run(command.run, folders.contents)
    control = asked_control(run.files, run.organiser, run.manifest.run.id)
    if command.action != "show":
        changed = _changed(control, command, time.time())
        if command.action == "end" and not (command.yes or confirm(_QUESTION, command.json)):
            print("The run goes on.", file=stream_for_people(command.json))
            return 0
        control = changed
        ask_control(run.files, control)
    if command.json:
        order = msgspec.to_builtins(control.order)
        print_object("steered", **_of_value(control), order=order)
    _print(run, control, command)
    return 0


def _changed(control: ControlValue, command: SteerRun, now: float) -> ControlValue:
    """The next control value; raises UserError for words that do not fit."""
    text = sanitize_line(command.text, 1000)
    try:
        match command.action:
            case "notice":
                changed = control.noticed(text, now)
            case "minimum-version":
                if not text:
                    raise UserError(ErrorKind.USAGE, "Say which version is the oldest that may take part, or none.")
                changed = control.requiring("" if text == "none" else text, now)
            case action:
                changed = control.ordered(Order(state=_ORDERS[action], since=now, reason=text), now)
        return msgspec.msgpack.decode(msgspec.msgpack.encode(changed), type=ControlValue)
    except msgspec.ValidationError as error:
        raise UserError(ErrorKind.USAGE, f"{error}.") from error


def _of_value(control: ControlValue) -> dict[str, object]:
    return {
        "run": control.run_id,
        "number": control.number,
        "notice": control.notice,
        "minimum_version": control.minimum_version,
    }


def _print(run: PublishedRun, control: ControlValue, command: SteerRun) -> None:
    stream = stream_for_people(command.json)
    print(f"{order_words(control.order) or 'The run goes on'}.", file=stream)
    if control.notice:
        print(f"Notice: {sanitize_line(control.notice)}", file=stream)
    if control.minimum_version:
        print(f"Oldest version that may take part: {control.minimum_version}", file=stream)
    if command.action != "show":
        told = "All peers obey within a minute." if run.is_published_now else "Peers obey once the run is published."
        print(told, file=stream)
