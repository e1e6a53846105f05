"""The libraries for a computer without a network whose Python has a torch of its own: wheels in a folder.

    python -m tests.gpu --fetch-wheels FOLDER --python 3.12     on any computer with a network, for that Python
    python -m tests.gpu --wheels FOLDER                         on the computer with the GPU

They are those of the engine, by their hashes, without torch and its CUDA libraries, which stay as they are there.
Nothing is installed: they are unpacked beside the wheels, and only this command sees them.
"""

from __future__ import annotations

import compileall
import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_TORCHS_OWN = ("torch", "triton", "nvidia-c", "nvidia-n", "cuda-")  # not nvidia-ml-py
_PROGRAMS = "p2pd"


def this_python() -> str:
    """The version of the running Python, such as ``3.11``."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def fetch(folder: Path, python: str) -> int:
    """Fill the folder with the engine's wheels for that Python; pip's exit code."""
    import msgspec

    from core.engine.file_lists import FOLDER, EngineFiles

    files = msgspec.json.decode((FOLDER / "cuda13.json").read_bytes(), type=EngineFiles).for_python(python).files
    wanted = [each.requirement for each in files if not each.library.startswith(_TORCHS_OWN)]
    folder.mkdir(parents=True, exist_ok=True)
    listed = folder / "requirements.txt"
    listed.write_text("\n".join(wanted) + "\n")
    from installer.package.wheels import PLATFORMS

    pip = [sys.executable, "-m", "pip"]
    choice = ["--only-binary=:all:", f"--python-version={python}", *PLATFORMS]
    options = ["--require-hashes", "--no-deps", "-d", str(folder), "-r", str(listed)]
    code = subprocess.run([*pip, "download", *choice, *options]).returncode
    shipped = ["--require-hashes", "--no-deps", "--no-build-isolation", "-w", str(folder)]
    return (
        code or subprocess.run([*pip, "wheel", *shipped, "-r", str(ROOT / "installer/package/shipped.txt")]).returncode
    )


def install_and_go_on(folder: Path) -> None:
    """Unpack the wheels, and go on as the same command with them before everything else that Python has."""
    wheels = sorted(folder.absolute().glob("*.whl"))
    if not wheels:
        sys.exit(f"There are no wheels in {folder}; --fetch-wheels fills it.")
    unpacked = folder.absolute() / f"unpacked-{_digest(wheels)}"
    if not unpacked.exists():
        unpack(wheels, unpacked.with_suffix(".new"))
        unpacked.with_suffix(".new").rename(unpacked)
    arguments = arguments_without_wheels(sys.argv[1:])
    path = os.pathsep.join(filter(None, [str(unpacked), os.environ.get("PYTHONPATH")]))
    os.execve(sys.executable, [sys.executable, "-m", "tests.gpu", *arguments], os.environ | {"PYTHONPATH": path})


def unpack(wheels: list[Path], folder: Path) -> None:
    """As an installer would put them into ``site-packages``; hivemind's p2pd may be run."""
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        data = next(iter(folder.glob("*.data/purelib")), None)
        if data is not None:
            sys.exit(f"{wheel.name} is a wheel of a kind that is not known here.")
    for program in folder.rglob(_PROGRAMS):
        program.chmod(0o755)
    compileall.compile_dir(folder, quiet=2, workers=0)  # a confined worker could not keep what Python compiles


def _digest(wheels: list[Path]) -> str:
    names = "\n".join(f"{wheel.name} {wheel.stat().st_size}" for wheel in wheels)
    return hashlib.sha256(names.encode()).hexdigest()[:12]


def arguments_without_wheels(arguments: list[str]) -> list[str]:
    """Those of the same command once more, which now has its wheels."""
    kept, rest = list[str](), iter(arguments)
    for argument in rest:
        if argument == "--wheels":
            next(rest, None)
        elif not argument.startswith("--wheels="):
            kept.append(argument)
    return kept
