"""A state's file that is not yet whole: parts go to their places in any order, and a later start goes on with it.

Which parts it holds is not written down: they are known by their hashes, whatever a crash or a full disk has left.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

from core.worker.swarm.state_parts.messages import Offer, Wish
from core.worker.swarm.state_parts.part_index import PART_BYTES, PartIndex

_SUFFIX = ".part"

log = logging.getLogger(__name__)


class PartialFile:
    """The file in that folder for the state of that index; others that were begun there are removed. Raises OSError."""

    def __init__(self, folder: Path, index: PartIndex) -> None:
        self._index = index
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / file_name(index.offer)
        for other in begun_files(folder):
            if other != self.path:
                other.unlink(missing_ok=True)
        self.path.touch()

    @property
    def is_empty(self) -> bool:
        """Whether nothing has come yet. Raises OSError."""
        return not self.path.stat().st_size

    def begin_with(self, near: Path) -> None:
        """Take the place of a file of which some parts may be right, in the same folder. Raises OSError."""
        near.replace(self.path)

    def missing(self) -> list[int]:
        """The numbers of the parts that it lacks, in order. Raises OSError."""
        lacking = []
        with self.path.open("rb") as file:
            for number in range(self._index.parts):
                if not self._index.is_right(number, file.read(PART_BYTES)):
                    lacking.append(number)
        return lacking

    def write(self, number: int, data: bytes) -> None:
        """Put a part into its place. Raises OSError."""
        with self.path.open("r+b") as file:
            file.seek(number * PART_BYTES)
            file.write(data)


def begun_files(folder: Path) -> Iterator[Path]:
    """The files in that folder that are not yet whole; none where there is no folder."""
    yield from folder.glob(f"*{_SUFFIX}")


def file_name(offer: Offer) -> str:
    """The name of the file of what a donor offers."""
    return f"{offer.steps}-{offer.root.hex()}-{offer.digest.hex()}{_SUFFIX}"


def begun(folder: Path) -> tuple[Wish, bytes]:
    """The version whose download was begun in that folder, and the digest of its index; an empty wish for none."""
    for path in begun_files(folder):
        try:
            steps, root, digest = path.name.removesuffix(_SUFFIX).split("-")
            return Wish(int(steps), bytes.fromhex(root)), bytes.fromhex(digest)
        except ValueError:
            log.warning("%s is not a download that was begun", path)
    return Wish(), b""
