"""The lists of `resources/engine`: which files engines are made of. After pyproject.toml has changed:

    python -m installer.package.engine_lists
    python -m installer.package.engine_lists --engine rocm --index URL     for AMD GPUs; xpu for Intel's

The second makes the list of an engine whose torch is in a package index of its own, wherever that is reachable. The
list keeps the index's address, and those who install that engine ask it, too.

torch's own builds for computers without a GPU are not in the index that pip and uv ask; `torch_builds.json`
names them. What their authors publish as source only is added while the package is built (`shipped.txt`).
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args
from urllib.parse import unquote

import msgspec

from core.engine.builds import CUDA_BUILDS, CudaBuild, OwnIndexBuild
from core.engine.file_lists import EngineFile, EngineFiles
from core.engine.install.index_lookup import FIRST_THAT_HAS_IT
from core.engine.pythons import PYTHONS
from installer.package.remote_file import RemoteFile

ROOT = Path(__file__).resolve().parents[2]
LISTS = ROOT / "resources" / "engine"
_TORCH_BUILDS = Path(__file__).resolve().parent / "torch_builds.json"
_CONNECTIONS = 8
_ONLY_FOR_GPUS = ("bitsandbytes", "torch", "triton", "nvidia-c", "nvidia-n", "cuda-")  # not nvidia-ml-py


@dataclass(frozen=True)
class Source:
    """What an engine is resolved from: pyproject.toml and constraints.txt in ``project``, whatever they say of torch.

    ``torch`` is its version, or empty for the newest that pyproject.toml allows; ``index`` the address of the package
    index that has it, or empty where it is in those that uv asks.
    """

    torch: str = ""
    index: str = ""
    project: Path = ROOT


def main() -> int:
    """Write the lists of all builds, or that of one whose torch is in an index of its own; 1 where that has none."""
    parser = argparse.ArgumentParser(prog="python -m installer.package.engine_lists", description=__doc__)
    parser.add_argument("--engine", choices=get_args(OwnIndexBuild), help="the engine whose list is made of the index")
    parser.add_argument("--index", metavar="URL", help="the package index that has this engine's torch")
    parser.add_argument(
        "--torch", default="", metavar="VERSION", help="of torch (the newest that pyproject.toml allows)"
    )
    asked = parser.parse_args()
    if (asked.engine is None) != (asked.index is None):
        parser.error("--engine and --index belong together")
    if asked.engine is None:
        return _write_all()
    try:
        files = list_of_index(cast(OwnIndexBuild, asked.engine), Source(asked.torch, asked.index))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    _write_and_tell(files)
    return 0


def _write_all() -> int:
    """Write the lists of the builds that are in the indexes that uv asks, and of that for the CPU."""
    cuda = [_for_cuda(build) for build in CUDA_BUILDS]
    torches = msgspec.json.decode(_TORCH_BUILDS.read_bytes(), type=list[EngineFile])
    cpu = [file for file in cuda[0].files if not file.library.startswith(_ONLY_FOR_GPUS)] + torches
    for files in (*cuda, EngineFiles(build="cpu", files=tuple(cpu))):
        _write_and_tell(files)
    return 0


def _write_and_tell(files: EngineFiles) -> None:
    write(LISTS, files)
    for python in PYTHONS:
        size = files.for_python(python).download_bytes
        print(f"{files.build}, Python {python}: {size / 1e6:,.0f} MB")


def list_of_index(engine: OwnIndexBuild, source: Source) -> EngineFiles:
    """The files of an engine whose torch is in the source's index, for each Python for which that has one.

    The index's version of a library is taken before another's. Raises ValueError, with what uv has said, where there
    is a torch for no Python, and for an address that is none. A torch without a local version, such as ``+rocm7.2``, is
    not the index's own: it is the usual one, for CUDA. Source: PEP 440, by which the usual index has no local versions.
    """
    empty = msgspec.convert({"build": engine, "index": source.index, "files": ()}, type=EngineFiles)
    listed: list[EngineFile] = []
    why = [f"{source.index} has no torch of its own that pyproject.toml allows."]
    for python in PYTHONS:
        try:
            files = _resolved(python, source)
        except subprocess.CalledProcessError as error:
            why.append(f"Python {python}: {error.stderr.decode(errors='replace').strip()}")
            continue
        if any(each.library == "torch" and "+" in each.version for each in files):
            listed += files
    if not listed:
        raise ValueError("\n".join(why))
    return msgspec.structs.replace(empty, files=tuple(merged(listed)))


def _for_cuda(build: CudaBuild) -> EngineFiles:
    listed = [file for python in build.pythons for file in _resolved(python, Source(build.torch))]
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
    index = f', "index": "{files.index}"' if files.index else ""
    text = f'{{"build": "{files.build}"{index}, "files": [\n{lines}\n]}}\n'
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


def _resolved(python: str, source: Source) -> list[EngineFile]:
    """The wheels of what the source means for that Python; raises CalledProcessError with what uv has said."""
    with tempfile.TemporaryDirectory() as scratch:
        lock, constraints, overrides = (Path(scratch) / name for name in ("pylock.toml", "constraints", "overrides"))
        overrides.write_text(f"torch=={source.torch}\n" if source.torch else "", "utf-8")
        constraints.write_text(_constraints_for(source), "utf-8")
        command = [_uv(), "pip", "compile", "--quiet", "--no-config", "--format=pylock.toml"]
        command += ["--index", source.index, FIRST_THAT_HAS_IT] if source.index else ["--extra=quantization"]
        command += [f"--python-version={python}", "--python-platform=x86_64-manylinux_2_34"]
        command += ["--constraints", str(constraints), "--overrides", str(overrides), "--output-file", str(lock)]
        stderr = subprocess.PIPE if source.index else None
        subprocess.run(
            [*command, str(source.project / "pyproject.toml")], check=True, stdout=subprocess.DEVNULL, stderr=stderr
        )
        packages = tomllib.loads(lock.read_text("utf-8"))["packages"]
    with ThreadPoolExecutor(_CONNECTIONS) as threads:
        return list(
            threads.map(lambda package: _file(package, python), (each for each in packages if each.get("wheels")))
        )


def _constraints_for(source: Source) -> str:
    """Those of constraints.txt, without torch and its CUDA libraries, which another torch pins itself."""
    lines = (source.project / "constraints.txt").read_text("utf-8").splitlines()
    own = f"torch=={source.torch}" in lines and not source.index
    return "\n".join(line for line in lines if own or not line.startswith(("torch==", "cuda-"))) + "\n"


def _file(package: dict[str, Any], python: str) -> EngineFile:
    wheel = package["wheels"][0]
    size, unpacked = _sizes(wheel["url"])
    return EngineFile(
        library=package["name"],
        version=package["version"],
        name=unquote(wheel["url"].rpartition("/")[2]),
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
