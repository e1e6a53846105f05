"""The builds of torch that engines are made of, and what each of torch's CUDA builds asks of a computer.

Which GPUs a build computes on, its binary code decides: CUDA 13 has none for what came before Turing, torch 2.10
has it from Volta on, torch 2.7 from Maxwell on (`torch.cuda.get_arch_list()`). Which driver it needs, NVIDIA's table
of minor version compatibility decides: 580 for CUDA 13, 525.60.13 for every CUDA 12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.engine.pythons import PYTHONS

BuildName = Literal["cuda13", "cuda128", "cuda126", "rocm", "xpu", "cpu"]
"""Which computers a torch is for: NVIDIA's GPUs by the version of CUDA, AMD's GPUs, Intel's GPUs, no GPU at all."""
OwnIndexBuild = Literal["rocm", "xpu"]
"""The builds whose torch is in an index of its own; a list of their files is made by whoever reaches that index."""


@dataclass(frozen=True)
class CudaBuild:
    """A build of torch for NVIDIA GPUs.

    ``torch`` and ``cuda`` are versions, ``least_driver`` the oldest driver, ``least_capability`` the oldest GPU's
    compute capability, and ``gpus`` that GPU's family in words.
    """

    name: BuildName
    torch: str
    cuda: str
    least_driver: str
    least_capability: tuple[int, int]
    gpus: str
    pythons: tuple[str, ...] = PYTHONS


CUDA_BUILDS = (
    CudaBuild("cuda13", "2.13.0", "13.0", "580.65.06", (7, 5), "Turing: GTX 16, RTX 20"),
    CudaBuild("cuda128", "2.10.0", "12.8", "525.60.13", (7, 0), "Volta: Titan V, V100"),
    CudaBuild("cuda126", "2.7.1", "12.6", "525.60.13", (5, 0), "Maxwell: GTX 750, GTX 900", PYTHONS[:-1]),
)
"""The newest first: the first that suits a computer is the one for it. torch 2.7 has no wheels for Python 3.14."""
