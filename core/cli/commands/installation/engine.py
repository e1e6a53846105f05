"""`engine`: show, make or remove the training engine."""

from __future__ import annotations

import queue
import sys
import time
from dataclasses import asdict
from typing import assert_never

from core.cli.output.json_lines import print_object
from core.cli.parser.engine_arguments import EngineCommand, MakeEngine, RemoveEngine, ShowEngine
from core.cli.runner.cancellation import Stop, Stopped
from core.cli.runner.displays import stream_for_people
from core.engine.build_selection import Choice, Suited, choose_files, suited_build
from core.engine.file_lists import EngineFiles
from core.engine.install.events import Installed, InstallEvent, InstallFailed, InstallPaused, InstallProgress
from core.engine.install.installer import EngineInstaller
from core.engine.install.offer import EngineOffer
from core.engine.install.reuse import files_to_fetch
from core.engine.installed import EngineDirectory
from core.engine.python import is_packaged
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.texts import engine as engine_texts
from core.texts import figures
from core.texts.errors import title_of

_LINE_SECONDS = 5.0


def engine(command: EngineCommand, folders: Folders) -> int:
    """Show, make or remove the engine; returns 0 if that has succeeded, and raises UserError otherwise."""
    place = EngineDirectory(folders.data)
    match command:
        case ShowEngine():
            _show(place, command.json)
        case MakeEngine():
            _refuse_in_checkout()
            _make(command, folders)
        case RemoveEngine():
            _remove(place, command.json)
        case _:
            assert_never(command)
    return 0


def _show(place: EngineDirectory, wants_json: bool) -> None:
    if not is_packaged():
        if wants_json:
            print_object("engine", build="checkout", folder=sys.prefix)
        else:
            print(f"This is a checkout; its engine is the environment that it runs in: {sys.prefix}.")
        return
    engine = place.engine()
    choice = choose_files(suited_build())
    if wants_json:
        build = engine.metadata.build if engine else None
        print_object("engine", build=build, folder=str(place.folder), bytes=place.held_bytes, **_offer(choice, place))
        return
    if engine is not None:
        build_text, size = engine_texts.build(engine.metadata.build), figures.size(place.held_bytes)
        print(f"The engine {build_text} is in {engine.folder}, {size}.")
    else:
        print(f"{title_of(ErrorKind.ENGINE_NOT_MADE)} `workerbee engine make` makes it.")
    _describe(choice, place)


def _remove(place: EngineDirectory, wants_json: bool) -> None:
    held = place.held_bytes
    with place.try_lock():
        place.remove()
    if wants_json:
        print_object("engine_removed", folder=str(place.folder), bytes=held)
    else:
        print(f"Removed: {figures.size(held)} in {place.folder}.")


def _refuse_in_checkout() -> None:
    if not is_packaged():
        raise UserError(ErrorKind.USAGE, "A checkout's engine is the environment that `make` sets up.")


def _make(command: MakeEngine, folders: Folders) -> None:
    place = EngineDirectory(folders.data)
    suited = suited_build() if command.build is None else Suited(command.build, "no_gpu")
    choice = choose_files(suited)
    if command.build not in (None, choice.files.build):
        raise UserError(ErrorKind.ENGINE_NOT_OFFERED, f"It has none {engine_texts.build(suited.build)}.")
    if command.json:
        print_object("engine_offer", folder=str(place.folder), **_offer(choice, place))
    else:
        _describe(choice, place)
    _follow(choice.files, folders, command.json)
    if command.json:
        print_object("engine_installed", build=choice.files.build, folder=str(place.folder))
    else:
        print("The engine is made, and works.")


def _offer(choice: Choice, place: EngineDirectory) -> dict[str, object]:
    """The build that suits this computer and its size, for programs."""
    fetched = files_to_fetch(place.engine(), choice.files)
    return {
        "suited_build": choice.files.build,
        "download_bytes": fetched.download_bytes,
        "disk_bytes": fetched.disk_bytes,
        "free_bytes": place.free_bytes,
    }


def _describe(choice: Choice, place: EngineDirectory) -> None:
    fetched = files_to_fetch(place.engine(), choice.files)
    offer = EngineOffer(place.folder, choice, place.free_bytes, fetched=fetched)
    for name, text in engine_texts.facts(offer):
        print(f"{name + ':':<10}{text}")


def _follow(files: EngineFiles, folders: Folders, wants_json: bool) -> None:
    """Print the progress until the engine is made; Ctrl-C stops that, and what was downloaded is kept."""
    events: queue.SimpleQueue[InstallEvent | None] = queue.SimpleQueue()
    stop = Stop(wake=lambda: events.put(None))
    installer = EngineInstaller(files, folders, events.put)
    lines = _ProgressLines(wants_json)
    with stop.by_signals():
        installer.start()
        while True:
            event = events.get()
            if stop.is_requested:
                installer.stop()
            match event:
                case InstallProgress():
                    lines.show(event)
                case InstallFailed():
                    raise UserError(event.problem, event.detail)
                case InstallPaused():
                    stream = stream_for_people(wants_json)
                    print("\nStopped. What was downloaded is kept; the same command goes on.", file=stream)
                    raise Stopped(stop.exit_code)
                case Installed():
                    return


class _ProgressLines:
    """Prints the progress as one line on a terminal that is overwritten, elsewhere as one every few seconds."""

    def __init__(self, wants_json: bool) -> None:
        self._wants_json = wants_json
        self._is_overwritten = sys.stdout.isatty() and not wants_json
        self._phase, self._at = "", 0.0

    def show(self, making: InstallProgress) -> None:
        """Print the progress, if a line is due."""
        is_new = making.phase != self._phase
        is_due = time.monotonic() - self._at >= _LINE_SECONDS
        if not (self._is_overwritten or is_new or is_due):
            return
        self._phase, self._at = making.phase, time.monotonic()
        if self._wants_json:
            print_object("install_progress", **asdict(making))
            return
        start = "\r" if self._is_overwritten and not is_new else "\n"
        print(f"{start}{engine_texts.progress(making):<78}", end="", flush=True)
