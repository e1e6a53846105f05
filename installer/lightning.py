"""Make `.venv/lightning`: an environment of its own for the tests' peer that Lightning's users would write.

Run by `make soak` with the Python of `.venv`, whose torch and hivemind it shares.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "tests" / "integration" / "foreign" / "lightning.txt"
FOLDER = Path(sys.prefix) / "lightning"
PYTHON = FOLDER / "bin" / "python"
STAMP = FOLDER / "lightning.txt"


def is_up_to_date() -> bool:
    """Whether it holds what the requirements name."""
    return STAMP.exists() and STAMP.read_text("utf-8") == REQUIREMENTS.read_text("utf-8")


def make() -> int:
    """Anew; the exit code of pip."""
    venv.create(FOLDER, clear=True, with_pip=False, symlinks=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(FOLDER)}))
    (packages / "workerbee.pth").write_text(sysconfig.get_path("purelib"), "utf-8")
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet"]
    command += ["--python", str(PYTHON), "install", "--no-deps", "--requirement", str(REQUIREMENTS)]
    return subprocess.run(command, check=False, stdout=sys.stderr).returncode


def main() -> int:
    """Make it, unless it is there."""
    if is_up_to_date():
        return 0
    if code := make():
        print("Lightning could not be installed, as said above; run make again.", file=sys.stderr)
        return code
    STAMP.write_bytes(REQUIREMENTS.read_bytes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
