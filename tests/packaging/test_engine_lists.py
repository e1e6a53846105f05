"""The list of an engine whose torch is in a package index of its own, made from indexes on loopback."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.engine.file_lists import EngineFiles, load_files
from core.engine.install.index_lookup import WHEELS_VARIABLE, find_sources
from core.engine.install.uv import find_uv
from core.engine.pythons import this_python
from installer.package import engine_lists
from installer.package.engine_lists import Source, list_of_index
from tests.support.checkout import ROOT
from tests.support.engine_wheels import wheel
from tests.support.environment.package_index import WheelIndex, serving_wheels

PYTHONS = tuple(dict.fromkeys((this_python(), "3.14")))
PROJECT = '[project]\nname = "small"\nversion = "1"\ndependencies = ["torch>=2.13", "ballast"]\n'


@pytest.fixture
def usual(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WheelIndex]:
    """The index that uv asks by itself: it has a torch for CUDA, and everything else."""
    wheel(tmp_path / "usual", "torch", "2.13.0", {})
    wheel(tmp_path / "usual", "ballast", "1.0", {})
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv(WHEELS_VARIABLE, raising=False)
    with serving_wheels(tmp_path / "usual") as index:
        monkeypatch.setenv("UV_DEFAULT_INDEX", index.url)
        yield index


@pytest.fixture
def own(tmp_path: Path, usual: WheelIndex) -> Iterator[WheelIndex]:
    """An index as PyTorch's for AMD GPUs: its torch has a local version, its other libraries are older ones."""
    wheel(tmp_path / "own", "torch", "2.13.0+rocm7.2", {})
    wheel(tmp_path / "own", "torch", "2.12.0+rocm7.2", {})
    wheel(tmp_path / "own", "ballast", "0.9", {})
    with serving_wheels(tmp_path / "own") as index:
        yield index


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a project that needs torch and another library, whose version is locked; for two Pythons."""
    monkeypatch.setattr(engine_lists, "PYTHONS", PYTHONS)
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "constraints.txt").write_text("torch==2.13.0\nballast==1.0\n")
    return tmp_path


def versions(files: EngineFiles) -> dict[str, str]:
    """Of each library."""
    return {each.library: each.version for each in files.files}


def test_torch_is_of_the_index_and_what_is_locked_of_wherever_it_is(own: WheelIndex, project: Path) -> None:
    files = list_of_index("rocm", Source(index=own.url, project=project))
    assert versions(files) == {"torch": "2.13.0+rocm7.2", "ballast": "1.0"}
    assert (files.build, files.index) == ("rocm", own.url)
    assert all(each.pythons == PYTHONS and each.sha256 and each.bytes for each in files.files)
    older = list_of_index("xpu", Source("2.12.0", own.url, project))
    assert versions(older)["torch"] == "2.12.0+rocm7.2" and older.build == "xpu"


def test_such_an_engine_can_be_offered_and_is_downloaded_from_that_index(
    own: WheelIndex, usual: WheelIndex, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_lists, "LISTS", project)
    monkeypatch.setattr(
        engine_lists, "list_of_index", lambda engine, source: list_of_index(engine, _of(project, source))
    )
    monkeypatch.setattr(sys, "argv", ["engine_lists", "--engine", "rocm", "--index", own.url])
    assert engine_lists.main() == 0
    files = load_files("rocm", project)
    uv = find_uv()
    assert files is not None and uv is not None
    addresses = find_sources(files, uv, project, threading.Event())
    assert addresses.keys() == {each.name for each in files.files}
    hosts = {name.partition("-")[0]: address.partition("/files/")[0] for name, address in addresses.items()}
    assert hosts == {each: index.url.removesuffix("/simple/") for each, index in (("torch", own), ("ballast", usual))}


def _of(project: Path, source: Source) -> Source:
    return Source(source.torch, source.index, project)


def test_an_index_without_a_torch_of_its_own_is_refused_in_words(usual: WheelIndex, project: Path) -> None:
    with pytest.raises(ValueError, match="has no torch of its own that pyproject"):
        list_of_index("rocm", Source(index=usual.url, project=project))
    with pytest.raises(ValueError, match=r"Python 3.1\d: error: [^:]*: [^:]*torch==2.11.0"):
        list_of_index("rocm", Source("2.11.0", usual.url, project))
    with pytest.raises(ValueError, match="regex"):
        list_of_index("rocm", Source(index="https://me:secret@example.org/", project=project))


def test_an_engine_without_an_index_is_refused_before_anything_is_asked() -> None:
    command = [sys.executable, "-m", "installer.package.engine_lists", "--engine", "rocm"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "--engine and --index belong together" in done.stderr
