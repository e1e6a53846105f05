"""The lists of `resources/engine`: which files engines are made of. After pyproject.toml has changed:

    python -m installer.package.engine_lists

torch's own builds for computers without a GPU are not in the index that pip and uv ask; `torch_builds.json`
names them. What their authors publish as source only is added while the package is built (`shipped.txt`).
"""

from __future__ import annotations

import functools
import hashlib
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

from core.engine.builds import CUDA_BUILDS, CudaBuild
from core.engine.file_lists import EngineFile, EngineFiles
from core.engine.pythons import PYTHONS
from installer.package.remote_file import RemoteFile

ROOT = Path(__file__).resolve().parents[2]
LISTS = ROOT / "resources" / "engine"
_TORCH_BUILDS = Path(__file__).resolve().parent / "torch_builds.json"
_CONNECTIONS = 8
_ONLY_FOR_GPUS = ("bitsandbytes", "torch", "triton", "nvidia-c", "nvidia-n", "cuda-")  # not nvidia-ml-py


def main() -> int:
    """Write the lists of all builds."""
    cuda = [_for_cuda(build) for build in CUDA_BUILDS]
    torches = msgspec.json.decode(_TORCH_BUILDS.read_bytes(), type=list[EngineFile])
    cpu = [file for file in cuda[0].files if not file.library.startswith(_ONLY_FOR_GPUS)] + torches
    for files in (*cuda, EngineFiles(build="cpu", files=tuple(cpu))):
        write(LISTS, files)
        for python in PYTHONS:
            size = files.for_python(python).download_bytes
            print(f"{files.build}, Python {python}: {size / 1e6:,.0f} MB")
    return 0


def _for_cuda(build: CudaBuild) -> EngineFiles:
    listed = [file for python in build.pythons for file in _resolved(python, build.torch)]
    return EngineFiles(build=build.name, files=tuple(merged(listed)))


def merged(files: Iterable[EngineFile]) -> list[EngineFile]:
    """Each file once, with all the Pythons that it is for."""
    by_name: dict[str, EngineFile] = {}
    for file in files:
        known = by_name.get(file.name)
        pythons = (*known.pythons, *file.pythons) if known else file.pythons
        by_name[file.name] = msgspec.structs.replace(file, pythons=pythons)
    return sorted(by_name.values(), key=lambda each: (each.library, each.name))


def complete(folder: Path, shipped: Sequence[Path]) -> None:
    """Add the wheels that come with the package to every list in it."""
    for listed in sorted(folder.glob("*.json")):
        files = msgspec.json.decode(listed.read_bytes(), type=EngineFiles)
        own = tuple(_shipped(wheel) for wheel in shipped)
        write(folder, msgspec.structs.replace(files, files=(*files.files, *own)))


def write(folder: Path, files: EngineFiles) -> None:
    """One file a line, so that a difference can be read."""
    lines = ",\n".join("  " + msgspec.json.encode(each).decode() for each in files.files)
    text = f'{{"build": "{files.build}", "files": [\n{lines}\n]}}\n'
    (folder / f"{files.build}.json").write_text(text, "utf-8")


def _shipped(wheel: Path) -> EngineFile:
    library, version = wheel.name.split("-")[:2]
    with zipfile.ZipFile(wheel) as archive:
        unpacked = sum(each.file_size for each in archive.infolist())
    return EngineFile(
        library=library.lower().replace("_", "-"),
        version=version,
        name=wheel.name,
        pythons=PYTHONS,
        bytes=wheel.stat().st_size,
        unpacked_bytes=unpacked,
        sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
        is_shipped=True,
    )


def _resolved(python: str, torch: str) -> list[EngineFile]:
    """What pyproject.toml and constraints.txt mean for that Python, with that version of torch whatever they say."""
    with tempfile.TemporaryDirectory() as scratch:
        lock, constraints, overrides = (Path(scratch) / name for name in ("pylock.toml", "constraints", "overrides"))
        overrides.write_text(f"torch=={torch}\n", "utf-8")
        constraints.write_text(_constraints_for(torch), "utf-8")
        command = [_uv(), "pip", "compile", "--quiet", "--no-config", "--format=pylock.toml", "--extra=quantization"]
        command += [f"--python-version={python}", "--python-platform=x86_64-manylinux_2_34"]
        command += ["--constraints", str(constraints), "--overrides", str(overrides), "--output-file", str(lock)]
        subprocess.run([*command, str(ROOT / "pyproject.toml")], check=True, stdout=subprocess.DEVNULL)
        packages = tomllib.loads(lock.read_text("utf-8"))["packages"]
    with ThreadPoolExecutor(_CONNECTIONS) as threads:
        return list(
            threads.map(lambda package: _file(package, python), (each for each in packages if each.get("wheels")))
        )


def _constraints_for(torch: str) -> str:
    """Those of constraints.txt, without torch and its CUDA libraries, which another torch pins itself."""
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    own = f"torch=={torch}" in lines
    return "\n".join(line for line in lines if own or not line.startswith(("torch==", "cuda-"))) + "\n"


def _file(package: dict[str, Any], python: str) -> EngineFile:
    wheel = package["wheels"][0]
    size, unpacked = _sizes(wheel["url"])
    return EngineFile(
        library=package["name"],
        version=package["version"],
        name=wheel["url"].rpartition("/")[2],
        pythons=(python,),
        bytes=size,
        unpacked_bytes=unpacked,
        sha256=wheel["hashes"]["sha256"],
    )


@functools.cache
def _sizes(url: str) -> tuple[int, int]:
    """The bytes of a wheel, and of what is in it."""
    remote = RemoteFile(url)
    with zipfile.ZipFile(remote) as archive:
        return remote.size, sum(each.file_size for each in archive.infolist())


def _uv() -> str:
    """Beside the Python that runs this, where `make` puts it."""
    return str(Path(sys.executable).with_name("uv"))


if __name__ == "__main__":
    sys.exit(main())
