"""Rows of a data set on the Hugging Face hub, read as a stream; after a lost connection it goes on where it was."""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec

from core.errors import ErrorKind, UserError
from core.localizable import localized
from core.run.spec.data import HubDataset, HubImages
from core.worker.data.dataset_card import read_card
from core.worker.data.dataset_files import find_split
from core.worker.fetch.background_task import BackgroundTask
from core.worker.fetch.fetcher import streamed_rows
from core.worker.fetch.file_store import FileStore
from core.worker.fetch.hub_repository import HubRepository
from core.worker.fetch.hub_stream import ReadRows, Row, Rows, Split
from core.worker.fetch.retry import retry_with_backoff


class HubRows:
    """The values of some columns of one split, row by row."""

    def __init__(self, data: HubDataset | HubImages, columns: tuple[str, ...], store: FileStore) -> None:
        self._data, self._columns, self._store = data, columns, store
        self._repository = HubRepository("dataset", data.repository, data.revision, store)
        self._split: Split | None = None

    def read(self, order: random.Random | None, task: BackgroundTask) -> Iterator[Row]:
        """Read the split once, in that order; after a lost connection it goes on where it was. Raises UserError."""
        what = f"{self._data.repository}, {self._data.split}"
        try:
            if self._split is None:
                self._split = self._found(task)
            stream = _Stream(ReadRows(self._split, self._columns, order.getrandbits(32) if order else None))
            while rows := retry_with_backoff(stream.next_rows, task, what):
                yield from rows
        except (ValueError, LookupError) as error:
            raise UserError(ErrorKind.FILES_REFUSED, localized("%1: %2.", what, error)) from error

    def _found(self, task: BackgroundTask) -> Split:
        """The files of the split; raises ValueError."""
        data = self._data
        names = [file.name for file in self._repository.files(task)]
        files = find_split(read_card(self._repository, data.config, task), data.split, names)
        return Split(
            data.repository,
            data.revision,
            data.config or "",
            data.split,
            files.format,
            files.names,
            tuple(files.options.items()),
            str(self._store.folder("library")),
        )


class _Stream:
    """Rows of a split, some at a time; resumes where it was before a failure."""

    def __init__(self, request: ReadRows) -> None:
        self._request = request
        self._stream: Iterator[Rows] | None = None

    def next_rows(self) -> list[Row]:
        """The next rows; an empty list at the end of the data."""
        if self._stream is None:
            self._stream = streamed_rows(self._request)
        try:
            found = next(self._stream, None)
        except BaseException:
            self._stream = None
            raise
        if found is None:
            return []
        self._request = msgspec.structs.replace(self._request, state=found.state)
        return found.rows
