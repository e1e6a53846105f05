"""The tests that the security page names as the proof of what it says."""

from __future__ import annotations

import re

from tests.support.checkout import ROOT

PAGE = ROOT / "resources" / "docs" / "security.md"
_TEST = re.compile(r"`(tests/[\w/]+\.py(?:::\w+)?)`")


def documented_tests() -> list[str]:
    """As pytest takes them; each once."""
    return list(dict.fromkeys(_TEST.findall(PAGE.read_text())))
