"""Small engines for tests: wheels that lead to the libraries of this very environment."""

from __future__ import annotations

import base64
import hashlib
import random
import sysconfig
import zipfile
from pathlib import Path

from core.engine.file_lists import EngineFile, EngineFiles
from core.engine.pythons import this_python

BALLAST_BYTES = 3_000_000
OWN = "varint.py"  # a library that workers import, of which the engine has a copy


def small_engine(folder: Path, version: str = "1.0", *, works: bool = True) -> EngineFiles:
    """What uv will install from that folder: a ``torch`` that borrows, and something large to download."""
    libraries = Path(sysconfig.get_path("purelib"))
    borrowed = f"{libraries}\n".encode() if works else b"\n"
    noise = random.Random(version).randbytes(BALLAST_BYTES)
    files = (
        wheel(folder, "torch", version, {"borrowed.pth": borrowed, OWN: (libraries / OWN).read_bytes()}),
        wheel(folder, "ballast", version, {"ballast.bin": noise}),
    )
    return EngineFiles(build="cpu", files=files)


def wheel(folder: Path, library: str, version: str, contents: dict[str, bytes]) -> EngineFile:
    """A wheel of that library in the folder, with what metadata it needs beside the ``contents``, by their paths."""
    about = f"{library}-{version}.dist-info"
    contents = contents | {
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {library}\nVersion: {version}\n".encode(),
        f"{about}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},{_digest(data)},{len(data)}\n" for name, data in contents.items())
    path = folder / f"{library}-{version}-py3-none-any.whl"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in (contents | {f"{about}/RECORD": f"{record}{about}/RECORD,,\n".encode()}).items():
            archive.writestr(name, data)
    return EngineFile(
        library=library,
        version=version,
        name=path.name,
        pythons=(this_python(),),
        bytes=path.stat().st_size,
        unpacked_bytes=sum(map(len, contents.values())),
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
    )


def _digest(data: bytes) -> str:
    plain = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"sha256={plain}"
