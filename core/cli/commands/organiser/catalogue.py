"""`catalogue`: a signed list of runs is made, signed again, and shown."""

from __future__ import annotations

import shlex
import time
from pathlib import Path

import msgspec

from core.catalogue.catalogue import MAX_CATALOGUE_BYTES, Catalogue, CatalogueEntry
from core.catalogue.refusal import RefusedCatalogueError
from core.catalogue.signed_file import SignedCatalogue, moment, read_unsigned, sign_catalogue
from core.catalogue.source import read_catalogue, source_in
from core.cli.output.json_lines import print_object
from core.cli.output.plain import PlainDisplay
from core.cli.output.summary import counted
from core.cli.parser.organiser.catalogue_arguments import AddToCatalogue, CatalogueCommand, ShowCatalogue, SignCatalogue
from core.cli.runner.context import CommandContext, kept_settings
from core.cli.runner.displays import stream_for_people
from core.cli.runner.run_search import find_runs
from core.cli.runner.worker_session import WorkerSession
from core.errors import ErrorKind, UserError
from core.files.atomic import storage_problem, write_atomically
from core.files.folders import DataFolder
from core.files.json_file import FileTooLongError, read_bounded
from core.hardware.device import Device
from core.hardware.discovery import choose_device
from core.protocol.events import RunFound
from core.records.published.runs import find_published_run
from core.run.address import JoinAddress, UnreadableAddress
from core.security.identity import Identity
from core.security.sanitize import sanitize_line
from core.texts.catalogues import entries as texts
from core.texts.catalogues.refusals import refusal_words

_DAY_SECONDS = 86_400
_MENDED_BY_SIGNING = ("unsigned", "wrong_signature", "expired")
_PUBLIC_MODE = 0o644  # a list is for everybody


def catalogue(command: CatalogueCommand, context: CommandContext) -> int:
    """Do what was typed; raises UserError for a list that nobody would accept."""
    try:
        match command:
            case AddToCatalogue():
                return _add(command, context)
            case SignCatalogue():
                return _sign(command, _list_in(command), context)
            case ShowCatalogue():
                return _show(command, context)
    except RefusedCatalogueError as error:
        raise UserError(ErrorKind.CATALOGUE_REFUSED, refusal_words(error.refusal)) from error


def _add(command: AddToCatalogue, context: CommandContext) -> int:
    listed = _list_in(command.signing) if command.signing.file.exists() else _empty(command.signing.file)
    for run in command.runs:
        for entry in _entries(run, command, context):
            try:
                listed = listed.with_entry(entry)
            except ValueError as error:
                raise UserError(ErrorKind.USAGE, f"{str(error).capitalize()}.") from error
    return _sign(command.signing, listed, context)


def _empty(file: Path) -> Catalogue:
    return Catalogue(title=file.stem[:120] or "Runs", made=moment(0), expires=moment(0))


def _list_in(command: SignCatalogue) -> Catalogue:
    try:
        return read_unsigned(read_bounded(command.file, MAX_CATALOGUE_BYTES))
    except FileTooLongError as error:
        raise RefusedCatalogueError("too_large") from error
    except OSError as error:
        raise UserError(ErrorKind.USAGE, f"{command.file} cannot be read: {error.strerror}.") from error


def _entries(asked: str, command: AddToCatalogue, context: CommandContext) -> list[CatalogueEntry]:
    """The runs at an address, or the one that was published from here."""
    try:
        address = JoinAddress.parse(asked)
    except UnreadableAddress as unreadable:
        if "/" in asked and not Path(asked).exists():
            raise unreadable
        return [_published_here(asked, context.folders.contents)]
    found = _runs_at(address, command, context)
    return [
        CatalogueEntry.of_run(run.manifest, run.organiser, JoinAddress(address.peers, run.manifest.run.id).link)
        for run in found
    ]


