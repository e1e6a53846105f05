"""What a worker may use of the person's files, by what it was started for; nothing else of the home folder."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from core.files.folders import DataFolder
from core.files.locks import PeerFolder, lock_organiser_folder, lock_peer_folder
from core.protocol.commands import AnyCommand, Join, Publish
from core.protocol.events import Confined
from core.security.confinement.confine import confine
from core.security.confinement.devices import make_gpu_devices
from core.security.confinement.grants import Grant, system_grants
from core.security.identity import Identity


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
    """Confine this process, and all that it will start, to what the command needs.

    The home folder is another one then: libraries would look for their caches in the person's. Raises UserError for
    a key file that cannot be made.
    """
    make_gpu_devices()
    grants = [*system_grants(), Grant(scratch, "write"), *_grants_for(command, keys)]
    confined = Confined(gaps=confine(grants, scratch))
    if "everything" not in confined.gaps:
        home = DataFolder(Path(command.home)).caches if isinstance(command, Join | Publish) else scratch
        os.environ["HOME"] = str(home)
    return confined


def _grants_for(command: AnyCommand, keys: PeerFolder | None) -> Iterator[Grant]:
    """The data folder may be listed, because a limit to its size is kept."""
    if keys is not None:
        yield Grant(keys.path, "write")
    if isinstance(command, Join | Publish):
        data = DataFolder(Path(command.home))
        yield Grant(data.path, "list")
        yield from (_made(folder) for folder in (data.fetched, data.memory, data.caches))
    if isinstance(command, Publish):
        if command.identity is not None:
            Identity.load_or_create(Path(command.identity))
            yield Grant(Path(command.identity), "read")
        if command.mirror is not None:
            yield _made(Path(command.mirror))


def _made(folder: Path) -> Grant:
    """A folder to write in, made if it is not there; who needs it will say why it cannot be made."""
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Grant(folder, "write")
