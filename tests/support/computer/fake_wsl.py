"""Linux inside Windows, by stand-in: the file of ``/proc`` that tells it, and a process that reads it there."""

from __future__ import annotations

from pathlib import Path

WSL_2 = "Linux version 5.15.167.4-microsoft-standard-WSL2 (root@f9c826d3017f) (gcc (GCC) 11.2.0)"
"""What Microsoft's kernel writes into ``/proc/version``, as its users have posted it."""
_PATCH = """
import core.wsl
from functools import partial
from pathlib import Path
core.wsl.is_wsl = partial(core.wsl.is_wsl, Path({root!r}))
"""


def linux(root: Path, kernel: str, *there: str) -> Path:
    """A system's root with that kernel, and with those files."""
    for each in ("proc/version", *there):
        (root / each).parent.mkdir(parents=True, exist_ok=True)
        (root / each).touch()
    (root / "proc/version").write_text(kernel)
    return root


def inside_wsl(root: Path, code: str) -> str:
    """Code of a process that takes itself to be in WSL; its own imports must come after this."""
    return _PATCH.format(root=str(linux(root, WSL_2, "dev/dxg"))) + code
