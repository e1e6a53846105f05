"""The package's lists say what the project says; what it is made of is locked."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from PySide6.QtGui import QImage

from core.engine.file_lists import FOLDER, EngineFiles
from core.engine.pythons import PYTHONS
from installer.package import engine_lists
from installer.package.publisher import with_pictures
from installer.package.tree import Release
from tests.support.checkout import ROOT

PACKAGE = ROOT / "installer" / "package"
METAINFO = PACKAGE / "files" / "org.workerbee.Workerbee.metainfo.xml"


def normal(name: str) -> str:
    """As indexes spell it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned(path: Path) -> dict[str, str]:
    """The versions in a list of requirements."""
    found = re.findall(r"^([A-Za-z0-9_.-]+)==([^\s\\]+)", path.read_text("utf-8"), re.MULTILINE)
    return {normal(name): version for name, version in found}


CONSTRAINTS = pinned(ROOT / "constraints.txt")


@pytest.mark.parametrize("name", ["client.txt", "shipped.txt"])
def test_what_goes_inside_is_what_the_project_is_tested_with(name: str) -> None:
    inside = pinned(PACKAGE / name)
    assert inside.items() <= CONSTRAINTS.items()
    text = (PACKAGE / name).read_text("utf-8")
    assert len(re.findall(r"--hash=sha256:[0-9a-f]{64}\b", text)) >= len(inside)


@pytest.mark.parametrize("build", ["cpu", "cuda13"])
def test_the_engines_are_of_the_versions_that_the_project_is_tested_with(build: str) -> None:
    files = msgspec.json.decode((FOLDER / f"{build}.json").read_bytes(), type=EngineFiles)
    named = {each.library: each.version.partition("+")[0] for each in files.files}
    stale = {name: version for name, version in named.items() if CONSTRAINTS.get(name, version) != version}
    assert stale == {}, "run: python -m installer.package.engine_lists"


@pytest.mark.parametrize("python", PYTHONS)
def test_every_library_of_the_project_is_in_the_engine_or_made_with_the_package(python: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = {normal(re.split(r"[<>=! ]", each)[0]) for each in project["dependencies"]}
    for build in ("cpu", "cuda13"):
        files = msgspec.json.decode((FOLDER / f"{build}.json").read_bytes(), type=EngineFiles)
        listed = {each.library for each in files.for_python(python).files}
        assert wanted <= listed | pinned(PACKAGE / "shipped.txt").keys(), build


@pytest.mark.parametrize("python", PYTHONS)
def test_only_the_engine_for_gpus_has_what_only_gpus_can(python: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = {normal(re.split(r"[<>=! ]", each)[0]) for each in project["optional-dependencies"]["quantization"]}
    for build, has_it in (("cuda13", True), ("cpu", False)):
        files = msgspec.json.decode((FOLDER / f"{build}.json").read_bytes(), type=EngineFiles)
        assert (wanted <= {each.library for each in files.for_python(python).files}) is has_it
    assert all(name.startswith(engine_lists._ONLY_FOR_GPUS) for name in wanted)


def filled_metainfo(address: str) -> str:
    """AppStream's metadata as a package has it whose publisher put the pictures there."""
    text = Release("0.1.0", 1_800_000_000).fill(METAINFO.read_text("utf-8"))
    return with_pictures(text, address, ROOT / "resources" / "pictures")


def test_a_package_names_pictures_only_where_its_publisher_has_put_them() -> None:
    assert "<image" not in filled_metainfo("") and "example.org" not in filled_metainfo("")
    images = list(ElementTree.fromstring(filled_metainfo("https://pictures.test/w/")).iter("image"))
    assert len(images) >= 3
    for image in images:
        picture = ROOT / "resources" / "pictures" / (image.text or "").removeprefix("https://pictures.test/w/")
        shown = QImage(str(picture)).size()
        assert (shown.width(), shown.height()) == (int(image.get("width", 0)), int(image.get("height", 0)))


def test_an_address_that_software_centres_refuse_is_refused_before() -> None:
    with pytest.raises(ValueError, match="https"):
        filled_metainfo("http://pictures.test")


@pytest.mark.skipif(shutil.which("appstreamcli") is None, reason="needs appstreamcli")
@pytest.mark.parametrize("address", ["", "https://pictures.test/w"])
def test_a_software_centre_can_read_what_the_package_says_of_itself(tmp_path: Path, address: str) -> None:
    metainfo = tmp_path / METAINFO.name
    metainfo.write_text(filled_metainfo(address), "utf-8")
    command = ["appstreamcli", "validate", "--no-net", str(metainfo)]
    said = subprocess.run(command, capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr
