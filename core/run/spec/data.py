"""What a run may learn from: sums that peers make up, or text or images, in files or in a data set of a hub.

Addresses and hashes come from strangers, so that they are checked here, once, before anything is fetched.
"""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlsplit

from msgspec import Meta

from core.localizable import localized
from core.run.spec.text_rule import text_rule
from core.run.spec.web_address import address_flaw
from core.schema import StrictStruct

_REPOSITORY = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,95}/[A-Za-z0-9][A-Za-z0-9_.-]{0,95}\Z"
_NAME = r"^[A-Za-z0-9_][A-Za-z0-9_. -]{0,99}\Z"
MAX_FILES = 64
KEPT_BYTES = 20_000_000_000  # of files that were fetched, at the most, unless a single one is larger
BYTE_TOKENS = 258

Repository = Annotated[str, text_rule(_REPOSITORY, localized("owner/name; letters, digits, dots, - and _ in each"))]
Revision = Annotated[str, text_rule(r"^[0-9a-f]{40}\Z", localized("a commit: 40 hexadecimal digits in lower case"))]
"""A commit: unlike a branch's name, it means the same for ever."""
_Name = Annotated[
    str,
    text_rule(_NAME, localized("letters, digits, -, _, . and spaces; at most 100 characters")),
]
_ClassName = Annotated[str, Meta(min_length=1, max_length=60)]


class SumsData(StrictStruct, tag_field="kind", tag="sums", kw_only=True, frozen=True):
    """Sums that every peer draws for itself; both operands are below 10 to the power of ``digits``."""

    digits: Annotated[int, Meta(ge=1, le=6)] = 2
    """The number of digits of an operand; both are below 10 to this power."""


class HubTokenizer(StrictStruct, kw_only=True, frozen=True):
    """The ``tokenizer.json`` of a hub's model repository."""

    repository: Repository
    """The model repository of the hub that holds the ``tokenizer.json``."""
    revision: Revision
    """The commit of that repository."""


Tokenizer = Literal["bytes"] | HubTokenizer
"""``bytes`` needs no file: every byte is a token, and so are the end of a text and the mask."""


class _Text(StrictStruct, tag_field="kind", kw_only=True, frozen=True):
    """Documents of text; of every ``held_out_one_in``, one is never trained on."""

    tokenizer: Tokenizer = "bytes"
    """The tokenizer: one token for each byte, or a hub's ``tokenizer.json``."""
    held_out_one_in: Annotated[int, Meta(ge=2, le=10_000)] = 64
    """One document of so many is never trained on, and measures what has been learned."""


class FileAt(StrictStruct, kw_only=True, frozen=True):
    """A file at an http(s) address; it is not used unless size and SHA-256 are these."""

    url: Annotated[str, Meta(min_length=8, max_length=1000)]
    """The http(s) address of the file; volunteers who meet over the internet fetch from ports 80 and 443 only."""
    sha256: Annotated[str, text_rule(r"^[0-9a-f]{64}\Z", localized("64 hexadecimal digits in lower case"))]
    """The SHA-256 of the file, in hexadecimal; a file with another one is refused."""
    size_bytes: Annotated[int, Meta(ge=1, le=10**12)]
    """The size of the file in bytes; a file of another size is refused."""

    def __post_init__(self) -> None:
        if flaw := address_flaw(self.url):
            raise ValueError(localized("url: %1", flaw))


_Files = Annotated[tuple[FileAt, ...], Meta(min_length=1, max_length=MAX_FILES)]


class _InFiles:
    """What is known of data in files, whatever they hold."""

    __slots__ = ()
    files: _Files

    @property
    def size_bytes(self) -> int:
        """The size of all files."""
        return sum(file.size_bytes for file in self.files)

    @property
    def kept_bytes(self) -> int:
        """The bytes that lie on the disk at once: of many files, those that were read last."""
        return min(self.size_bytes, max(KEPT_BYTES, *(file.size_bytes for file in self.files)))


class TextFiles(_Text, _InFiles, tag="text-files", kw_only=True, frozen=True):
    """Files of one format; ``column`` holds the text, and of "text" files each paragraph is a document."""

    files: _Files
    """The files, one ``[[data.files]]`` table each."""
    format: Literal["parquet", "json-lines", "text"]
    """The format of the files; in ``text`` a paragraph is a document."""
    column: _Name = "text"
    """The column or JSON field that holds the text; ``text`` files have none."""


class HubDataset(_Text, tag="hub", kw_only=True, frozen=True):
    """A data set of a hub, read as a stream; ``config`` is the one of several that it may have."""

    repository: Repository
    """The data set's repository on the hub."""
    revision: Revision
    """The commit of that repository."""
    split: _Name = "train"
    """The split of the data set that is read."""
    column: _Name = "text"
    """The column that holds the text."""
    config: _Name | None = None
    """The configuration of the data set, where it has several."""


class _Images(StrictStruct, tag_field="kind", kw_only=True, frozen=True):
    """Images, each with the number of its class; of every ``held_out_one_in``, one is never trained on.

    ``class_names`` are shown to people in place of the numbers; a column that holds names is read by them.
    """

    image_column: _Name = "image"
    """The column that holds the images themselves, as JPEG or PNG."""
    label_column: _Name = "label"
    """The column that holds the classes, as numbers or names."""
    class_names: Annotated[tuple[_ClassName, ...], Meta(max_length=1000)] = ()
    """The names of the classes, in the order of their numbers."""
    held_out_one_in: Annotated[int, Meta(ge=2, le=10_000)] = 16
    """One image of so many is never trained on, and measures what has been learned."""

    def __post_init__(self) -> None:
        if len(set(self.class_names)) < len(self.class_names):
            raise ValueError(localized("class_names must be different from each other"))


class ImageFiles(_Images, _InFiles, tag="image-files", kw_only=True, frozen=True):
    """Parquet files that hold the images themselves, as JPEG or PNG."""

    files: _Files
    """The Parquet files, one ``[[data.files]]`` table each."""


class HubImages(_Images, tag="hub-images", kw_only=True, frozen=True):
    """A data set of a hub that holds the images themselves, read as a stream."""

    repository: Repository
    """The data set's repository on the hub."""
    revision: Revision
    """The commit of that repository."""
    split: _Name = "train"
    """The split of the data set that is read."""
    config: _Name | None = None
    """The configuration of the data set, where it has several."""


TextData = TextFiles | HubDataset
ImageData = ImageFiles | HubImages
DataSpec = SumsData | TextData | ImageData


def hosts_of(data: TextFiles | ImageFiles) -> tuple[str, ...]:
    """All hosts that the data are fetched from, and that learn of whoever fetches them; each once."""
    return tuple(dict.fromkeys(urlsplit(file.url).hostname or "" for file in data.files))
