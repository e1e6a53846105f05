"""The training engine in words: its build, the reason for it, the progress of its installation."""

from __future__ import annotations

from core.engine.build_selection import Choice, Suited
from core.engine.file_lists import BuildName
from core.engine.install.events import InstallProgress
from core.engine.install.offer import EngineOffer
from core.placeholders import fill_placeholders
from core.texts import figures
from core.texts.localization import translate


def build(name: BuildName) -> str:
    """Return the hardware that a build is for."""
    match name:
        case "cuda13":
            return translate("Engine", "for NVIDIA GPUs (CUDA 13)")
        case "cuda12":
            return translate("Engine", "for NVIDIA GPUs (CUDA 12)")
        case "rocm":
            return translate("Engine", "for AMD GPUs (ROCm)")
        case "cpu":
            return translate("Engine", "for the CPU")


def why(choice: Choice) -> str:
    """Return why this build was chosen for this computer."""
    return _lack(choice.suited) if choice.is_second_best else _reason(choice.suited)


def _lack(suited: Suited) -> str:
    """What would suit is not listed, so the GPU stays idle."""
    if suited.reason == "amd":
        return translate("Engine", "There is an AMD GPU, but no engine for it yet, so the CPU computes.")
    if suited.reason == "gpu_too_old":
        words = translate(
            "Engine",
            "There is no engine yet for an NVIDIA GPU of compute capability %1, so the CPU computes: "
            "7.5 is the least (GTX 16, RTX 20).",
        )
        return fill_placeholders(words, suited.capability)
    words = translate(
        "Engine",
        "There is no engine for the NVIDIA driver %1 yet, so the CPU computes: update the driver to 580 "
        "or newer to use the GPU.",
    )
    return fill_placeholders(words, suited.driver)


def _reason(suited: Suited) -> str:
    match suited.reason:
        case "driver":
            return fill_placeholders(translate("Engine", "The NVIDIA driver is %1."), suited.driver)
        case "driver_too_old":
            words = translate(
                "Engine",
                "The NVIDIA driver %1 is too old for any build: update it to 580 or newer to use the GPU.",
            )
            return fill_placeholders(words, suited.driver)
        case "gpu_too_old":
            words = translate("Engine", "The NVIDIA GPU's compute capability is %1.")
            return fill_placeholders(words, suited.capability)
        case "amd":
            return translate("Engine", "There is an AMD GPU.")
        case "no_gpu":
            return translate("Engine", "No GPU with a driver was found.")


def facts(offer: EngineOffer) -> list[tuple[str, str]]:
    """Return what a person agrees to, name by name: build, download, disk space, folder."""
    if offer.choice is None:
        return []
    files = offer.choice.files
    free = figures.unknown() if offer.free_bytes is None else figures.size(offer.free_bytes)
    room = fill_placeholders(translate("Engine", "%1 needed, %2 free"), figures.size(files.disk_bytes), free)
    return [
        (translate("Engine", "Build"), f"{build(files.build)}. {why(offer.choice)}"),
        (translate("Engine", "Download"), figures.size(files.download_bytes)),
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
