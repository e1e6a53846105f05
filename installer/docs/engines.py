"""The table of engines: which build is for which NVIDIA driver, GPU and Python, and how large it is."""

from __future__ import annotations

from core.engine.builds import CUDA_BUILDS, BuildName, CudaBuild
from core.engine.file_lists import EngineFiles, all_files
from core.engine.pythons import PYTHONS
from installer.docs.markdown import table


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
