"""Rows of a data set on the Hugging Face hub, streamed by the library `datasets`; never whole on disk."""

from __future__ import annotations

import gzip
import itertools
import random
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from core.errors import ErrorKind, UserError
from core.run.spec.data import HubDataset, HubImages
from core.security.verified_download import UnreachableError, is_final
from core.worker.data.dataset_card import read_card
from core.worker.data.dataset_files import SplitFiles, find_split
from core.worker.fetch.background_task import BackgroundTask
from core.worker.fetch.file_store import FileStore
from core.worker.fetch.hub_repository import HubRepository, configure_hub_library
from core.worker.fetch.retry import retry_with_backoff

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
                card = read_card(self._repository, self._data.config, task)
                names = [file.name for file in self._repository.files(task)]
                files = find_split(card, self._data.split, names)
                self._dataset = retry_with_backoff(
                    lambda: translate_hub_errors(lambda: self._opened(files)), task, what
                )
            stream = _Stream(self._in_order(order), self._columns)
            while rows := retry_with_backoff(lambda: translate_hub_errors(stream.next_rows), task, what):
                yield from rows
        except (ValueError, LookupError) as error:
            raise UserError(ErrorKind.FILES_REFUSED, f"{what}: {error}.") from error

    def _opened(self, files: SplitFiles) -> Any:
        """Open the split; nothing of it is read yet. The library is told its files, and resolves nothing by itself."""
        configure_hub_library(self._store)
        import datasets
        from datasets import config

        config.STREAMING_READ_MAX_RETRIES = 1  # our own back-off tells a person, and ends when we leave
        config.STREAMING_READ_RETRY_INTERVAL = config.STREAMING_READ_SERVER_UNAVAILABLE_RETRY_INTERVAL = 0
        config.STREAMING_READ_RATE_LIMIT_RETRY_INTERVAL = 0
        datasets.disable_progress_bars()
        dataset = self._builder(files).as_streaming_dataset(split=self._data.split)
        # or the library opens whatever place an image's row names: any file of this computer, any address
        return dataset.decode(False) if dataset.features else dataset

    def _builder(self, files: SplitFiles) -> Any:
        """The library's reader of the files' format; others, some of which unpickle, are never imported here."""
        from datasets.data_files import DataFilesDict, DataFilesList

        repository, revision = self._data.repository, self._data.revision
        home = f"hf://datasets/{repository}@{revision}"
        places = DataFilesList([f"{home}/{name}" for name in files.names], [(repository, revision)] * len(files.names))
        module = import_module(f"datasets.packaged_modules.{files.format}.{files.format}")
        return getattr(module, files.format.capitalize())(
            cache_dir=str(self._store.folder("library") / "datasets"),
            config_name=self._data.config or "default",
            hash=revision,
            base_path=home,
            repo_id=repository,
            token=False,
            data_files=DataFilesDict({self._data.split: places}),
            **files.options,
        )

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
    except (FileNotFoundError, gzip.BadGzipFile) as error:
        raise ValueError(_first_line(error)) from error
    except (httpx2.TransportError, OSError) as error:
        raise UnreachableError(repr(error)) from error
    except (ValueError, LookupError):
        raise
    except Exception as error:  # whatever else the libraries have: it must end in words, too
        raise ValueError(f"it cannot be read: {_first_line(error)}") from error


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
