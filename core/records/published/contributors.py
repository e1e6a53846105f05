"""Who has agreed to be named in the cards of a run's models, kept beside the run for as long as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from core.files.json_file import JsonFile
from core.protocol.commands import Contributor
from core.protocol.types import Name
from core.run.signed_receipts import KeyText
from core.schema import Count, StrictStruct
from core.security.sanitize import MAX_NAME_CHARACTERS, sanitize_line

MOST_KEPT = 4096  # keys cost nothing: of more than so many, those with the fewest samples are forgotten
_MAX_FILE_BYTES = 4 * 1024 * 1024


class NamedPeer(StrictStruct, kw_only=True, frozen=True):
    """A key that agrees: its name, as it was told last, its peer id, and its samples so far."""

    name: Name
    peer_id: Annotated[str, Meta(max_length=100)]
    samples: Count = 0


_Peers = Annotated[dict[KeyText, NamedPeer], Meta(max_length=MOST_KEPT)]


class ContributorFile:
    """The file of those who agree, by the hashes of their keys; a damaged one is quarantined and counts as empty."""

    def __init__(self, path: Path) -> None:
        self._file: JsonFile[dict[str, NamedPeer]] = JsonFile(path, _Peers, max_bytes=_MAX_FILE_BYTES)
        self._kept: dict[str, NamedPeer] = self._file.load() or {}
        self._written = dict(self._kept)

    def add(self, key: str, name: str, peer_id: str) -> None:
        """Whoever has that key agrees to be named so; no name is none."""
        before = self._kept.get(key)
        if safe := sanitize_line(name, MAX_NAME_CHARACTERS):
            self._kept[key] = NamedPeer(name=safe, peer_id=peer_id, samples=before.samples if before else 0)
        else:
            self.remove(key)

    def remove(self, key: str) -> None:
        """Whoever has that key is named no longer."""
        self._kept.pop(key, None)

    def save(self, samples: Mapping[str, int]) -> None:
        """Keep it for the next start, as far as the disk lets us; ``samples`` are sums by key, which never fall."""
        for key, peer in self._kept.items():
            if samples.get(key, 0) > peer.samples:
                self._kept[key] = msgspec.structs.replace(peer, samples=samples[key])
        while len(self._kept) > MOST_KEPT:
            del self._kept[min(self._kept, key=lambda each: self._kept[each].samples)]
        if self._kept != self._written and self._file.save(self._kept):
            self._written = dict(self._kept)

    def contributors(self, blocked: Collection[str] = ()) -> list[Contributor]:
        """Those with samples, the most first; keys of one name are one. ``blocked`` peer ids are left out."""
        sums = Counter[str]()
        for peer in self._kept.values():
            if peer.samples and peer.peer_id not in blocked:
                sums[sanitize_line(peer.name, MAX_NAME_CHARACTERS)] += peer.samples
        return [Contributor(name=name, samples=sums[name]) for name in sorted(sums, key=lambda each: -sums[each])]
