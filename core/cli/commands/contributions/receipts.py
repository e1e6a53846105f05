"""`receipts`: write what was signed for this computer to a file, or verify such a file."""

from __future__ import annotations

import subprocess

import msgspec

from core.cli.options.shared_options import require_new_file
from core.cli.output.json_lines import print_object
from core.cli.output.summary import counted
from core.cli.parser.contribution_arguments import ExportReceipts, ReceiptCommand, VerifyReceipts
from core.engine.python import engine_python
from core.engine.worker_command import worker_environment
from core.errors import ErrorKind, UserError
from core.files.atomic import save_file
from core.files.folders import Folders
from core.records.receipts import ReceiptBook
from core.run.receipt_file import ReceiptFile, Verified
from core.security.sanitize import sanitize_line
from core.texts import figures

_LIMIT_SECONDS = 60.0


def receipts(command: ReceiptCommand, folders: Folders) -> int:
    """Do what the action says; raises UserError."""
    if isinstance(command, ExportReceipts):
        return _export(command, folders)
    return _verify(command, folders)


def _export(command: ExportReceipts, folders: Folders) -> int:
    require_new_file(command.file)
    kept = ReceiptBook(folders.contents.receipts_file).all()
    save_file(command.file, msgspec.json.encode(ReceiptFile(receipts=kept)))
    if command.json:
        print_object("receipts_exported", file=str(command.file), receipts=len(kept))
    else:
        print(f"{counted(len(kept), 'receipt')} saved as {command.file.absolute()}.")
    return 0


def _verify(command: VerifyReceipts, folders: Folders) -> int:
    """Print each receipt with what has become of it; any that does not hold is an error."""
    verified = _verified(command, folders)
    for each in verified:
        if command.json:
            print_object("receipt_verified", **msgspec.to_builtins(each))
        else:
            print(_line(each))
    refused = sum(bool(each.error) for each in verified)
    if refused:
        raise UserError(ErrorKind.RECEIPTS_REFUSED, f"{refused} of {len(verified)} do not hold.")
    return 0


def _verified(command: VerifyReceipts, folders: Folders) -> list[Verified]:
    """In a process of the engine, which has what verifies signatures."""
    if not command.file.is_file():
        raise UserError(ErrorKind.USAGE, f"There is no file {command.file}.")
    words = [str(command.file.absolute()), *([command.key] if command.key else [])]
    done = subprocess.run(
        [str(engine_python(folders.data)), "-P", "-m", "core.run.receipt_file", *words],
        env=worker_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_LIMIT_SECONDS,
        check=False,
    )
    if done.returncode != 0:
        words_of = sanitize_line(done.stderr[-1000:].decode("utf-8", "replace"), 300)
        raise UserError(ErrorKind.USAGE, f"{command.file}: {words_of}")
    return msgspec.json.decode(done.stdout, type=list[Verified])


def _line(each: Verified) -> str:
    run, signer = sanitize_line(each.run_id, 64), sanitize_line(each.signer, 64)
    claim = f"key {each.key}: {figures.count(each.samples)} samples up to epoch {each.epoch} of {run}, by {signer}"
    return f"refused, {each.error}: {claim}" if each.error else f"holds: {claim}"
