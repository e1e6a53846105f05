"""The package is the same bytes each time, wherever and by whomever it is built."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from installer.package import __main__ as build
from installer.package import control, tree, wheels
from installer.package.tree import ROOT, lay_out, release

MISSING = [program for program in ("dpkg-deb", "git", "objdump") if shutil.which(program) is None]


def stand_in_libraries(home: Path, scratch: Path) -> Path:
    """Instead of 100 MB that are fetched, two programs, in the order in which this build happens to write them."""
    vendor = home / "vendor"
    for name in sorted(("one", "two"), reverse="second" in scratch.parts):
        (vendor / name).mkdir(parents=True)
        shutil.copyfile("/bin/true", vendor / name / "library.so")
    (home / "bin").mkdir()
    shutil.copyfile("/bin/true", home / "bin" / "uv")
    return vendor


def built(folder: Path, umask: int) -> bytes:
    """The package, built in that folder by somebody with that umask."""
    before = os.umask(umask)
    try:
        folder.mkdir()
        made = release()
        lay_out(folder / "root", folder, made)
        control.write_control(folder / "root", made.version)
        (folder / "root").chmod(0o755)
        build._pack(folder / "root", folder / "package.deb")
        return (folder / "package.deb").read_bytes()
    finally:
        os.umask(before)


@pytest.mark.slow
@pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}")
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="the package is made of what git knows")
def test_two_builds_are_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "_unpack_libraries", stand_in_libraries)
    monkeypatch.setattr(wheels, "make", lambda listed, place: [])
    monkeypatch.setattr(tree, "complete", lambda folder, shipped: None)
    monkeypatch.setattr(tree, "copyright_text", lambda licence, vendor: licence.read_text("utf-8"))
    monkeypatch.setattr(control, "packages_for", lambda root: [])
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    first = built(tmp_path / "first", 0o022)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert built(tmp_path / "second", 0o027) == first
