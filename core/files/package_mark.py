"""Whether the package manager has replaced or removed this program since it was started."""

from __future__ import annotations

from pathlib import Path

from core.files.resources import ROOT

CONFIGURED = "configured"
"""The file of the package's own scripts: ``postinst`` writes it anew, ``prerm`` removes it."""


class PackageMark:
    """What the package's scripts say of the program in that folder: nothing where it was installed in another way."""

    def __init__(self, root: Path = ROOT) -> None:
        self._file, self._core = root / CONFIGURED, root / "core"
        self._at_start = self._content()
        self._was_missing = False

    def is_replaced(self) -> bool:
        """Whether another version, or the same one again, is installed in full; not in the midst of an upgrade."""
        return bool(self._at_start) and self._content() not in (b"", self._at_start)

    def is_removed(self) -> bool:
        """Whether the program was not there at this look, nor at the one before; to be asked now and then.

        Where it is renewed in one piece it is missing for a moment between two renames.
        """
        is_missing = bool(self._at_start) and self._is_missing()
        was_missing, self._was_missing = self._was_missing, is_missing
        return is_missing and was_missing

    def _is_missing(self) -> bool:
        """Whether it is not there; false where the file system does not answer, as a network's for a while."""
        try:
            self._core.stat()
        except OSError as error:
            return isinstance(error, FileNotFoundError | NotADirectoryError)
        return False

    def _content(self) -> bytes:
        try:
            with self._file.open("rb") as file:
                return file.read(100)
        except OSError:
            return b""
