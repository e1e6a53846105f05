"""What the desktop's and Debian's own programs say of the package that was built last.

python -m installer.package.check
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from installer.package.tree import ROOT


def newest_package() -> Path:
    """What was built last."""
    return max((ROOT / "dist").glob("workerbee_*.deb"), key=lambda each: each.stat().st_mtime)


def main() -> int:
    """1 if one of them finds an error."""
    package = newest_package()
    with tempfile.TemporaryDirectory() as scratch:
        share = Path(scratch) / "usr" / "share"
        subprocess.run(["dpkg-deb", "-x", str(package), scratch], check=True)
        checks = [
            ["desktop-file-validate", str(share / "applications" / "workerbee.desktop")],
            ["appstreamcli", "validate", "--no-net", *map(str, (share / "metainfo").glob("*.xml"))],
            ["lintian", "--allow-root", "--fail-on", "error", str(package)],
        ]
        return max(subprocess.run(check).returncode != 0 for check in checks)


if __name__ == "__main__":
    sys.exit(main())
