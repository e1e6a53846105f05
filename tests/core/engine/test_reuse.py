"""A newer engine takes from the one in use what has not changed, and downloads the rest."""

from __future__ import annotations

import sysconfig
import zipfile
from pathlib import Path

import msgspec
import pytest

from core.engine.builds import BuildName
from core.engine.file_lists import EngineFiles, all_files
from core.engine.install.offer import EngineOffer
from core.engine.install.reuse import fetched_files, link_libraries, unchanged_files
from core.engine.installed import Engine, EngineDirectory
from core.engine.pythons import this_python
from core.texts import engine as engine_texts
from tests.support.engine_wheels import OWN, small_engine

LIBRARIES = Path("lib") / f"python{sysconfig.get_python_version()}" / "site-packages"


@pytest.fixture
def first(tmp_path: Path) -> EngineFiles:
    """The files of the engine in use: a `torch` and a `ballast`, both 1.0."""
    return small_engine(tmp_path / "wheels", "1.0")


@pytest.fixture
def second(tmp_path: Path, first: EngineFiles) -> EngineFiles:
    """Newer ones: the same `torch`, and another `ballast`."""
    return msgspec.structs.replace(first, files=(first.files[0], small_engine(tmp_path / "newer", "2.0").files[1]))


@pytest.fixture
def engine(tmp_path: Path, first: EngineFiles) -> Engine:
    """The engine in use, unpacked as uv unpacks wheels."""
    folder = tmp_path / "engine"
    for each in first.files:
        with zipfile.ZipFile(tmp_path / "wheels" / each.name) as wheel:
            wheel.extractall(folder / LIBRARIES)
    return Engine(folder, EngineDirectory(tmp_path / "home").write_metadata(folder, first))


def test_only_what_has_changed_is_downloaded(tmp_path: Path, engine: Engine, second: EngineFiles) -> None:
    torch, ballast = second.files
    assert unchanged_files(engine, second) == (torch,)
    assert fetched_files(second, (torch,)).files == (ballast,) and unchanged_files(None, second) == ()
    new = tmp_path / "new"
    (new / LIBRARIES).mkdir(parents=True)
    link_libraries([torch], engine.folder, new)
    linked = {each.name for each in (new / LIBRARIES).rglob("*") if each.is_file()}
    assert linked == {"borrowed.pth", OWN, "METADATA", "WHEEL", "RECORD"} and ballast.name.startswith("ballast-2.0")
    assert (new / LIBRARIES / "borrowed.pth").samefile(engine.folder / LIBRARIES / "borrowed.pth")


def test_an_engine_that_is_made_anew_takes_nothing_from_itself(engine: Engine, first: EngineFiles) -> None:
    assert unchanged_files(engine, first) == ()


def test_a_library_that_is_not_whole_is_downloaded_again(engine: Engine, second: EngineFiles) -> None:
    (engine.folder / LIBRARIES / "borrowed.pth").write_text("cut")
    assert unchanged_files(engine, second) == ()
    (engine.folder / LIBRARIES / "borrowed.pth").unlink()
    assert unchanged_files(engine, second) == ()


def test_a_library_leads_nowhere_else(engine: Engine, second: EngineFiles) -> None:
    record = engine.folder / LIBRARIES / "torch-1.0.dist-info" / "RECORD"
    whole = record.read_text()
    record.write_text(f"{whole}../../../bin/torchrun,sha256=x,12\n")
    assert len(unchanged_files(engine, second)) == 1, "its scripts are left out"
    record.write_text(f"{whole}../../../../elsewhere,sha256=x,\n")
    assert unchanged_files(engine, second) == ()


def test_who_is_asked_sees_what_is_really_downloaded(engine: Engine, second: EngineFiles) -> None:
    from core.engine.build_selection import Choice, suited_build

    torch = msgspec.structs.replace(second.files[0], unpacked_bytes=9_000_000_000)
    newer = msgspec.structs.replace(second, files=(torch, second.files[1]))
    fetched = fetched_files(newer, unchanged_files(engine, newer))
    offer = EngineOffer(engine.folder, Choice(suited_build(), newer), is_newer=True, fetched=fetched)
    facts = dict(engine_texts.facts(offer))
    assert facts["Download"] == "3.0 MB" and facts["Disk"].startswith("6.3 MB needed")


@pytest.mark.parametrize(
    ("build", "large"),
    [
        ("cpu", {"torch", "pyarrow", "scipy"}),
        (
            "cuda13",
            {
                *("torch", "triton", "nvidia-cublas", "nvidia-cudnn-cu13", "nvidia-cufft", "nvidia-nccl-cu13"),
                *("nvidia-cusolver", "nvidia-cusparselt-cu13"),
            },
        ),
    ],
)
def test_a_patch_of_nearly_any_library_is_a_twentieth_of_the_download(build: BuildName, large: set[str]) -> None:
    """The figures of the page Installation, from the lists that the engines are made of."""
    files = all_files(build).for_python("3.11")
    assert {each.library for each in files.downloaded if each.bytes > files.download_bytes / 20} == large
    assert len(files.downloaded) == {"cpu": 78, "cuda13": 98}[build] and this_python()
