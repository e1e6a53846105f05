"""What could be made on this computer, looked up without anybody waiting for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.engine.build_selection import Choice, choose_files, suited_build
from core.engine.file_lists import EngineFiles
from core.engine.install.reuse import files_to_fetch
from core.engine.installed import Engine, EngineDirectory
from core.errors import ErrorKind, UserError
from core.localizable import Detail


@dataclass(frozen=True)
class EngineOffer:
    """An engine that may be installed; ``choice`` is ``None`` where there is none, and ``problem`` says why.

    ``is_newer`` where an engine is there already, of other files than these, and these are offered in its place without
    being asked for. ``fetched`` are those of its files that the engine in use has not: they are downloaded, and
    take room.
    """

    folder: Path
    choice: Choice | None = None
    free_bytes: int | None = None
    is_newer: bool = False
    fetched: EngineFiles | None = None
    problem: ErrorKind | None = None
    detail: Detail = ""


def look_up(data: Path, post: Callable[[EngineOffer], None]) -> None:
    """Look for an engine to offer and ``post`` it from another thread: a driver may take its time to answer."""
    threading.Thread(target=lambda: post(offer_for(data)), name="engine-offer", daemon=True).start()


def offer_for(data: Path) -> EngineOffer:
    """The engine to offer, looked up at once; this may wait for a driver."""
    place = EngineDirectory(data)
    folder = place.folder
    try:
        choice = choose_files(suited_build())
    except UserError as error:
        return EngineOffer(folder, problem=error.problem, detail=error.detail)
    engine = place.engine()
    is_newer = engine is not None and _is_newer(engine, choice.files)
    return EngineOffer(folder, choice, place.free_bytes, is_newer, files_to_fetch(engine, choice.files))


def _is_newer(engine: Engine, files: EngineFiles) -> bool:
    """Whether these may take its place; the CPU's never a GPU's, whose driver perhaps only does not answer just now.

    So it is between an update of NVIDIA's driver and the restart that loads it.
    """
    loses_gpu = files.build == "cpu" and engine.metadata.build != "cpu"
    return not loses_gpu and not engine.is_of(files)
