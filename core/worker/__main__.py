"""The worker process: ``python -m core.worker`` speaks core.protocol on its standard streams."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from core.errors import ErrorKind, UserError
from core.files.atomic import DISK_FULL_CODES
from core.files.locks import PeerFolder
from core.files.temp_folder import temp_folder
from core.localizable import localized
from core.protocol.commands import AnyCommand, Check, DryRun, Export, Join, Publish, Push
from core.protocol.events import EngineChecked, Failed, Hello
from core.protocol.types import PROTOCOL_VERSION
from core.version import own_version
from core.worker.delegation.download_limit import share_download_limit
from core.worker.delegation.tcp_counting import share_tcp_traffic
from core.worker.network.peer_cache import PeerCache
from core.worker.network.reachability import answering_addresses
from core.worker.process.channel import WorkerChannel
from core.worker.process.confinement import confine_worker, lock_own_folder
from core.worker.process.cpu_priority import CPU_PRIORITY
from core.worker.process.supervisor import Supervisor, log_unhandled_exceptions

log = logging.getLogger(__name__)


def main(make_supervisor: Callable[[WorkerChannel], Supervisor] = Supervisor) -> None:
    """Serve one command and end at once: hivemind's threads are not waited for."""
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    log_unhandled_exceptions()
    CPU_PRIORITY.lower()
    channel = WorkerChannel.take_over_stdio()
    supervisor = make_supervisor(channel)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))  # nothing has begun yet
    command = channel.greet(Hello(protocol=PROTOCOL_VERSION, version=own_version()))
    code = _run(command, channel, supervisor)
    channel.close()
    logging.shutdown()
    os._exit(code)


def leave_on_sigterm(channel: WorkerChannel, supervisor: Supervisor) -> None:
    """Install a handler that leaves as the client's Leave does.

    It does so in a thread, because a handler interrupts the main thread, which may hold the locks that it takes.
    """
    signal.signal(signal.SIGTERM, lambda *_: supervisor.start("SIGTERM", channel.leave))


def _run(command: AnyCommand | None, channel: WorkerChannel, supervisor: Supervisor) -> int:
    """Serve the first command, confined as it needs; the exit code of the process."""
    if command is None:
        return 0
    try:
        with _own_temp_folder() as scratch:
            keys = lock_own_folder(command)
            share_download_limit()
            share_tcp_traffic()
            channel.emit(confine_worker(command, keys, scratch))
            channel.start(supervisor.start)
            leave_on_sigterm(channel, supervisor)
            _serve(command, keys, channel, supervisor)
        return 0
    except BaseException as error:
        log.exception("the worker cannot go on")
        channel.start(supervisor.start)
        channel.emit(_failure(error))
        return 1


@contextlib.contextmanager
def _own_temp_folder() -> Iterator[Path]:
    """A folder for this process and its children, which are killed rather than asked to clean up."""
    with temp_folder() as own:
        tempfile.tempdir = os.environ["TMPDIR"] = str(own)
        yield own


def _serve(command: AnyCommand, keys: PeerFolder | None, channel: WorkerChannel, supervisor: Supervisor) -> None:
    """Play the role that the command asks for; torch and hivemind are imported here, after Hello was sent."""
    from core.worker.process.process_tree import setup_fork_handling

    setup_fork_handling()
    match command:
        case Join() if keys is not None:
            peer_cache = PeerCache.load(command.addresses, Path(command.home), command.run_id)
            alive = answering_addresses(peer_cache.addresses)
            from core.worker.roles.volunteer import run_volunteer

            run_volunteer(command, alive, peer_cache, keys, channel, supervisor)
        case Publish() if keys is not None:
            from core.worker.roles.organiser import run_organiser

            run_organiser(command, keys, channel, supervisor)
        case DryRun():
            from core.worker.roles.dry_run import run_dry_run

            run_dry_run(command, channel, supervisor)
        case Export():
            from core.worker.roles.export import run_export

            run_export(command, channel, supervisor)
        case Push():
            from core.worker.roles.push import run_push

            run_push(command, Path(tempfile.gettempdir()), channel, supervisor)
        case Check():
            channel.emit(_check_engine())
        case _:
            raise UserError(
                ErrorKind.WORKER_NONSENSE, localized("A worker cannot begin with %1.", type(command).__name__)
            )


def _check_engine() -> EngineChecked:
    """Load what a worker needs; Python also compiles it then, which one that trains would do at each of its starts."""
    import torch

    import core.worker.roles.organiser
    import core.worker.roles.volunteer  # noqa: F401
    from core.worker.compute.device import usable_gpu_names
    from core.worker.swarm import HIVEMIND_VERSION

    version = str(torch.__version__)
    return EngineChecked(torch=version, hivemind=HIVEMIND_VERSION, cuda_devices=usable_gpu_names())


def _failure(error: BaseException) -> Failed:
    """The Failed event of an exception: in its own words where it was foreseen, else as an internal error."""
    if isinstance(error, UserError):
        return Failed(problem=error.problem.key, detail=error.detail)
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return Failed(problem=ErrorKind.OUT_OF_MEMORY.key)
    if isinstance(error, OSError) and error.errno in DISK_FULL_CODES:
        where = "" if error.filename is None else f"{error.filename}: "
        return Failed(problem=ErrorKind.DISK_FULL.key, detail=f"{where}{error.strerror}.")
    if isinstance(error, ModuleNotFoundError):
        return Failed(problem=ErrorKind.ENGINE_MISSING.key, detail=localized("The module %1 is missing.", error.name))
    if _is_of_gpu(error):
        first_line = next(iter(str(error).splitlines()), type(error).__name__)
        return Failed(problem=ErrorKind.WORKER_CRASHED.key, detail=localized("The GPU has failed: %1.", first_line))
    return Failed(problem=ErrorKind.INTERNAL.key, detail=localized("%1: see the log.", type(error).__name__))


def _is_of_gpu(error: BaseException) -> bool:
    """Whether CUDA or a library of it has failed, as torch reports it; only another process can use the GPU then."""
    of_library = isinstance(error, RuntimeError) and str(error).startswith(("CUDA error", "CUDA driver error", "cuDNN"))
    return type(error).__name__ == "AcceleratorError" or of_library


if __name__ == "__main__":
    main()
