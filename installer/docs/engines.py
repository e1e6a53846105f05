"""The table of engines: which build is for which NVIDIA driver, GPU and Python, and how large it is."""

from __future__ import annotations

from core.engine.builds import CUDA_BUILDS, BuildName, CudaBuild
from core.engine.file_lists import EngineFiles, all_files
from core.engine.pythons import PYTHONS
from installer.docs.markdown import table

LARGE_SHARE = 0.05
_NAMES: tuple[BuildName, ...] = (*(each.name for each in CUDA_BUILDS), "cpu")


def engine_table() -> str:
    """The engines from the newest build on; of the sizes the largest, whichever Python it is for."""
    headings = (
        "engine",
        "PyTorch",
        "NVIDIA driver",
        "oldest GPU (compute capability)",
        "Python",
        "download",
        "on disk",
    )
    return table(headings, [*map(_cuda_row, CUDA_BUILDS), _cpu_row()])


def large_library_table() -> str:
    """Of how many libraries an engine is made of, and which of them are more than a twentieth of its download."""
    return table(("engine", "libraries", "each more than 5 % of its download"), map(_shares, _NAMES))


def _shares(build: BuildName) -> tuple[str, str, str]:
    files = all_files(build).for_python(PYTHONS[0])
    shares = {each.library: each.bytes / files.download_bytes for each in files.downloaded}
    large = sorted((name for name in shares if shares[name] > LARGE_SHARE), key=lambda name: -shares[name])
    named = {each.name: f"CUDA {each.cuda}" for each in CUDA_BUILDS}.get(build, "CPU")
    return named, str(len(shares)), ", ".join(f"{name} {shares[name]:.0%}".replace("%", " %") for name in large)


def _cuda_row(build: CudaBuild) -> tuple[str, ...]:
    capability = ".".join(map(str, build.least_capability))
    oldest, pythons = f"{build.gpus} ({capability})", f"{build.pythons[0]} to {build.pythons[-1]}"
    return (f"CUDA {build.cuda}", build.torch, build.least_driver, oldest, pythons, *_sizes(build.name))


def _cpu_row() -> tuple[str, ...]:
    return ("CPU", CUDA_BUILDS[0].torch, "–", "–", f"{PYTHONS[0]} to {PYTHONS[-1]}", *_sizes("cpu"))


def _sizes(build: BuildName) -> tuple[str, str]:
    """The download, and what is unpacked from it."""
    files = all_files(build)
    each = [files.for_python(python) for python in PYTHONS]
    return _size(max(one.download_bytes for one in each)), _size(max(map(_unpacked, each)))


def _unpacked(files: EngineFiles) -> int:
    return sum(file.unpacked_bytes for file in files.files)


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
