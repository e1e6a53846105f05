"""Hugging Face repositories at a revision: their list of files, and the URL and hash of each."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

import msgspec

from core.files.atomic import write_atomically
from core.run.spec.web_address import hub_endpoint
from core.security.verified_download import Remote, UnreachableError, is_final
from core.worker.fetch.background_task import BackgroundTask
from core.worker.fetch.file_store import FileStore, storage_errors_in_words
from core.worker.fetch.retry import retry_with_backoff

MOST_FILES = 100_000


class HubFile(msgspec.Struct, frozen=True):
    """A file of a repository; ``sha256`` is known of large files (LFS), of others git's blob id (SHA-1)."""

    name: str
    size_bytes: int
    git: str
    sha256: str | None = None


def configure_hub_library(store: FileStore) -> None:
    """Configure huggingface_hub before it is imported: no telemetry, no token, all files in ``store``."""
    os.environ.setdefault("HF_HOME", str(store.folder("library")))
    for name in ("TELEMETRY", "PROGRESS_BARS", "IMPLICIT_TOKEN", "XET"):
        os.environ.setdefault(f"HF_HUB_DISABLE_{name}", "1")


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
            files = retry_with_backoff(self._ask, task, f"{hub_endpoint()}, {self.name}")
        with storage_errors_in_words(listing):
            write_atomically(listing, msgspec.json.encode(files))
        return files

    @property
    def _is_deep(self) -> bool:
        return self.kind == "dataset"

    def _ask(self) -> list[HubFile]:
        configure_hub_library(self.store)
        import httpx2
        from huggingface_hub import HfApi, RepoFile
        from huggingface_hub.errors import HfHubHTTPError

        hub = HfApi(endpoint=hub_endpoint(), token=False)
        try:
            found = hub.list_repo_tree(self.name, revision=self.revision, repo_type=self.kind, recursive=self._is_deep)
            entries = list(islice((each for each in found if isinstance(each, RepoFile)), MOST_FILES + 1))
        except HfHubHTTPError as error:
            if is_final(error.response.status_code):
                answer = error.response.status_code
                raise ValueError(f"the hub answers {answer} for revision {self.revision}") from error
            raise UnreachableError(repr(error)) from error
        except (httpx2.TransportError, OSError) as error:
            raise UnreachableError(repr(error)) from error
        if len(entries) > MOST_FILES:
            raise ValueError(f"it has more than {MOST_FILES} files")
        return [HubFile(each.path, each.size, each.blob_id, each.lfs.sha256 if each.lfs else None) for each in entries]
