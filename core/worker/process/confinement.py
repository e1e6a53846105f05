"""What a worker may use of the person's files, by what it was started for; nothing else of the home folder."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from core.files.folders import DataFolder
from core.files.locks import PeerFolder, lock_organiser_folder, lock_peer_folder
from core.protocol.commands import AnyCommand, Check, Export, Join, Publish, Push
from core.protocol.events import Confined
from core.security.confinement.confine import confine, confine_ports, leave_descriptors, leave_internet
from core.security.confinement.devices import make_gpu_devices
from core.security.confinement.grants import Grant, system_grants
from core.security.identity import Identity
from core.worker.fetch.fetcher import trusted_ports
from core.worker.process.delegates import start_fetcher, start_network


def lock_own_folder(command: AnyCommand) -> PeerFolder | None:
    """Lock the folder with the keys that this worker will have, if it has any; raises UserError."""
    match command:
        case Join():
            return lock_peer_folder(DataFolder(Path(command.home)))
        case Publish():
            return lock_organiser_folder(DataFolder(Path(command.home)), command.manifest.run.id)
        case _:
            return None


def confine_worker(command: AnyCommand, keys: PeerFolder | None, scratch: Path) -> Confined:
    """Confine this process, and all that it will start, to what the command needs; without the internet, either.

    What needs that is done by two processes that are started before, confined as this one, and each in its own way.
    The home folder is another one then: libraries would look for their caches in the person's. Raises UserError for
    a key file that cannot be made.
    """
    make_gpu_devices()
    grants = [*system_grants(), Grant(scratch, "write"), *_grants_for(command, keys)]
    confined = Confined(gaps=confine(grants, scratch))
    if "everything" not in confined.gaps:
        home = DataFolder(Path(command.home)).caches if isinstance(command, Join | Publish | Export) else scratch
        os.environ["HOME"] = str(home)
        _start_delegates(command, keys, scratch)
        leave_descriptors()
        if isinstance(command, Push):
            confine_ports(trusted_ports())  # it reads nothing of a stranger's but the hub's answers
        else:
            leave_internet()
    return confined


def _start_delegates(command: AnyCommand, keys: PeerFolder | None, scratch: Path) -> None:
    if isinstance(command, Join | Publish) and keys is not None:
        start_network(_identity_path(command, keys), scratch)
    if isinstance(command, Join | Publish | Export):
        start_fetcher(DataFolder(Path(command.home)), scratch)


def _grants_for(command: AnyCommand, keys: PeerFolder | None) -> Iterator[Grant]:
    """The data folder may be listed, because a limit to its size is kept."""
    if keys is not None:
        yield Grant(keys.path, "write")
        Identity.load_or_create(_identity_path(command, keys))
        yield Grant(_identity_path(command, keys), "read")
    if isinstance(command, Join | Publish | Export):
        data = DataFolder(Path(command.home))
        yield Grant(data.path, "list")
        yield from (_made(folder) for folder in (data.fetched, data.memory, data.caches))
    if isinstance(command, Publish) and command.mirror is not None:
        yield _made(Path(command.mirror))
    if isinstance(command, Export):
        yield Grant(Path(command.checkpoint).parent, "read")
        yield Grant(Path(command.folder), "write")
    if isinstance(command, Check) and sys.prefix != sys.base_prefix:
        yield Grant(Path(sys.prefix), "write")  # where Python compiles what is imported; no other worker may
    if isinstance(command, Push):
        yield from (Grant(Path(path), "read") for path in (command.folder, command.token_file))


def _identity_path(command: AnyCommand, keys: PeerFolder) -> Path:
    named = command.identity if isinstance(command, Publish) else None
    return Path(named) if named else keys.identity_path


def _made(folder: Path) -> Grant:
    """A folder to write in, made if it is not there; who needs it will say why it cannot be made."""
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Grant(folder, "write")
