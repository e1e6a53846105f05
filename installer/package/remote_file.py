"""A file on a server that is read in pieces: an archive's table of contents without the archive."""

from __future__ import annotations

import io
import urllib.request


class RemoteFile(io.RawIOBase):
    """As zipfile wants it; each read asks for a range."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url, self._place = url, 0
        with urllib.request.urlopen(urllib.request.Request(url, method="HEAD")) as answer:
            self.size = int(answer.headers["Content-Length"])

    def seekable(self) -> bool:
        """It is."""
        return True

    def readable(self) -> bool:
        """It is."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go there; nothing is read yet."""
        self._place = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self.size}[whence]
        return self._place

    def tell(self) -> int:
        """Where the next read begins."""
        return self._place

    def read(self, size: int = -1) -> bytes:
        """At most so much from here."""
        end = self.size if size < 0 else min(self.size, self._place + size)
        if end <= self._place:
            return b""
        asked = {"Range": f"bytes={self._place}-{end - 1}"}
        with urllib.request.urlopen(urllib.request.Request(self._url, headers=asked)) as answer:
            got: bytes = answer.read()
        self._place += len(got)
        return got
