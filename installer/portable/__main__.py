"""Build `dist/workerbee-<version>.run` of the tree that the .deb is made of.

make installer-portable
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from installer.package.tree import ROOT, lay_out, release

_HERE = Path(__file__).resolve().parent
_SHARED = ("applications", "icons", "mime", "metainfo", "man")


def main() -> int:
    """Always 0; what goes wrong is raised."""
    os.umask(0o022)
    made = release()
    program = ROOT / "dist" / f"workerbee-{made.version}.run"
    program.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="workerbee-portable-") as scratch:
        root, content = Path(scratch) / "root", Path(scratch) / "content"
        lay_out(root, Path(scratch), made)
        arrange(root, content)
        _pack(content, program, made.seconds)
    print(f"{program.relative_to(ROOT)}: {program.stat().st_size / 1e6:.1f} MB")
    return 0


def arrange(root: Path, content: Path) -> None:
    """What set-up.sh expects beside itself."""
    content.mkdir()
    for name in ("set-up.sh", "libraries.txt"):
        shutil.copyfile(_HERE / name, content / name)
    (content / "set-up.sh").chmod(0o755)
    (root / "usr" / "lib" / "workerbee").rename(content / "program")
    (root / "usr" / "bin" / "workerbee").rename(content / "workerbee")
    (root / "usr" / "share" / "doc" / "workerbee" / "copyright").rename(content / "program" / "copyright")
    for name in _SHARED:
        (content / "share").mkdir(exist_ok=True)
        (root / "usr" / "share" / name).rename(content / "share" / name)


def _pack(content: Path, program: Path, seconds: int) -> None:
    """With makeself; the moment in it is that of the commit."""
    order = f"--sort=name --mtime=@{seconds} --owner=0 --group=0 --numeric-owner"
    options = [
        "--xz",
        "--complevel",
        "6",
        "--sha256",
        "--nox11",
        "--quiet",
        "--packaging-date",
        str(seconds),
        "--tar-extra",
        order,
    ]
    command = ["makeself", *options, str(content), str(program), "Workerbee", "./set-up.sh"]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    sys.exit(main())
