"""Make an environment for this Python that has what an engine has, PyTorch included; the CPU computes in it, too.

    python -m tests.integration.torch_versions cuda128 FOLDER     PyTorch 2.10, 4.4 GB to download, 8 GB on disk
    python -m tests.integration.torch_versions cuda126 FOLDER     PyTorch 2.7, 3.2 GB to download, 6 GB on disk

The tests of this package ask for such environments. The files come from wherever pip is set up to look.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import get_args

from core.engine.builds import BuildName
from core.engine.file_lists import all_files
from core.engine.pythons import this_python
from tests.support.checkout import ROOT

SHIPPED = ROOT / "installer" / "package" / "shipped.txt"


def main() -> int:
    """Make it; 0, or raises CalledProcessError with what pip has said."""
    parser = argparse.ArgumentParser(prog="python -m tests.integration.torch_versions", description=__doc__)
    parser.add_argument("build", choices=get_args(BuildName))
    parser.add_argument("folder", type=Path, help="where it is made; deleting that folder undoes all")
    asked = parser.parse_args()
    venv.create(asked.folder, with_pip=False)
    python = asked.folder / "bin" / "python"
    files = all_files(asked.build).for_python(this_python()).downloaded
    with tempfile.TemporaryDirectory(prefix="engine-") as scratch:
        wanted = Path(scratch) / "wanted.txt"
        wanted.write_text("".join(f"{each.requirement}\n" for each in files), "utf-8")
        _install(python, wanted, "--only-binary=:all:")
    _install(python, SHIPPED)
    print(f"{python} has {len(files)} libraries of the engine {asked.build}.")
    return 0


def _install(python: Path, requirements: Path, *options: str) -> None:
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-cache-dir"]
    subprocess.run([*command, "--no-deps", "--require-hashes", *options, "-r", str(requirements)], check=True)


if __name__ == "__main__":
    sys.exit(main())
