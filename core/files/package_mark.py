"""Whether the package manager has replaced this program since it was started."""

from __future__ import annotations

from pathlib import Path

from core.files.resources import ROOT

CONFIGURED = "configured"
"""The file of the package's own scripts: ``postinst`` writes it anew, ``prerm`` removes it."""


class PackageMark:
    """What the package's scripts say of the program in that folder: nothing where it was installed in another way."""

    def __init__(self, root: Path = ROOT) -> None:
        self._file = root / CONFIGURED
        self._at_start = self._content()

    def is_replaced(self) -> bool:
        """Whether another version, or the same one again, is installed in full; not in the midst of an upgrade."""
        return bool(self._at_start) and self._content() not in (b"", self._at_start)

    def _content(self) -> bytes:
        try:
            with self._file.open("rb") as file:
                return file.read(100)
        except OSError:
            return b""
