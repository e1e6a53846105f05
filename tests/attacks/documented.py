"""The tests that the security page names as the proof of what it says."""

from __future__ import annotations

import re

from tests.support.checkout import ROOT

PAGE = ROOT / "resources" / "docs" / "security.md"
_TEST = re.compile(r"`(tests/[\w/]+\.py(?:::\w+)?)`")
_FINDINGS = re.compile(r"^\| ([\d, ]+|–) \|", re.MULTILINE)


def documented_tests() -> list[str]:
    """As pytest takes them; each once."""
    return list(dict.fromkeys(_TEST.findall(PAGE.read_text())))


def documented_findings() -> set[int]:
    """The numbers of the review's findings that have a row in the table of what a stranger cannot do."""
    cells = ",".join(_FINDINGS.findall(PAGE.read_text()))
    return {int(number) for number in re.findall(r"\d+", cells)}
