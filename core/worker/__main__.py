"""One worker, one life: ``python -m core.worker`` speaks core.protocol on its standard streams."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from core.errors import ErrorKind, UserError
from core.files.temp_folder import lock_temp_folder, remove_temp_folder
from core.protocol.commands import AnyCommand, Check, DryRun, Join, Publish
from core.protocol.events import EngineChecked, Failed, Hello
from core.protocol.types import PROTOCOL_VERSION
from core.version import own_version
from core.worker.network.peer_cache import PeerCache
from core.worker.network.reachability import answering
from core.worker.process.channel import WorkerChannel

log = logging.getLogger(__name__)


def main() -> None:
    """Live one life, then end at once: hivemind's threads are not waited for."""
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    channel = WorkerChannel.claim()
    channel.emit(Hello(protocol=PROTOCOL_VERSION, version=own_version()))
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=channel.leave, daemon=True).start())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    code = _live(channel)
    channel.close()
    logging.shutdown()
    os._exit(code)


def _live(channel: WorkerChannel) -> int:
    try:
        with _own_temporary_folder():
            command = channel.next_command()
            if command is not None:
                _obey(command, channel)
        return 0
    except BaseException as error:
        log.exception("the worker cannot go on")
        channel.emit(_failure(error))
        return 1


@contextlib.contextmanager
def _own_temporary_folder() -> Iterator[None]:
    """For this process and its children, which are killed rather than asked to tidy up."""
    with lock_temp_folder() as scratch:
        tempfile.tempdir = os.environ["TMPDIR"] = str(scratch.path)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                remove_temp_folder(scratch.path)


def _obey(command: AnyCommand, channel: WorkerChannel) -> None:
    """The heavy imports happen here, after hello."""
    from core.worker.process import process_tree as family

    family.found()
    match command:
        case Join():
            met = PeerCache(command.run_id or "", command.addresses, Path(command.home))
            alive = answering(met.addresses)
            from core.worker.roles.volunteer import volunteer

            volunteer(command, alive, channel)
        case Publish():
            from core.worker.roles.organiser import organise

            organise(command, channel)
        case DryRun():
            from core.worker.roles.dry_run import run_dry_run

            run_dry_run(command, channel)
        case Check():
            channel.emit(_check_engine())
        case _:
            raise UserError(ErrorKind.WORKER_NONSENSE, f"A life cannot begin with {type(command).__name__}.")


def _check_engine() -> EngineChecked:
    import torch

    from core.worker.swarm import HIVEMIND_VERSION

    names = tuple(torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count()))
    return EngineChecked(torch=str(torch.__version__), hivemind=HIVEMIND_VERSION, cuda_devices=names)


def _failure(error: BaseException) -> Failed:
    """The event for an error: in words where it was foreseen, as an internal problem where it was not."""
    if isinstance(error, UserError):
        return Failed(problem=error.problem.key, detail=error.detail)
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return Failed(problem=ErrorKind.OUT_OF_MEMORY.key)
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return Failed(problem=ErrorKind.DISK_FULL.key, detail=str(error.filename or ""))
    if isinstance(error, ModuleNotFoundError):
        return Failed(problem=ErrorKind.ENGINE_MISSING.key, detail=f"The module {error.name} is missing.")
    return Failed(problem=ErrorKind.INTERNAL.key, detail=f"{type(error).__name__}: see the log.")


if __name__ == "__main__":
    main()
