"""`forget`: forget who signed a run, so that it may be joined although its organiser's key has changed."""

from __future__ import annotations

from core.cli.output.json_lines import print_object
from core.cli.parser.forget_arguments import ForgetOrganiser
from core.cli.runner.consent import confirm
from core.cli.runner.displays import stream_for_people
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.records.consents import Consents
from core.security.known_organisers import KnownOrganisers
from core.security.sanitize import sanitize_line


def forget(command: ForgetOrganiser, folders: Folders) -> int:
    """Explain what it means, ask, and forget the key; returns 0 if the person does not want it after all, too."""
    known = KnownOrganisers(folders.contents.known_organisers_file)
    organiser = known.organisers().get(command.run_id)
    if organiser is None:
        names = ", ".join(map(sanitize_line, known.organisers()))
        others = f"Those of these runs are: {names}." if names else "No other is, either."
        unknown = f"No organiser of “{sanitize_line(command.run_id)}” is known here. {others}"
        raise UserError(ErrorKind.USAGE, unknown)
    stream = stream_for_people(command.json)
    print(
        f"The run {command.run_id} was signed by {organiser}.\n"
        "Whoever signs it next will be trusted in its place, and decides what this computer trains.\n"
        "Ask the organiser, by another way than the run's address, whether the key was changed.",
        file=stream,
        flush=True,
    )
    is_agreed = command.yes or confirm("Forget its key?", command.json)
    if is_agreed:
        known.forget(command.run_id)
        Consents(folders.contents.consents_file).forget(command.run_id, organiser)
    if command.json:
        print_object("forget", run=command.run_id, organiser=organiser, forgotten=is_agreed)
    print("Forgotten." if is_agreed else "Nothing was forgotten.", file=stream)
    return 0
