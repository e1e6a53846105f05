"""Hugging Face repositories at a revision: their list of files, and the URL and hash of each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from core.files.atomic import write_atomically
from core.run.spec.web_address import hub_endpoint
from core.security.verified_download import Remote
from core.worker.fetch.background_task import BackgroundTask
from core.worker.fetch.fetcher import listed_files
from core.worker.fetch.file_store import FileStore, storage_errors_in_words
from core.worker.fetch.hub_listing import HubFile, ListFiles
from core.worker.fetch.retry import retry_with_backoff


@dataclass(frozen=True)
class HubRepository:
    """A repository at a fixed revision, whose files never change."""

    kind: Literal["model", "dataset"]
    name: str
    revision: str
    store: FileStore

    @property
    def folder(self) -> Path:
        """The folder for what is fetched of it; raises UserError where it cannot be made."""
        kept = self.store.folder("hub") / f"{self.kind}--{self.name.replace('/', '--')}@{self.revision}"
        with storage_errors_in_words(kept):
            kept.mkdir(mode=0o700, exist_ok=True)
        return kept

    def remote(self, file: HubFile) -> Remote:
        """The URL of that file, with its size and hash."""
        prefix = "datasets/" if self.kind == "dataset" else ""
        url = f"{hub_endpoint()}/{prefix}{self.name}/resolve/{self.revision}/{file.name}"
        if file.sha256 is not None:
            return Remote(url, file.size_bytes, file.sha256)
        return Remote(url, file.size_bytes, file.git, "git")

    def files(self, task: BackgroundTask) -> list[HubFile]:
        """List all files of a data set, of a model those beside its config; the hub is asked once.

        Raises ValueError where there is no such repository, or none that can be listed.
        """
        listing = self.folder / ("tree.json" if self._is_deep else "listing.json")
        try:
            return msgspec.json.decode(listing.read_bytes(), type=list[HubFile])
        except (OSError, msgspec.MsgspecError):
            request = ListFiles(self.kind, self.name, self.revision, self._is_deep, str(self.store.folder("library")))
            files = retry_with_backoff(lambda: listed_files(request), task, f"{hub_endpoint()}, {self.name}")
        with storage_errors_in_words(listing):
            write_atomically(listing, msgspec.json.encode(files))
        return files

    @property
    def _is_deep(self) -> bool:
        return self.kind == "dataset"
