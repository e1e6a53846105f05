"""`update`: replace the portable form by the newer version that its publisher has announced, if the person agrees."""

from __future__ import annotations

from queue import SimpleQueue

from core.cli.output.json_lines import print_object
from core.cli.parser.update_arguments import UpdateProgram
from core.cli.runner.consent import confirm
from core.cli.runner.context import kept_settings
from core.cli.runner.displays import stream_for_people
from core.control.client import send_command
from core.control.messages import ControlCommand
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.files.locks import try_lock
from core.records.erase import refuse_in_use
from core.texts.figures import size
from core.updates.checker_process import UpdateCheck
from core.updates.notice import PortableFile, UpdateNotice
from core.updates.portable import download_portable, host_of, install_portable
from core.updates.portable_form import is_portable
from core.updates.publisher import Source, source_of
from core.version import own_version


def update(command: UpdateProgram, folders: Folders) -> int:
    """Ask the publisher, then the person, and install; returns 0 where there is nothing to install, too."""
    if not is_portable():
        words = "Only what a .run file has installed updates itself: a .deb is updated by apt, a checkout by git."
        raise UserError(ErrorKind.USAGE, words)
    notice, own = _newest(folders), own_version()
    stream = stream_for_people(command.json)
    is_installed = False
    if not notice.is_newer_than(own):
        print(f"Workerbee {own} is installed; no newer version is announced.", file=stream)
    elif notice.portable is None:
        print(f"Workerbee {notice.version} is announced, without a .run file: see {notice.page}", file=stream)
    else:
        file = notice.portable
        about = f"{size(file.size_bytes)} from {host_of(file)}; its page is {notice.page}"
        print(f"Workerbee {notice.version} can replace {own}: {about}", file=stream, flush=True)
        is_installed = command.yes or confirm("Download and install it?", command.json)
        if is_installed:
            _install(file, folders)
        said = f"Workerbee {notice.version} was started once, and is installed." if is_installed else "Nothing changed."
        print(said, file=stream)
    if command.json:
        print_object("update", version=own, announced=notice.version, installed=is_installed)
    return 0


def _newest(folders: Folders) -> UpdateNotice:
    """What the publisher has announced, asked of the server as the window does, and verified by the publisher's key."""
    source = source_of(kept_settings(folders))
    if source is None:
        raise UserError(ErrorKind.USAGE, "Whoever built this Workerbee has named nobody who announces newer ones.")
    notice = _asked(source, folders)
    if notice is None:
        words = f"{source.host} gave none that the publisher {source.publisher} has signed; the log says more."
        raise UserError(ErrorKind.UPDATE_UNANSWERED, words)
    return notice


def _asked(source: Source, folders: Folders) -> UpdateNotice | None:
    answers: SimpleQueue[UpdateNotice | None] = SimpleQueue()
    check = UpdateCheck(source, folders.data, answers.put)
    check.start()
    try:
        return answers.get()
    finally:
        check.stop()


def _install(file: PortableFile, folders: Folders) -> None:
    _refuse_running(folders)
    program = download_portable(file, folders.cache / "updates", lambda _bytes: None)
    try:
        _refuse_running(folders)
        install_portable(program)
    finally:
        program.unlink(missing_ok=True)


def _refuse_running(folders: Folders) -> None:
    """Raise UserError, STILL_RUNNING: what runs would load the parts that it still lacks from the other version."""
    refuse_in_use(folders)
    service = try_lock(folders.contents.service_lock)
    if service is None:
        raise UserError(ErrorKind.STILL_RUNNING, "The service runs: `systemctl --user stop workerbee` stops it.")
    service.release()
    try:
        send_command(ControlCommand(action="status"), folders.data)
    except UserError as error:
        if error.problem is ErrorKind.NOT_RUNNING:
            return
    raise UserError(ErrorKind.STILL_RUNNING, "The window is open: `workerbee quit` closes it.")
