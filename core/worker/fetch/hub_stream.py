"""A data set of the Hugging Face hub as the library `datasets` streams it; never whole on disk."""

from __future__ import annotations

import functools
import gzip
import itertools
import json
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Literal, TypeVar

import msgspec

from core.localizable import localized
from core.security.verified_download import UnreachableError, is_final
from core.worker.fetch.hub_listing import configure_hub_library

Row = tuple[Any, ...]
"""The values of the columns that were asked for, in their order."""
_ROWS, _ROWS_BYTES = 64, 16_000_000  # at once, whichever is less; images are large
_FEW_FILES = 16  # are shuffled by row groups, for which the footer of each file has to be read

Result = TypeVar("Result")


class Split(msgspec.Struct, frozen=True):
    """A split of a data set at a fixed revision: its files, their format, and the options of their reader.

    ``library`` is a folder for what the library writes.
    """

    repository: str
    revision: str
    config: str
    split: str
    format: Literal["parquet", "json", "text", "csv"]
    names: tuple[str, ...]
    options: tuple[tuple[str, str], ...]
    library: str


class ReadRows(msgspec.Struct, tag=True, frozen=True):
    """Read these columns of a split, its shards shuffled by a ``seed`` if there is one, from where ``state`` says."""

    split: Split
    columns: tuple[str, ...]
    seed: int | None
    state: str = ""


class Rows(msgspec.Struct, frozen=True):
    """Some rows, and the state from which those after them can be read."""

    rows: list[Row]
    state: str


def read_rows(request: ReadRows) -> Iterator[Rows]:
    """Read to the end of the split; raises UnreachableError where another attempt may help, ValueError, LookupError."""
    dataset = _translate_hub_errors(lambda: _in_order(_opened(request.split), request.seed))
    if request.state:
        dataset.load_state_dict(json.loads(request.state))
    rows = iter(dataset)
    while found := _translate_hub_errors(lambda: list(_few(rows, request.columns))):
        for column in request.columns:
            if column not in found[0]:
                raise LookupError(f"it has no column “{column}”")
        wanted = [tuple(row.get(column) for column in request.columns) for row in found]
        yield Rows(wanted, json.dumps(dataset.state_dict()))


def _few(rows: Iterator[dict[str, Any]], columns: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """The next rows, up to ``_ROWS``, and none after those whose columns have ``_ROWS_BYTES``."""
    size_bytes = 0
    for row in itertools.islice(rows, _ROWS):
        yield row
        size_bytes += sum(_size_bytes(row.get(column)) for column in columns)
        if size_bytes >= _ROWS_BYTES:
            return


def _size_bytes(value: Any) -> int:
    """The length of a text, or of an image's content, which may be in a dictionary; 0 for anything else."""
    if isinstance(value, dict):
        value = value.get("bytes")
    return len(value) if isinstance(value, bytes | str) else 0


@functools.lru_cache(maxsize=4)
def _opened(split: Split) -> Any:
    """Open the split; nothing of it is read yet. The library is told its files, and resolves nothing by itself."""
    configure_hub_library(split.library)
    import datasets
    from datasets import config

    from core.worker.fetch.hub_client import install_hub_client

    install_hub_client()
    config.STREAMING_READ_MAX_RETRIES = 1  # our own back-off tells a person, and ends when we leave
    config.STREAMING_READ_RETRY_INTERVAL = config.STREAMING_READ_SERVER_UNAVAILABLE_RETRY_INTERVAL = 0
    config.STREAMING_READ_RATE_LIMIT_RETRY_INTERVAL = 0
    datasets.disable_progress_bars()
    dataset = _builder(split).as_streaming_dataset(split=split.split)
    # or the library opens whatever place an image's row names: any file of this computer, any address
    return dataset.decode(False) if dataset.features else dataset


def _builder(split: Split) -> Any:
    """The library's reader of the files' format; others, some of which unpickle, are never imported here."""
    from datasets.data_files import DataFilesDict, DataFilesList

    home = f"hf://datasets/{split.repository}@{split.revision}"
    origins = [(split.repository, split.revision)] * len(split.names)
    places = DataFilesList([f"{home}/{name}" for name in split.names], origins)
    module = import_module(f"datasets.packaged_modules.{split.format}.{split.format}")
    return getattr(module, split.format.capitalize())(
        cache_dir=f"{split.library}/datasets",
        config_name=split.config or "default",
        hash=split.revision,
        base_path=home,
        repo_id=split.repository,
        token=False,
        data_files=DataFilesDict({split.split: places}),
        **dict(split.options),
    )


def _in_order(dataset: Any, seed: int | None) -> Any:
    """The data set with its shards in that order; rows are shuffled later, in a buffer."""
    if seed is None:
        return dataset
    if dataset.num_shards <= _FEW_FILES:
        dataset = dataset.reshard()
    return dataset.shuffle(seed=seed, buffer_size=1, max_buffer_input_shards=1)


def _translate_hub_errors(attempt: Callable[[], Result]) -> Result:
    """The result of ``attempt``; raises UnreachableError where another attempt may help, else ValueError."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError

    try:
        return attempt()
    except HfHubHTTPError as error:
        if is_final(error.response.status_code):
            raise ValueError(localized("the hub answers %1", error.response.status_code)) from error
        raise UnreachableError(repr(error)) from error
    except (FileNotFoundError, gzip.BadGzipFile) as error:
        raise ValueError(_first_line(error)) from error
    except (httpx2.TransportError, OSError) as error:
        if type(error) is OSError and error.errno is None:  # a decoder's; the system's have a number
            raise ValueError(localized("it cannot be read: %1", _first_line(error))) from error
        raise UnreachableError(repr(error)) from error
    except (ValueError, LookupError):
        raise
    except Exception as error:  # whatever else the libraries have: it must end in words, too
        raise ValueError(localized("it cannot be read: %1", _first_line(error))) from error


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
