"""Where images come from, still as they were written, each with what is said of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from core.errors import ErrorKind, UserError
from core.run.spec.data import HubImages, ImageFiles
from core.worker.data.hub_rows import HubRows
from core.worker.data.parquet_rows import rows_in
from core.worker.fetch.background_task import BackgroundTask
from core.worker.fetch.file_cache import FileCache
from core.worker.fetch.file_store import FileStore

_ROWS = 16  # at once; images are large


@dataclass(frozen=True)
class Picture:
    """``encoded`` is a file's content, empty where there is none; ``label`` is whatever the column holds."""

    encoded: bytes
    label: object


class ImageSource(Protocol):
    """All pictures of the data, one after the other; raises ClientError for what cannot be read."""

    def read(self, order: random.Random, errand: BackgroundTask) -> Iterator[Picture]:
        """Once through the data, in that order."""


class FilePictures:
    """Those in Parquet files; one that is not on the shelf is fetched when its turn comes."""

    def __init__(self, data: ImageFiles, shelf: FileCache) -> None:
        self._data, self._shelf = data, shelf

    def read(self, order: random.Random, errand: BackgroundTask) -> Iterator[Picture]:
        """Once through all files."""
        files, columns = list(self._data.files), (self._data.image_column, self._data.label_column)
        order.shuffle(files)
        for file in files:
            path = self._shelf.file(file, errand)
            try:
                for image, label in rows_in(path, columns, order, _ROWS):
                    yield Picture(_content(image), label)
            except (OSError, ValueError, LookupError) as error:
                raise UserError(ErrorKind.FILES_REFUSED, f"{file.url}: {error}.") from error


class HubPictures:
    """Those in two columns of one split of a hub's data set."""

    def __init__(self, data: HubImages, store: FileStore) -> None:
        self._rows = HubRows(data, (data.image_column, data.label_column), store)

    def read(self, order: random.Random, errand: BackgroundTask) -> Iterator[Picture]:
        """Once through the split."""
        for image, label in self._rows.read(order, errand):
            yield Picture(_content(image), label)


def _content(value: Any) -> bytes:
    """What the data set itself holds; a path or an address in its place is never followed."""
    found = value.get("bytes") if isinstance(value, dict) else value
    return found if isinstance(found, bytes) else b""
