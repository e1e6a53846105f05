"""Build `dist/workerbee_<version>_amd64.deb`: the same bytes from the same commit, on every machine.

make installer
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from installer.package.control import write_control
from installer.package.tree import ROOT, lay_out, release

_MOST_BYTES = 45_000_000


def main() -> int:
    """Whether it was built, as an exit code."""
    os.umask(0o022)
    made = release()
    package = ROOT / "dist" / f"workerbee_{made.version}_amd64.deb"
    package.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="workerbee-package-") as scratch:
        root = Path(scratch) / "root"
        lay_out(root, Path(scratch), made)
        write_control(root, made.version)
        root.chmod(0o755)
        _pack(root, package)
    size = package.stat().st_size
    print(f"{package.relative_to(ROOT)}: {size / 1e6:.1f} MB")
    print(f"sha256 {hashlib.sha256(package.read_bytes()).hexdigest()}")
    if size > _MOST_BYTES:
        print(f"It is larger than {_MOST_BYTES / 1e6:.0f} MB.", file=sys.stderr)
        return 1
    return 0


def _pack(root: Path, package: Path) -> None:
    """One thread: how xz divides its work among several is seen in the result. Harder is 2 % smaller."""
    options = ["--root-owner-group", "-Zxz", "-z6", "--threads-max=1"]
    command = ["dpkg-deb", *options, "--build", str(root), str(package)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
