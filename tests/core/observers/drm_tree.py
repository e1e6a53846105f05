"""A made-up system: the device files of GPUs, who has opened them, and what the kernel tells of each opening.

It stands for ``/proc/<pid>/fd``, ``/proc/<pid>/fdinfo`` and ``/sys/bus/pci/devices``. The texts have the form of the
kernel's own: those of i915 and xe are the examples of proc_pid_fdinfo(5) and ``xe_drm_client.c``, that of amdgpu is
made after ``amdgpu_fdinfo.c``. No test has run on a computer with such a GPU.
"""

from __future__ import annotations

from pathlib import Path

RADEON, UHD, ARC = "0000:03:00.0", "0000:00:02.0", "0000:04:00.0"
SECOND = 1_000_000_000

_HEAD = "pos:\t0\nflags:\t02100002\nmnt_id:\t26\nino:\t284\n"
_AMDGPU = """\
pasid:\t32770
drm-driver:\tamdgpu
drm-pdev:\t{gpu}
drm-client-id:\t{number}
drm-memory-vram:\t166316 KiB
drm-memory-gtt: \t13432 KiB
drm-memory-cpu: \t0 KiB
amd-memory-visible-vram:\t20136 KiB
amd-requested-vram:\t166316 KiB
"""
_I915 = """\
drm-driver:\ti915
drm-client-id:\t{number}
drm-pdev:\t{gpu}
drm-total-system0:\t6044 KiB
drm-shared-system0:\t0
drm-resident-system0:\t6044 KiB
drm-engine-render:\t{render} ns
drm-engine-copy:\t{copy} ns
drm-engine-video:\t{video} ns
drm-engine-capacity-video:\t2
drm-engine-video-enhance:\t0 ns
"""
_XE = """\
drm-driver:\txe
drm-client-id:\t{number}
drm-pdev:\t{gpu}
drm-total-vram0:\t23992 KiB
drm-resident-vram0:\t23992 KiB
drm-cycles-rcs:\t{rcs}
drm-total-cycles-rcs:\t{total}
drm-cycles-bcs:\t0
drm-total-cycles-bcs:\t{total}
drm-cycles-vcs:\t0
drm-total-cycles-vcs:\t{total}
drm-engine-capacity-vcs:\t2
drm-cycles-ccs:\t{ccs}
drm-total-cycles-ccs:\t{total}
drm-engine-capacity-ccs:\t4
"""


def amdgpu(gpu: str = RADEON, number: int = 7, **engines: int) -> str:
    """What amdgpu tells; ``engines`` are seconds in ns by name, of which it leaves out those that are zero."""
    told = "".join(f"drm-engine-{name}:\t{busy} ns\n" for name, busy in engines.items() if busy)
    return _HEAD + _AMDGPU.format(gpu=gpu, number=number) + told


def i915(gpu: str = UHD, number: int = 39, render: int = 0, copy: int = 0, video: int = 0) -> str:
    """What i915 tells, in ns."""
    return _HEAD + _I915.format(gpu=gpu, number=number, render=render, copy=copy, video=video)


def xe(total: int, gpu: str = ARC, number: int = 3, rcs: int = 0, ccs: int = 0) -> str:
    """What xe tells, in cycles of a clock that has counted ``total``."""
    return _HEAD + _XE.format(gpu=gpu, number=number, total=total, rcs=rcs, ccs=ccs)


class DrmTree:
    """The root of the made-up system, in which each of the GPUs has one device file."""

    def __init__(self, root: Path, *gpus: str) -> None:
        self.root = root
        (root / "proc").mkdir(parents=True)
        self._nodes = {gpu: f"renderD{128 + index}" for index, gpu in enumerate(gpus)}
        for gpu, node in self._nodes.items():
            (root / "sys/bus/pci/devices" / gpu / "drm" / node).mkdir(parents=True)

    def opens(self, pid: int, target: str, text: str, number: int = 5) -> None:
        """That process has opened the GPU at that address, or another file, and the kernel tells this text of it."""
        for folder in ("fd", "fdinfo"):
            (self.root / f"proc/{pid}/{folder}").mkdir(parents=True, exist_ok=True)
        link = self.root / f"proc/{pid}/fd/{number}"
        link.unlink(missing_ok=True)
        link.symlink_to(f"/dev/dri/{self._nodes[target]}" if target in self._nodes else target)
        (self.root / f"proc/{pid}/fdinfo/{number}").write_bytes(text.encode("utf-8", "surrogateescape"))

    def closes(self, pid: int, number: int = 5) -> None:
        """That process has closed it."""
        for folder in ("fd", "fdinfo"):
            (self.root / f"proc/{pid}/{folder}/{number}").unlink()
