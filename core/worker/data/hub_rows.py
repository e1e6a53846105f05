"""Rows of a data set on the Hugging Face hub, streamed by the library `datasets`; never whole on disk."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

from core.errors import ErrorKind, UserError
from core.run.spec.data import HubDataset, HubImages
from core.security.verified_download import UnreachableError, is_final
from core.worker.data.dataset_card import refuse_foreign_data
from core.worker.fetch.background_task import BackgroundTask
from core.worker.fetch.file_store import FileStore
from core.worker.fetch.hub_repository import HubRepository, configure_hub_library
from core.worker.fetch.retry import retry_with_backoff

_FORMATS = ("parquet", "json", "text", "csv")
Row = tuple[Any, ...]
"""The values of the columns that were asked for, in their order."""
_ROWS = 64  # at once
_FEW_FILES = 16  # are shuffled by row groups, for which the footer of each file has to be read


class HubRows:
    """The values of some columns of one split, row by row."""

    def __init__(self, data: HubDataset | HubImages, columns: tuple[str, ...], store: FileStore) -> None:
        self._data, self._columns, self._store = data, columns, store
        self._repository = HubRepository("dataset", data.repository, data.revision, store)
        self._dataset: Any = None

    def read(self, order: random.Random | None, task: BackgroundTask) -> Iterator[Row]:
        """Read the split once, in that order; after a lost connection it goes on where it was. Raises UserError."""
        what = f"{self._data.repository}, {self._data.split}"
        try:
            if self._dataset is None:
                refuse_foreign_data(self._repository, task)
                self._dataset = retry_with_backoff(lambda: translate_hub_errors(self._opened), task, what)
            stream = _Stream(self._in_order(order), self._columns)
            while rows := retry_with_backoff(lambda: translate_hub_errors(stream.next_rows), task, what):
                yield from rows
        except (ValueError, LookupError) as error:
            raise UserError(ErrorKind.FILES_REFUSED, f"{what}: {error}.") from error

    def _opened(self) -> Any:
        """Open the split; nothing of it is read yet. Raises ValueError for formats and places that are not allowed."""
        configure_hub_library(self._store)
        import datasets
        from datasets import config, load_dataset_builder

        config.STREAMING_READ_MAX_RETRIES = 1  # our own back-off tells a person, and ends when we leave
        config.STREAMING_READ_RETRY_INTERVAL = config.STREAMING_READ_SERVER_UNAVAILABLE_RETRY_INTERVAL = 0
        config.STREAMING_READ_RATE_LIMIT_RETRY_INTERVAL = 0
        datasets.disable_progress_bars()
        builder = load_dataset_builder(
            self._data.repository,
            name=self._data.config,
            revision=self._data.revision,
            cache_dir=str(self._store.folder("library") / "datasets"),
            token=False,
        )
        self._refuse_all_but_data(builder)
        dataset = builder.as_streaming_dataset(split=self._data.split)
        # or the library opens whatever place an image's row names: any file of this computer, any address
        return dataset.decode(False) if dataset.features else dataset

    def _refuse_all_but_data(self, builder: Any) -> None:
        """Raise ValueError for other formats, whose readers unpickle, and for data outside the repository."""
        name = type(builder).__module__
        if name not in {f"datasets.packaged_modules.{each}.{each}" for each in _FORMATS}:
            raise ValueError(f"its format, {name.rpartition('.')[2]}, is none of {', '.join(_FORMATS)}")
        home = f"hf://datasets/{self._data.repository}@{self._data.revision}/"
        for places in (builder.config.data_files or {}).values():
            for place in places:
                if not str(place).startswith(home):
                    raise ValueError(f"{place} is not in the repository")

    def _in_order(self, order: random.Random | None) -> Any:
        """The data set with its shards in that order; rows are shuffled later, in a buffer."""
        dataset = self._dataset
        if order is None:
            return dataset
        if dataset.num_shards <= _FEW_FILES:
            dataset = dataset.reshard()
        return dataset.shuffle(seed=order.getrandbits(32), buffer_size=1, max_buffer_input_shards=1)


class _Stream:
    """Rows of a streamed data set, some at a time; resumes where it was before a failure."""

    def __init__(self, dataset: Any, columns: tuple[str, ...]) -> None:
        self._dataset, self._columns = dataset, columns
        self._rows: Iterator[Any] | None = None
        self._state: Any = None

    def next_rows(self) -> list[Row]:
        """The next rows; an empty list at the end of the data."""
        try:
            if self._rows is None:
                if self._state is not None:
                    self._dataset.load_state_dict(self._state)
                self._rows = iter(self._dataset)
            rows = list(itertools.islice(self._rows, _ROWS))
            for column in self._columns if rows else ():
                if column not in rows[0]:
                    raise LookupError(f"it has no column “{column}”")
            self._state = self._dataset.state_dict()
        except BaseException:
            self._rows = None
            raise
        return [tuple(row.get(column) for column in self._columns) for row in rows]


def translate_hub_errors(attempt: Any) -> Any:
    """The result of ``attempt``; raises UnreachableError where another attempt may help, else ValueError."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError

    try:
        return attempt()
    except HfHubHTTPError as error:
        if is_final(error.response.status_code):
            raise ValueError(f"the hub answers {error.response.status_code}") from error
        raise UnreachableError(repr(error)) from error
    except FileNotFoundError as error:
        raise ValueError(str(error).splitlines()[0]) from error
    except (httpx2.TransportError, OSError) as error:
        raise UnreachableError(repr(error)) from error
