"""`engine`: show, make or remove what trains."""

from __future__ import annotations

import queue
import sys
import time
from typing import assert_never

from core.cli.output.format import size
from core.cli.output.format import time as duration
from core.cli.parser.engine_arguments import EngineWish, MakeEngine, RemoveEngine, ShowEngine
from core.cli.runner.cancellation import Stop, Stopped
from core.engine.build_selection import Choice, Suited, choose_files, suited_build
from core.engine.file_lists import EngineFiles
from core.engine.install.events import Installed, InstallEvent, InstallFailed, InstallPaused, InstallProgress
from core.engine.install.installer import EngineInstaller
from core.engine.installed import EngineDirectory
from core.engine.python import is_packaged
from core.errors import ErrorKind, UserError
from core.files.folders import Folders

_LINE_SECONDS = 5.0
_NAMES = {
    "cuda13": "for NVIDIA GPUs (CUDA 13)",
    "cuda12": "for NVIDIA GPUs (CUDA 12)",
    "rocm": "for AMD GPUs (ROCm)",
    "cpu": "for the CPU",
}
_PHASES = {"looking": "looking for the files", "installing": "putting it together", "trying": "trying it out"}


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
            print(f"Removed: {size(held)} in {place.folder}.")
            return 0
        case _:
            assert_never(wish)


def _show(place: EngineDirectory) -> int:
    if not is_packaged():
        print(f"This is a checkout; its engine is the environment that it runs in: {sys.prefix}.")
        return 0
    engine = place.engine()
    if engine is not None:
        print(f"The engine {_NAMES[engine.metadata.build]} is in {engine.folder}, {size(place.held_bytes)}.")
    else:
        print(f"{ErrorKind.ENGINE_NOT_MADE.title} `workerbee engine make` makes it.")
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
        raise UserError(ErrorKind.ENGINE_NOT_OFFERED, f"It has none {_NAMES[suited.build]}.")
    _describe(choice, place)
    _follow(choice.files, folders)
    print("The engine is made, and works.")
    return 0


def _describe(choice: Choice, place: EngineDirectory) -> None:
    files = choice.files
    print(f"What suits this computer: {_why(choice)}")
    free = place.free_bytes
    there = f"{size(free)} free" if free is not None else "free space not known"
    print(f"Download {size(files.download_bytes)}; {size(files.disk_bytes)} needed in {place.folder}, {there}.")


def _why(choice: Choice) -> str:
    suited, name = choice.suited, _NAMES[choice.files.build]
    if choice.is_second_best:
        return f"the engine {name}, because {_lack(suited)}"
    match suited.reason:
        case "driver":
            return f"the engine {name}, because the NVIDIA driver is {suited.driver}."
        case "driver_too_old":
            return (
                f"the engine {name}, because the NVIDIA driver {suited.driver} is too old for any build; "
                "update it to 580 or newer to use the GPU."
            )
        case "gpu_too_old":
            return f"the engine {name}, because the GPU's compute capability is {suited.capability}."
        case "amd":
            return f"the engine {name}, because there is an AMD GPU."
        case "no_gpu":
            return f"the engine {name}, because no GPU with a driver was found."


def _lack(suited: Suited) -> str:
    """What would suit is not listed, so the GPU stays idle."""
    if suited.reason == "amd":
        return "there is none for AMD GPUs yet; the AMD GPU that is here stays idle."
    if suited.reason == "gpu_too_old":
        return (
            f"there is none for an NVIDIA GPU of compute capability {suited.capability} yet; "
            "7.5 is the least (GTX 16, RTX 20)."
        )
    return f"there is none for the NVIDIA driver {suited.driver} yet; update it to 580 or newer to use the GPU."


def _follow(files: EngineFiles, folders: Folders) -> None:
    """Until it is made; Ctrl-C stops it, and what was downloaded is kept."""
    events: queue.SimpleQueue[InstallEvent | None] = queue.SimpleQueue()
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
                case InstallPaused():
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
        print(f"\r{_words(making):<78}" if is_line_to_replace else f"\n{_words(making):<78}", end="", flush=True)


def _words(making: InstallProgress) -> str:
    if making.phase != "downloading":
        return f"{_PHASES[making.phase]} …"
    left = f", {duration(making.seconds_left)} left" if making.seconds_left is not None else ""
    speed = f", {size(making.bytes_per_second)}/s" if making.bytes_per_second else ""
    return f"downloading {size(making.done_bytes)} of {size(making.total_bytes)}{speed}{left}"
