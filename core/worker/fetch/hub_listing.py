"""The list of a Hugging Face repository's files, as the hub gives it."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path
from typing import Literal

import msgspec

from core.localizable import localized
from core.run.spec.web_address import hub_endpoint
from core.security.verified_download import UnreachableError, is_final

MOST_FILES = 100_000


class HubFile(msgspec.Struct, frozen=True):
    """A file of a repository; ``sha256`` is known of large files (LFS), of others git's blob id (SHA-1)."""

    name: str
    size_bytes: int
    git: str
    sha256: str | None = None


class ListFiles(msgspec.Struct, tag=True, frozen=True):
    """List a repository's files; those in folders, too, where it ``is_deep``. ``library`` is a folder to write in."""

    kind: Literal["model", "dataset"]
    name: str
    revision: str
    is_deep: bool
    library: str


def configure_hub_library(library: Path | str) -> None:
    """Configure huggingface_hub before it is imported: no telemetry, no token, all files in the folder ``library``."""
    os.environ.setdefault("HF_HOME", str(library))
    for name in ("TELEMETRY", "PROGRESS_BARS", "IMPLICIT_TOKEN", "XET"):
        os.environ.setdefault(f"HF_HUB_DISABLE_{name}", "1")


def list_files(request: ListFiles) -> list[HubFile]:
    """Ask the hub; raises ValueError where it has no such repository, and UnreachableError."""
    configure_hub_library(request.library)
    import httpx2
    from huggingface_hub import HfApi, RepoFile
    from huggingface_hub.errors import HfHubHTTPError

    from core.worker.fetch.hub_client import install_hub_client

    install_hub_client()
    hub = HfApi(endpoint=hub_endpoint(), token=False)
    try:
        found = hub.list_repo_tree(
            request.name, revision=request.revision, repo_type=request.kind, recursive=request.is_deep
        )
        entries = list(islice((each for each in found if isinstance(each, RepoFile)), MOST_FILES + 1))
    except HfHubHTTPError as error:
        if is_final(error.response.status_code):
            answer = error.response.status_code
            raise ValueError(localized("the hub answers %1 for revision %2", answer, request.revision)) from error
        raise UnreachableError(repr(error)) from error
    except (httpx2.TransportError, OSError) as error:
        raise UnreachableError(repr(error)) from error
    except httpx2.TooManyRedirects as error:
        raise ValueError(localized("the hub redirects in a circle")) from error
    if len(entries) > MOST_FILES:
        raise ValueError(localized("it has more than %1 files", MOST_FILES))
    return [HubFile(each.path, each.size, each.blob_id, each.lfs.sha256 if each.lfs else None) for each in entries]
