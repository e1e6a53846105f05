"""The training engine in words: its build, the reason for it, the progress of its installation."""

from __future__ import annotations

from typing import get_args

from core.engine.build_selection import Choice, Suited
from core.engine.builds import CUDA_BUILDS, BuildName, OwnIndexBuild
from core.engine.install.events import InstallProgress
from core.engine.install.offer import EngineOffer
from core.engine.pythons import this_python
from core.placeholders import fill_placeholders
from core.texts import figures
from core.texts.device import unused_words, why_unused
from core.texts.localization import translate


def build(name: BuildName) -> str:
    """Return the hardware that a build is for."""
    match name:
        case "cuda13":
            return translate("Engine", "for NVIDIA GPUs (CUDA 13)")
        case "cuda128":
            return translate("Engine", "for NVIDIA GPUs with older drivers (CUDA 12.8)")
        case "cuda126":
            return translate("Engine", "for older NVIDIA GPUs (CUDA 12.6)")
        case "rocm":
            return translate("Engine", "for AMD GPUs (ROCm)")
        case "xpu":
            return translate("Engine", "for Intel GPUs (XPU)")
        case "cpu":
            return translate("Engine", "for the CPU")


def why(choice: Choice) -> str:
    """Return why this build was chosen for this computer."""
    suited = choice.suited
    if choice.is_second_best and suited.build in get_args(OwnIndexBuild):
        return _why_not_listed(suited)
    match suited.reason:
        case "driver":
            return fill_placeholders(translate("Engine", "The NVIDIA driver is %1."), suited.driver)
        case "gpu_old":
            return fill_placeholders(
                translate("Engine", "The NVIDIA GPU's compute capability is %1."), suited.capability
            )
        case "driver_too_old" | "gpu_too_old" | "python_too_new":
            return _why_idle(suited)
        case "amd":
            return translate("Engine", "There is an AMD GPU.")
        case "intel":
            return translate("Engine", "There is an Intel GPU.")
        case "unused_gpu" if suited.unused is not None:
            return unused_words((suited.unused,))
        case "unused_gpu" | "no_gpu":
            return translate("Engine", "No GPU with a driver was found.")


def _why_not_listed(suited: Suited) -> str:
    """Return that there is no list of files for the GPU's build, and the command that makes one."""
    words = (
        why_unused(suited.unused)
        if suited.unused is not None
        else translate("Engine", "There is an AMD GPU, but no engine for it yet, so the CPU computes.")
    )
    return f"{words} {how_to_list(suited.build)}"


def how_to_list(name: BuildName) -> str:
    """Return who can list the files of a build whose PyTorch is in an index of its own, and the command for it."""
    words = translate(
        "Engine", "Whoever reaches a package index with PyTorch for it can list the engine's files, in a checkout: %1"
    )
    return fill_placeholders(words, f"python -m installer.package.engine_lists --engine {name} --index URL")


def _why_idle(suited: Suited) -> str:
    """Return why the NVIDIA GPU computes nothing, and what would change that."""
    oldest = CUDA_BUILDS[-1]
    if suited.reason == "driver_too_old":
        words = translate(
            "Engine",
            "The NVIDIA driver %1 is too old for any build: update it to 580 or newer to use the GPU.",
        )
        return fill_placeholders(words, suited.driver)
    if suited.reason == "gpu_too_old":
        words = translate(
            "Engine",
            "The NVIDIA GPU is too old for any build, so the CPU computes: its compute capability is %1, "
            "and %2 is the least (%3).",
        )
        least = ".".join(map(str, oldest.least_capability))
        return fill_placeholders(words, suited.capability, least, oldest.gpus)
    words = translate(
        "Engine",
        "The build for an NVIDIA GPU of compute capability %1 is for Python %2 to %3, and this is %4, "
        "so the CPU computes.",
    )
    return fill_placeholders(words, suited.capability, oldest.pythons[0], oldest.pythons[-1], this_python())


def facts(offer: EngineOffer) -> list[tuple[str, str]]:
    """Return what a person agrees to, name by name: build, download, disk space, folder."""
    if offer.choice is None:
        return []
    files = offer.choice.files
    fetched = offer.fetched or files
    free = figures.unknown() if offer.free_bytes is None else figures.size(offer.free_bytes)
    room = fill_placeholders(translate("Engine", "%1 needed, %2 free"), figures.size(fetched.disk_bytes), free)
    return [
        (translate("Engine", "Build"), f"{build(files.build)}. {why(offer.choice)}"),
        (translate("Engine", "Download"), figures.size(fetched.download_bytes)),
        (translate("Engine", "Disk"), room),
        (translate("Engine", "Folder"), str(offer.folder)),
    ]


def progress(making: InstallProgress) -> str:
    """Return the progress of an installation in one line."""
    match making.phase:
        case "looking":
            return translate("Engine", "Looking for the files …")
        case "installing":
            return translate("Engine", "Putting it together …")
        case "trying":
            return translate("Engine", "Trying it out …")
        case "downloading":
            return " · ".join(_download(making))


def _download(making: InstallProgress) -> list[str]:
    done, total = figures.size(making.done_bytes), figures.size(making.total_bytes)
    parts = [fill_placeholders(translate("Engine", "%1 of %2"), done, total)]
    if making.bytes_per_second:
        parts.append(fill_placeholders(translate("Engine", "%1/s"), figures.size(making.bytes_per_second)))
    if making.seconds_left is not None:
        parts.append(fill_placeholders(translate("Engine", "%1 left"), figures.about(making.seconds_left)))
    return parts
