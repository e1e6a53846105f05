"""`engine`: show, make or remove what trains."""

from __future__ import annotations

import queue
import sys
import time
from typing import assert_never

from core.cli.parser.engine_arguments import EngineWish, MakeEngine, RemoveEngine, ShowEngine
from core.cli.runner.cancellation import Stop, Stopped
from core.engine.build_selection import Choice, Suited, choose_files, suited_build
from core.engine.file_lists import EngineFiles
from core.engine.install.events import Installed, InstallFailed, InstallProgress, MakingEvent, MakingPaused
from core.engine.install.installer import EngineInstaller
from core.engine.install.offer import EngineOffer
from core.engine.installed import EngineDirectory
from core.engine.python import is_packaged
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.texts import engine as engine_texts
from core.texts import figures
from core.texts.errors import title_of

_LINE_SECONDS = 5.0


def engine(wish: EngineWish, folders: Folders) -> int:
    """Do what was asked; 0 if that has come to a good end."""
    place = EngineDirectory(folders.data)
    match wish:
        case ShowEngine():
            return _show(place)
        case MakeEngine():
            _refuse_in_checkout()
            return _make(wish, folders)
        case RemoveEngine():
            held = place.held_bytes
            with place.try_lock():
                place.remove()
            print(f"Removed: {figures.size(held)} in {place.folder}.")
            return 0
        case _:
            assert_never(wish)


def _show(place: EngineDirectory) -> int:
    if not is_packaged():
        print(f"This is a checkout; its engine is the environment that it runs in: {sys.prefix}.")
        return 0
    engine = place.engine()
    if engine is not None:
        build, size = engine_texts.build(engine.stamp.build), figures.size(place.held_bytes)
        print(f"The engine {build} is in {engine.folder}, {size}.")
    else:
        print(f"{title_of(ErrorKind.ENGINE_NOT_MADE)} `workerbee engine make` makes it.")
    _describe(choose_files(suited_build()), place)
    return 0


def _refuse_in_checkout() -> None:
    if not is_packaged():
        raise UserError(ErrorKind.USAGE, "A checkout's engine is the environment that `make` sets up.")


def _make(wish: MakeEngine, folders: Folders) -> int:
    place = EngineDirectory(folders.data)
    suited = suited_build() if wish.build is None else Suited(wish.build, "no_gpu")
    choice = choose_files(suited)
    if wish.build not in (None, choice.files.build):
        raise UserError(ErrorKind.ENGINE_NOT_OFFERED, f"It has none {engine_texts.build(suited.build)}.")
    _describe(choice, place)
    _follow(choice.files, folders)
    print("The engine is made, and works.")
    return 0


def _describe(choice: Choice, place: EngineDirectory) -> None:
    offer = EngineOffer(place.folder, choice, place.free_bytes)
    for name, text in engine_texts.facts(offer):
        print(f"{name + ':':<10}{text}")


def _follow(files: EngineFiles, folders: Folders) -> None:
    """Until it is made; Ctrl-C stops it, and what was downloaded is kept."""
    events: queue.SimpleQueue[MakingEvent | None] = queue.SimpleQueue()
    stop = Stop(wake=lambda: events.put(None))
    maker = EngineInstaller(files, folders, events.put)
    lines = _Lines()
    with stop.by_signals():
        maker.start()
        while True:
            event = events.get()
            if stop.is_requested:
                maker.stop()
            match event:
                case InstallProgress():
                    lines.show(event)
                case InstallFailed():
                    raise UserError(event.problem, event.detail)
                case MakingPaused():
                    print("\nStopped. What was downloaded is kept; the same command goes on.")
                    raise Stopped(stop.exit_code)
                case Installed():
                    return


class _Lines:
    """One line on a terminal; elsewhere one every few seconds."""

    def __init__(self) -> None:
        self._phase, self._at = "", 0.0

    def show(self, making: InstallProgress) -> None:
        """How far it is."""
        is_new = making.phase != self._phase
        is_due = time.monotonic() - self._at >= _LINE_SECONDS
        if not (sys.stdout.isatty() or is_new or is_due):
            return
        self._phase, self._at = making.phase, time.monotonic()
        is_line_to_replace = sys.stdout.isatty() and not is_new
        start = "\r" if is_line_to_replace else "\n"
        print(f"{start}{engine_texts.progress(making):<78}", end="", flush=True)