def _runs_at(address: JoinAddress, command: AddToCatalogue, context: CommandContext) -> list[RunFound]:
    """The runs there for which the address vouches; raises UserError where it vouches for none."""
    with WorkerSession(context, PlainDisplay(stream_for_people(command.signing.json))) as worker:
        found = find_runs(worker, address, run_id=None, network=command.network)
        worker.leave()
    if not (vouched := [run for run in found if run.vouched]):
        names = ", ".join(sanitize_line(run.manifest.run.name, 60) for run in found)
        detail = f"The address vouches for none of the runs there ({names}); use the one that the organiser posted."
        raise UserError(ErrorKind.NO_SUCH_RUN, detail)
    return vouched


def _published_here(asked: str, data: DataFolder) -> CatalogueEntry:
    run = find_published_run(asked, data)
    if not run.link or not run.organiser:
        raise UserError(ErrorKind.USAGE, f"The address of “{sanitize_line(asked)}” is not known: publish it first.")
    return CatalogueEntry.of_run(run.manifest, run.organiser, run.link)


def _sign(command: SignCatalogue, listed: Catalogue, context: CommandContext) -> int:
    publisher = Identity.load_or_create(command.key or context.folders.contents.catalogue_key_file)
    now = time.time()
    listed = msgspec.structs.replace(
        listed,
        title=command.title if command.title is not None else listed.title,
        made=moment(max(now, listed.made.timestamp())),
        expires=moment(now + command.days * _DAY_SECONDS),
    )
    try:
        write_atomically(command.file, sign_catalogue(listed, publisher), mode=_PUBLIC_MODE)
    except OSError as error:
        raise storage_problem(error, command.file) from error
    if command.json:
        print_object("catalogue", file=str(command.file), publisher=publisher.peer_id, **_dates(listed))
    print(
        f"{command.file} has {counted(len(listed.run), 'run')} and is valid until {listed.expires:%Y-%m-%d}.\n"
        f"It is signed with the key {publisher.peer_id}\n"
        "Post that key beside the list's address: volunteers compare it when they add the list.",
        file=stream_for_people(command.json),
    )
    return 0


def _dates(listed: Catalogue) -> dict[str, object]:
    return {"runs": len(listed.run), "made": listed.made.timestamp(), "expires": listed.expires.timestamp()}


def _show(command: ShowCatalogue, context: CommandContext) -> int:
    read = _read_list(command.source)
    devices = context.devices()
    device = choose_device(devices, kept_settings(context.folders).device)
    if command.json:
        print_object("catalogue", publisher=read.publisher, title=read.catalogue.title, **_dates(read.catalogue))
    else:
        print(
            f"{texts.title_of(read.catalogue)}\n"
            f"  signed by  {read.publisher}\n"
            f"  made       {read.catalogue.made:%Y-%m-%d}, valid until {read.catalogue.expires:%Y-%m-%d}"
        )
    for entry in read.catalogue.run:
        _print_entry(entry, device, devices, command.json)
    return 0


def _read_list(source: str) -> SignedCatalogue:
    """The list at an address or in a file; raises UserError, which says of a file what its owner can do."""
    if "://" in source:
        return read_catalogue(source_in(source))
    try:
        return read_catalogue(source_in(str(Path(source).absolute())))
    except RefusedCatalogueError as error:
        words, reason = refusal_words(error.refusal), error.refusal.reason
        if reason == "unreachable":
            raise UserError(ErrorKind.USAGE, words) from error
        if reason not in _MENDED_BY_SIGNING:
            raise
        mended = f"If it is yours: workerbee catalogue sign {shlex.quote(sanitize_line(source))}"
        raise UserError(ErrorKind.CATALOGUE_REFUSED, f"{words} {mended}") from error


def _print_entry(entry: CatalogueEntry, device: Device, devices: tuple[Device, ...], wants_json: bool) -> None:
    fit = texts.fit_of(entry, device, devices)
    if wants_json:
        print_object("run", fit=fit.verdict, **msgspec.to_builtins(entry))
        return
    closed = texts.closed_words(entry)
    print(f"\n{entry.id}: {texts.name_of(entry)}{f' ({closed})' if closed else ''}")
    if description := texts.description_of(entry):
        print("\n".join(f"  {line}" for line in description.splitlines()))
    print(f"  {texts.facts_of(entry)}\n  {texts.fit_words(fit)}\n  {sanitize_line(entry.address, 8192)}")
