"""Documents of verified files, read in chunks that every peer takes in an order of its own."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from core.errors import ErrorKind, UserError
from core.localizable import localized
from core.run.spec.data import TextFiles
from core.worker.data.documents import MAX_DOCUMENT_CHARACTERS, split_long_text
from core.worker.data.parquet_rows import read_rows
from core.worker.fetch.background_task import BackgroundTask
from core.worker.fetch.file_cache import FileCache

CHUNK_BYTES = 1 << 20
_LONGEST_LINE_BYTES = 1 << 26
_ROWS = 256  # at once


class FileDocuments:
    """Documents of the run's files; a file that is not in the cache is fetched when its turn comes."""

    def __init__(self, data: TextFiles, cache: FileCache) -> None:
        self._data, self._cache = data, cache

    def read(self, order: random.Random | None, task: BackgroundTask) -> Iterator[str]:
        """Read all files once; without an order, from the first byte of the first one to the last."""
        files = list(self._data.files)
        if order:
            order.shuffle(files)
        for file in files:
            path = self._cache.file(file, task)
            try:
                yield from self._in(path, order)
            except (OSError, ValueError, LookupError, msgspec.MsgspecError) as error:
                raise UserError(ErrorKind.FILES_REFUSED, localized("%1: %2.", file.url, error)) from error

    def _in(self, path: Path, order: random.Random | None) -> Iterator[str]:
        if self._data.format == "parquet":
            rows = read_rows(path, (self._data.column,), order, _ROWS)
            texts: Iterator[str] = (text for (text,) in rows if isinstance(text, str))
        else:
            texts = self._of_lines(path, order)
        return itertools.chain.from_iterable(split_long_text(text) for text in texts)

    def _of_lines(self, path: Path, order: random.Random | None) -> Iterator[str]:
        starts = list(range(0, path.stat().st_size, CHUNK_BYTES))
        if order:
            order.shuffle(starts)
        with path.open("rb") as file:
            for start in starts:
                end = start + CHUNK_BYTES
                if not _seek_line(file, start, end):
                    continue
                if self._data.format == "text":
                    yield from _paragraphs(file, start, end)
                else:
                    yield from _of_json(file, end, self._data.column)


def _of_json(file: BinaryIO, end: int, column: str) -> Iterator[str]:
    for _, line in _lines(file, end):
        if not line.strip():
            continue
        row = msgspec.json.decode(line)
        if not isinstance(row, dict) or column not in row:
            raise LookupError(f"a line in it has no “{column}”")
        if isinstance(text := row[column], str):
            yield text


def _paragraphs(file: BinaryIO, start: int, end: int) -> Iterator[str]:
    """The paragraphs after each empty line that begins in the chunk; in the first chunk, the file's first one, too."""
    kept: list[bytes] = []
    size = 0
    is_ours = start == 0
    for position, line in _lines(file, None):
        if not line.strip():
            if kept:
                yield _decoded(kept)
            kept, size = [], 0
            is_ours = True
            if position >= end:
                return
        elif is_ours:
            kept.append(line)
            size += len(line)
            if size >= MAX_DOCUMENT_CHARACTERS:
                yield _decoded(kept)
                kept, size = [], 0
        elif position >= end:
            return
    if kept:
        yield _decoded(kept)


def _seek_line(file: BinaryIO, start: int, end: int) -> bool:
    """Go to the first line that begins at or after ``start``; whether one begins before ``end``."""
    file.seek(max(0, start - 1))
    return start == 0 or (file.readline(end - start + 1).endswith(b"\n") and file.tell() < end)


def _lines(file: BinaryIO, end: int | None) -> Iterator[tuple[int, bytes]]:
    """The lines from here on that begin before ``end``, each with its offset in bytes."""
    while True:
        position = file.tell()
        if end is not None and position >= end:
            return
        line = file.readline(_LONGEST_LINE_BYTES)
        if not line:
            return
        yield position, line


def _decoded(lines: list[bytes]) -> str:
    return b"".join(lines).decode("utf-8", "replace").rstrip("\n")
