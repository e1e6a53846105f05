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

from core.engine.file_lists import FOLDER, EngineFiles
from installer.package.tree import Release
from installer.package.wheels import PYTHONS
from tests.support.checkout import ROOT

PACKAGE = ROOT / "installer" / "package"
METAINFO = PACKAGE / "files" / "org.workerbee.Workerbee.metainfo.xml"
PNG_HEAD_BYTES = 24


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


def size_of(picture: Path) -> tuple[int, int]:
    """Width and height, which every PNG begins with."""
    head = picture.read_bytes()[:PNG_HEAD_BYTES]
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")


def test_the_software_centre_shows_the_readmes_pictures_in_the_size_that_they_have() -> None:
    images = list(ElementTree.parse(METAINFO).iter("image"))
    assert len(images) >= 3
    for image in images:
        address = image.text or ""
        told = int(image.get("width", 0)), int(image.get("height", 0))
        assert address.startswith("https://")
        assert size_of(ROOT / "resources" / "pictures" / address.rpartition("/")[2]) == told


@pytest.mark.skipif(shutil.which("appstreamcli") is None, reason="needs appstreamcli")
def test_a_software_centre_can_read_what_the_package_says_of_itself(tmp_path: Path) -> None:
    fill_placeholders = tmp_path / METAINFO.name
    fill_placeholders.write_text(Release("0.1.0", 1_800_000_000).fill(METAINFO.read_text("utf-8")), "utf-8")
    command = ["appstreamcli", "validate", "--no-net", str(fill_placeholders)]
    said = subprocess.run(command, capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr
