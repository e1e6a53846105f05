"""What a peer has kept of swarms of a run that were given up by a rollback: nobody goes back to them."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path
from urllib.parse import unquote

from core.run.manifest import RunId
from core.run.spec.collaboration import Mode
from core.run.steering.rollback import Rollback, swarm_id

ROUNDS_FOLDER, DOWNLOADS_FOLDER = "rounds", "downloads"  # of a peer; in each, a folder for each swarm

log = logging.getLogger(__name__)


def remove_abandoned(folder: Path, run_id: RunId, mode: Mode, rollback: Rollback | None) -> None:
    """Remove round logs and half downloads of the run's other swarms from a peer's ``folder``.

    They may be as large as the model. What the disk refuses to remove is logged, and stays.
    """
    present = swarm_id(run_id, mode, rollback)
    for kind in (ROUNDS_FOLDER, DOWNLOADS_FOLDER):
        for kept in (folder / kind).glob("*"):
            name = unquote(kept.name)
            if name != present and name.partition("~")[0] == run_id:
                log.info("%s is of a swarm that was given up", kept)
                _remove(kept)


def _remove(kept: Path) -> None:
    try:
        shutil.rmtree(kept)
    except OSError as error:
        log.warning("%s stays: %s", kept, error)
