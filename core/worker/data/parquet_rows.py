"""Rows of Parquet files, in groups that every peer takes in an order of its own."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def read_rows(
    path: Path, columns: tuple[str, ...], order: random.Random | None, at_once: int
) -> Iterator[tuple[Any, ...]]:
    """The values of those columns, row group by row group, each of which has to fit in memory.

    Raises OSError, ValueError and LookupError.
    """
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        for column in columns:
            if column not in file.schema_arrow.names:
                raise LookupError(f"it has no column “{column}”")
        groups = list(range(file.num_row_groups))
        if order:
            order.shuffle(groups)
        for batch in file.iter_batches(at_once, row_groups=groups, columns=list(columns)):
            yield from zip(*(batch.column(column).to_pylist() for column in columns), strict=True)
