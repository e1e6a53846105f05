"""Other texts or images for a run while it goes on, from the beginning of one epoch or round on, for all peers.

As with numbers, the manifest stays as it was signed, and so does what volunteers have agreed to: whether its data may
be exchanged is part of it (``[steering] data``), and for what is bounded here. The addresses are of the same hosts, or
the data set is the same one of the hub, so that nobody else learns of a volunteer; files have no more bytes than
``max_change`` times those of the manifest; kind, tokenizer, classes and share of held-out samples stay, so that the
model does, and so that what was held out of both is the same.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable
from typing import Annotated
from urllib.parse import SplitResult, urlsplit

import msgspec
from msgspec import Meta

from core.localizable import Detail, localized
from core.run.manifest import RunManifest
from core.run.spec.data import DataSpec, HubDataset, HubImages, ImageData, ImageFiles, SumsData, TextData, TextFiles
from core.run.steering.edit import MOST_EDITS, FromEpoch, signed_until
from core.schema import Sha256

MAX_DATA_BYTES = 8 * 1024  # of one change: some forty files with long addresses
MAX_KEPT_BYTES = 2 * MAX_DATA_BYTES  # of those in one control value: one that holds, and one that waits
_MAY_DIFFER: dict[type[DataSpec], tuple[str, ...]] = {
    TextFiles: ("files", "format", "column"),
    ImageFiles: ("files",),
    HubDataset: ("revision", "split", "column", "config"),
    HubImages: ("revision", "split", "config"),
}
_PORTS = {"http": 80, "https": 443}


class DataChange(FromEpoch, kw_only=True, frozen=True):
    """The data from that epoch on, in place of those with the digest ``base``: in another manifest it means nothing."""

    data: TextData | ImageData
    base: Sha256


DataChanges = Annotated[tuple[DataChange, ...], Meta(max_length=MOST_EDITS)]


@functools.lru_cache(maxsize=16)  # a peer that trains asks again with each step
def data_digest(data: DataSpec) -> str:
    """The SHA-256 of that section of a manifest, in hexadecimal."""
    return hashlib.sha256(msgspec.json.encode(data)).hexdigest()


def changes_of(manifest: RunManifest, changes: Iterable[DataChange]) -> tuple[DataChange, ...]:
    """Those of the changes that were made of this manifest's data."""
    base = data_digest(manifest.data)
    return tuple(each for each in changes if each.base == base)


def signed_changes(manifest: RunManifest, changes: Iterable[DataChange]) -> tuple[DataChange, ...]:
    """Those of them that have an epoch: the others wait until the organiser's peer has opened their data."""
    return changes_of(manifest, signed_until(changes))


def latest_data(manifest: RunManifest, changes: Iterable[DataChange]) -> DataSpec:
    """Those that hold once all changes have begun."""
    made = changes_of(manifest, changes)
    return made[-1].data if made else manifest.data


def data_at(manifest: RunManifest, changes: Iterable[DataChange], epoch: int) -> DataSpec:
    """Those that hold in that epoch."""
    return latest_data(manifest, signed_until(changes, epoch))


def fit_together(changes: Iterable[DataChange]) -> bool:
    """Whether one control value takes them."""
    sizes = [_encoded_bytes(each.data) for each in changes]
    return len(sizes) <= MOST_EDITS and sum(sizes) <= MAX_KEPT_BYTES


def data_error(manifest: RunManifest, data: DataSpec) -> Detail:
    """Why these may not take the place of the manifest's data while the run goes on; empty where they may."""
    before, steering = manifest.data, manifest.steering
    if data == before:
        return ""
    if isinstance(before, SumsData) or isinstance(data, SumsData):
        return localized("sums cannot be exchanged for other data, nor other data for sums")
    if not steering.data:
        return localized("the data may not be exchanged while this run goes on ([steering] data is false)")
    if type(data) is not type(before):
        return localized("data stay of the kind that they are")
    for name in data.__struct_fields__:
        if name not in _MAY_DIFFER[type(data)] and getattr(data, name) != getattr(before, name):
            return localized("data.%1 stays what it is while the run goes on", name)
    if (size := _encoded_bytes(data)) > MAX_DATA_BYTES:
        return localized("the names of its files take %1 bytes, and at most %2 are allowed", size, MAX_DATA_BYTES)
    if isinstance(data, TextFiles | ImageFiles) and isinstance(before, TextFiles | ImageFiles):
        return _files_error(before, data, steering.max_change)
    return ""


def _files_error(before: TextFiles | ImageFiles, data: TextFiles | ImageFiles, most: float) -> Detail:
    known = {_host(file.url) for file in before.files}
    for file in data.files:
        if _host(file.url) not in known:
            return localized("%1 is not of a host, with its port, that the run names", file.url)
    if data.size_bytes > before.size_bytes * most:
        return localized(
            "its files may have %1 times as many bytes as those that the run names at the most ([steering] "
            "max_change), which is %2, and have %3",
            f"{most:g}",
            int(before.size_bytes * most),
            data.size_bytes,
        )
    return ""


def _host(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port of an address, which is a valid one."""
    parts: SplitResult = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or _PORTS.get(parts.scheme)


def _encoded_bytes(data: DataSpec) -> int:
    return len(msgspec.msgpack.encode(data))
