"""The documents say what the code says: generated parts are up to date, links lead somewhere, files are there."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, get_args

import msgspec
import pytest
from msgspec import Meta

from core.engine.builds import CUDA_BUILDS
from core.engine.pythons import PYTHONS
from core.files.documents import FOLDER, slug_of
from core.hardware.pci_gpus import Vendor
from installer.docs.__main__ import REGIONS, generated, main
from installer.docs.struct_fields import UndocumentedError, rule_of, sentence_of
from installer.docs.systems import SYSTEMS, Proof
from tests.support.checkout import ROOT

README = ROOT / "README.md"
MAX_README_BYTES = 16_000
DOCUMENTS = [README, ROOT / "CONTRIBUTING.md", *sorted(FOLDER.glob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
CODE_BLOCK = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
SOURCE_FILE = re.compile(r"`((?:app|core|installer|resources|tests)/[\w/.-]+)`")


def links_of(document: Path) -> Iterator[tuple[Path, str]]:
    """The file and the anchor of every link that stays within the checkout."""
    for link in LINK.findall(CODE_BLOCK.sub("", document.read_text("utf-8"))):
        if not link.startswith("https://"):
            file, _, anchor = link.partition("#")
            yield (document.parent / file).resolve() if file else document, anchor


def anchors_of(document: Path) -> set[str]:
    """The anchors of a document's headings, without the links and the code marks in them."""
    headings = HEADING.findall(CODE_BLOCK.sub("", document.read_text("utf-8")))
    return {slug_of(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")) for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_each_row_of_a_table_has_a_cell_for_each_heading(document: Path) -> None:
    """A block of rows without a line below its headings is shown as text."""
    columns, place, wrong = 0, 0, list[str]()
    for line in CODE_BLOCK.sub("", document.read_text("utf-8")).splitlines():
        cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        place = place + 1 if cells else 0
        if (columns and cells and cells != columns) or (place == 2) != bool(re.fullmatch(r"\|[-:| ]+\|", line)):
            wrong.append(line)
        columns = (columns or cells) if cells else 0
    assert wrong == []


def test_the_readme_is_short() -> None:
    assert len(README.read_bytes()) <= MAX_README_BYTES


@pytest.mark.parametrize("name", REGIONS)
def test_the_generated_parts_are_up_to_date(name: str) -> None:
    assert (FOLDER / name).read_text("utf-8") == generated(name), "run: make docs"


def test_a_document_that_is_behind_fails_the_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in FOLDER.glob("*.md"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr("installer.docs.__main__.FOLDER", tmp_path)
    reference = tmp_path / "run-file-reference.md"
    reference.write_text(reference.read_text("utf-8").replace("`target_batch_size`", "`batch`"), "utf-8")
    assert main(["--check"]) == 1
    assert capsys.readouterr().err == "run-file-reference.md is behind; run: python -m installer.docs\n"
    assert main([]) == 0 and main(["--check"]) == 0


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_to_a_file_and_a_heading(document: Path) -> None:
    links = list(links_of(document))
    assert [str(file) for file, _ in links if not file.exists()] == []
    assert [f"{file.name}#{anchor}" for file, anchor in links if anchor and anchor not in anchors_of(file)] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_source_file_that_is_named_exists(document: Path) -> None:
    named = SOURCE_FILE.findall(document.read_text("utf-8"))
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_package_ships_the_documents_and_their_pictures() -> None:
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["package-data"]
    shipped = {path for pattern in patterns["resources"] for path in (ROOT / "resources").glob(pattern)}
    shown = {file for document in FOLDER.glob("*.md") for file, _ in links_of(document)}
    assert {path for path in shown if path.is_relative_to(ROOT / "resources")} <= shipped


class _Described(msgspec.Struct):
    """A struct for the tests of its own description."""

    told: int = 0
    """The number of times."""
    untold: int = 0


def test_each_system_is_measured_tested_by_stand_in_or_untried_and_the_first_two_name_what_has_shown_it() -> None:
    for system in SYSTEMS:
        assert system.proof in get_args(Proof)
        assert (ROOT / system.shown_by).exists() if system.proof != "untried" else not system.shown_by, system.name
        assert system.shown_by or system.proof == "untried", system.name


def test_each_python_each_engine_and_each_vendor_of_gpus_has_its_row_in_the_table_of_systems() -> None:
    names = [system.name for system in SYSTEMS]
    assert len(set(names)) == len(names)
    pythons = ", ".join(name for name in names if name.startswith("Python "))
    assert [python for python in PYTHONS if python not in pythons] == []
    engines = ", ".join(name for name in names if "engine" in name.lower())
    assert [build.cuda for build in CUDA_BUILDS if build.cuda not in engines] == []
    for other in ("CPU", "ROCm", "XPU"):
        assert other in engines
    for vendor in get_args(Vendor):
        assert any(f"{vendor} GPU" in name for name in names), vendor


def test_a_field_without_a_sentence_stops_the_generator() -> None:
    assert sentence_of(_Described, "told") == "The number of times."
    with pytest.raises(UndocumentedError, match=r"_Described\.untold has no sentence"):
        sentence_of(_Described, "untold")


def test_a_pattern_without_words_stops_the_generator() -> None:
    told = Annotated[str, Meta(pattern="^a+$", description="only the letter a")]
    assert str(rule_of(told)) == "text, only the letter a"
    with pytest.raises(UndocumentedError, match="no description"):
        rule_of(Annotated[str, Meta(pattern="^a+$")])


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Annotated[int, Meta(ge=1, le=1_000_000)], "whole number, ≥ 1 and ≤ 1,000,000"),
        (Annotated[float, Meta(gt=0, lt=1)] | None, 'number or `"none"`, > 0 and < 1'),
        (tuple[Annotated[str, Meta(max_length=8)], ...], "list of texts, each at most 8 characters"),
        (tuple[float, float], "list of 2 numbers"),
        (bool, "`true` or `false`"),
    ],
)
def test_a_type_is_said_in_words(kind: object, words: str) -> None:
    assert str(rule_of(kind)) == words
