"""Images for tests: squares of one colour, which say what they are of."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from PIL import Image
from pyarrow import parquet

COLOURS = ((200, 30, 30), (30, 200, 30), (30, 30, 200))
NAMES = ("red", "green", "blue")


def square(number: int, side: int = 20, form: str = "PNG") -> bytes:
    """The ``number``th image: of the class ``number % 3``, and no two are the same."""
    noise = random.Random(number)
    image = Image.new("RGB", (side, side), COLOURS[number % 3])
    for _ in range(8):
        place = (noise.randrange(side), noise.randrange(side))
        image.putpixel(place, (noise.randrange(256), noise.randrange(256), noise.randrange(256)))
    file = io.BytesIO()
    image.save(file, form)
    return file.getvalue()


def squares(count: int) -> list[bytes]:
    """So many of them."""
    return [square(number) for number in range(count)]


def bomb() -> bytes:
    """A few kilobytes that unpack to 36 million pixels."""
    file = io.BytesIO()
    Image.new("1", (6000, 6000)).save(file, "PNG")
    return file.getvalue()


def in_parquet(images: Sequence[Any], labels: Sequence[Any], rows_in_a_group: int = 50) -> bytes:
    """A file as the hub has them: each image a struct of its bytes and its path."""
    rows = [image if isinstance(image, dict) else {"bytes": image, "path": "a.png"} for image in images]
    kind = pa.struct({"bytes": pa.binary(), "path": pa.string()})
    table = pa.table({"id": list(range(len(rows))), "image": pa.array(rows, kind), "label": list(labels)})
    return write(table, rows_in_a_group)


def write(table: pa.Table, rows_in_a_group: int = 50) -> bytes:
    """The table as the content of a file."""
    file = io.BytesIO()
    parquet.write_table(table, file, row_group_size=rows_in_a_group)
    return file.getvalue()
