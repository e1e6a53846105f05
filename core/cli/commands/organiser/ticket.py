"""`ticket`: invite volunteers to a closed run that was published here; or show the key that a ticket is made for."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import msgspec

from core.cli.options.shared_options import require_new_file
from core.cli.output.json_lines import print_object
from core.cli.output.summary import counted
from core.cli.parser.organiser.ticket_arguments import MakeTicket, ShowKey, TicketCommand
from core.cli.runner.displays import stream_for_people
from core.errors import ErrorKind, UserError
from core.files.atomic import save_file, storage_problem
from core.files.folders import Folders
from core.files.locks import PeerFiles
from core.records.published.runs import PublishedRun, find_published_run
from core.run.address import JoinAddress
from core.run.manifest import KeeperId
from core.security.identity import Identity
from core.security.sanitize import sanitize_line
from core.texts import figures
from core.tickets.invitation_text import SEED_BYTES, GivenTicket, InvitationSecret, text_of
from core.tickets.ticket import MOST_USES, Invitation, Ticket, sign_invitation, sign_ticket


def ticket(command: TicketCommand, folders: Folders) -> int:
    """Sign a ticket or an invitation and print the link, or show this computer's key; raises UserError."""
    return _show_key(command, folders) if isinstance(command, ShowKey) else _make(command, folders)


def _show_key(command: ShowKey, folders: Folders) -> int:
    """The key of the first worker that runs here at a time; a second one beside it would have another."""
    folders.prepare()
    own = PeerFiles(folders.contents.peers / "1")
    try:
        own.path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise storage_problem(error, own.path) from error
    key = Identity.load_or_create(own.identity_path).peer_id
    if command.json:
        print_object("key", key=key)
    else:
        print(key)
        print("This is the key of this computer. Send it to the organiser of a closed run, who makes a ticket for it.")
    return 0


def _make(command: MakeTicket, folders: Folders) -> int:
    if command.to is not None:
        require_new_file(command.to)
    run = find_published_run(command.run, folders.contents)
    if not run.manifest.access.tickets:
        raise UserError(
            ErrorKind.USAGE,
            "This run is open to everybody. Write tickets = true under [access] in its run file, and publish it again.",
        )
    organiser = _organiser(run, command.identity)
    text, withdrawn_by = _personal(command, run, organiser) if command.key else _for_many(command, run, organiser)
    link = _link(run, text)
    if command.to is not None:
        save_file(command.to, f"{link}\n".encode())
    _print(command, run, link, withdrawn_by)
    return 0


def _organiser(run: PublishedRun, identity: Path | None) -> Identity:
    """The key pair with which the run is published; raises UserError for another one, and where there is none."""
    path = identity or run.files.identity_path
    if not path.is_file():
        raise UserError(ErrorKind.USAGE, f"There is no key in {path}; name the organiser's key file with --identity.")
    organiser = Identity.load_or_create(path)
    if run.organiser and organiser.peer_id != run.organiser:
        raise UserError(ErrorKind.USAGE, f"The key in {path} is not the one that this run was published with.")
    return organiser


def _personal(command: MakeTicket, run: PublishedRun, organiser: Identity) -> tuple[str, str]:
    """The text of a ticket for one volunteer, and whom to block to withdraw it."""
    try:
        holder = msgspec.convert(command.key, KeeperId)
    except msgspec.ValidationError as error:
        raise UserError(ErrorKind.USAGE, f"“{sanitize_line(command.key or '', 60)}” is not a key: {error}.") from error
    ticket = Ticket(run_id=run.manifest.run.id, organiser=organiser.peer_id, holder=holder, until=command.until)
    return text_of(GivenTicket(sign_ticket(ticket, organiser))), holder


def _for_many(command: MakeTicket, run: PublishedRun, organiser: Identity) -> tuple[str, str]:
    """The text of an invitation with its secret, and whom to block to withdraw it."""
    uses = command.uses or 1
    if uses > MOST_USES:
        raise UserError(ErrorKind.USAGE, f"An invitation has {MOST_USES} uses at the most.")
    seed = os.urandom(SEED_BYTES)
    key = Identity.from_seed(seed).peer_id
    invitation = Invitation(
        run_id=run.manifest.run.id, organiser=organiser.peer_id, key=key, uses=uses, until=command.until
    )
    return text_of(InvitationSecret(sign_invitation(invitation, organiser), seed)), key


def _link(run: PublishedRun, text: str) -> str:
    """The run's address and the invitation as one link; without the address where that is not known."""
    if not run.link:
        return f"invitation={text}"
    return dataclasses.replace(JoinAddress.parse(run.link), invitation=text).secret_link


def _print(command: MakeTicket, run: PublishedRun, link: str, withdrawn_by: str) -> None:
    run_id = run.manifest.run.id
    if command.json:
        shown = {"file": str(command.to)} if command.to else {"link": link}
        print_object("ticket", run=run_id, key=withdrawn_by, until=command.until, **shown)
    stream = stream_for_people(command.json)
    if command.to is not None:
        print(f"The link is in {command.to}.", file=stream)
    elif not command.json:
        print(link)
    uses = command.uses
    whom = "the computer with that key" if uses is None else f"{counted(uses, 'computer')} with this link"
    print(f"It invites {whom} to {sanitize_line(run_id)} until {figures.clock(command.until)}.", file=stream)
    print(f"To withdraw it: workerbee block {withdrawn_by} --run {run_id} --for TIME", file=stream)
