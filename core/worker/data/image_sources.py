"""Sources of encoded images with their labels: Parquet files, and data sets on the Hugging Face hub."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from core.errors import ErrorKind, UserError
from core.localizable import localized
from core.run.spec.data import HubImages, ImageFiles
from core.worker.data.hub_rows import HubRows
from core.worker.data.parquet_rows import read_rows
from core.worker.fetch.background_task import BackgroundTask
from core.worker.fetch.file_cache import FileCache
from core.worker.fetch.file_store import FileStore

_ROWS = 16  # at once; images are large


@dataclass(frozen=True)
class EncodedImage:
    """The content of an image file, empty where there is none; ``label`` is whatever the column holds."""

    encoded: bytes
    label: object


class ImageSource(Protocol):
    """A source of encoded images; raises UserError for what cannot be read."""

    def read(self, order: random.Random, task: BackgroundTask) -> Iterator[EncodedImage]:
        """Read all images once, in that order."""


class ParquetImages:
    """Images in Parquet files; a file that is not in the cache is fetched when its turn comes."""

    def __init__(self, data: ImageFiles, cache: FileCache) -> None:
        self._data, self._cache = data, cache

    def read(self, order: random.Random, task: BackgroundTask) -> Iterator[EncodedImage]:
        """Read all files once, in that order."""
        files, columns = list(self._data.files), (self._data.image_column, self._data.label_column)
        order.shuffle(files)
        for file in files:
            path = self._cache.file(file, task)
            try:
                for image, label in read_rows(path, columns, order, _ROWS):
                    yield EncodedImage(_content(image), label)
            except (OSError, ValueError, LookupError) as error:
                raise UserError(ErrorKind.FILES_REFUSED, localized("%1: %2.", file.url, error)) from error


class HubImageSource:
    """Images and labels in two columns of one split of a data set on the Hugging Face hub."""

    def __init__(self, data: HubImages, store: FileStore) -> None:
        self._rows = HubRows(data, (data.image_column, data.label_column), store)

    def read(self, order: random.Random, task: BackgroundTask) -> Iterator[EncodedImage]:
        """Read the split once, in that order."""
        for image, label in self._rows.read(order, task):
            yield EncodedImage(_content(image), label)


def _content(value: Any) -> bytes:
    """The bytes that the row itself holds; a path or a URL in their place is never followed."""
    found = value.get("bytes") if isinstance(value, dict) else value
    return found if isinstance(found, bytes) else b""
