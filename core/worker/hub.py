"""Files of a hub's repositories at a fixed revision: only such as hold data, and never code.

huggingface_hub says what is in a repository; the files are fetched by our own download, because since its
version 1 the library begins again where it was cut.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from core.data_spec import HubTokenizer
from core.folders import write_atomically
from core.problems import ClientError, Problem
from core.worker.download import Remote, download, is_final
from core.worker.errand import Errand, send
from core.worker.patience import UnreachableError, patiently
from core.worker.store import Store, alone_in, in_words
from core.worker.watch import Watch

_MOST_FILES = 20_000
_LARGEST_SETTINGS_BYTES = 64_000_000  # large tokenizers have 20 to 30 MB
_TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")
_SETTINGS = (
    *_TOKENIZER,
    "config.json",
    "generation_config.json",
    "preprocessor_config.json",
    "adapter_config.json",
)
_WEIGHTS = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}\.safetensors(\.index\.json)?\Z")
_PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".h5", ".msgpack")


class _File(msgspec.Struct, frozen=True):
    """A file of a repository; ``sha256`` is known of large ones, of others git's own digest."""

    name: str
    size_bytes: int
    git: str
    sha256: str | None = None


def fetch(repository: str, revision: str, store: Store, watch: Watch) -> Path:
    """The folder with a model's weights, settings and tokenizer; asks nobody if all of them are here.

    Raises ClientError: for weights that are pickles, for settings that ask for code, for a full disk.
    """
    return send(_Errand(repository, revision, store, _of_a_model), watch)


def fetch_tokenizer(wanted: HubTokenizer, store: Store, watch: Watch) -> Path:
    """The folder with that tokenizer's files; raises ClientError."""
    return send(_Errand(wanted.repository, wanted.revision, store, _of_a_tokenizer), watch)


def endpoint() -> str:
    """The hub that is asked; ``HF_ENDPOINT`` may name another one, such as a mirror."""
    return os.environ.get("HF_ENDPOINT") or "https://huggingface.co"


def _of_a_model(files: Sequence[_File]) -> list[_File]:
    chosen = [file for file in files if file.name in _SETTINGS or _WEIGHTS.match(file.name)]
    if not any(file.name.endswith(".safetensors") for file in chosen):
        pickles = ", ".join(file.name for file in files if file.name.endswith(_PICKLES))
        if pickles:
            raise ValueError(f"its weights are only there as {pickles:.200}, which could run foreign code")
        raise ValueError("it has no weights in the format safetensors")
    return chosen


def _of_a_tokenizer(files: Sequence[_File]) -> list[_File]:
    chosen = [file for file in files if file.name in _TOKENIZER]
    if not any(file.name == "tokenizer.json" for file in chosen):
        raise ValueError("it has no tokenizer.json")
    return chosen


class _Errand:
    """Fetches what ``choose`` finds among a repository's files; it raises ValueError, in words."""

    def __init__(
        self,
        repository: str,
        revision: str,
        store: Store,
        choose: Callable[[Sequence[_File]], list[_File]],
    ) -> None:
        self._repository, self._revision, self._store, self._choose = repository, revision, store, choose
        name = f"{repository.replace('/', '--')}@{revision}"
        self._folder = store.folder("hub") / name

    def __call__(self, errand: Errand) -> Path:
        with alone_in(self._folder, errand):
            try:
                chosen = self._choose(self._listed(errand))
                self._fetch_all(chosen, errand)
            except ValueError as error:
                raise ClientError(Problem.FILES_REFUSED, f"{self._repository}: {error}.") from error
        return self._folder

    def _fetch_all(self, chosen: list[_File], errand: Errand) -> None:
        """The small ones first, because they may tell that the large ones are not wanted."""
        missing = [file for file in chosen if not self._holds(file)]
        errand.total_bytes = sum(file.size_bytes for file in missing)
        if missing:
            self._store.require_room(errand.total_bytes, self._repository)
        for file in sorted(chosen, key=lambda file: file.name not in _SETTINGS):
            if file.name in _SETTINGS and file.size_bytes > _LARGEST_SETTINGS_BYTES:
                raise ValueError(f"{file.name} is too large")
            if file in missing:
                download(self._remote(file), self._folder / f"{file.name}.part", self._path(file), errand)
            if file.name in _SETTINGS:
                _refuse_code(self._path(file))

    def _listed(self, errand: Errand) -> list[_File]:
        """All files of the repository; asked once, because a revision never changes."""
        listing = self._folder / "listing.json"
        try:
            return msgspec.json.decode(listing.read_bytes(), type=list[_File])
        except (OSError, msgspec.MsgspecError):
            files = patiently(self._ask, errand, f"{endpoint()}, {self._repository}")
        with in_words(listing):
            write_atomically(listing, msgspec.json.encode(files))
        return files

    def _ask(self) -> list[_File]:
        prepare_library(self._store)
        import httpx2
        from huggingface_hub import HfApi, RepoFile
        from huggingface_hub.errors import HfHubHTTPError

        hub = HfApi(endpoint=endpoint(), token=False)
        try:
            found = hub.list_repo_tree(self._repository, revision=self._revision)
            entries = [each for each in islice(found, _MOST_FILES) if isinstance(each, RepoFile)]
        except HfHubHTTPError as error:
            if is_final(error.response.status_code):
                raise ValueError(
                    f"the hub answers {error.response.status_code} for {self._revision}"
                ) from error
            raise UnreachableError(repr(error)) from error
        except (httpx2.TransportError, OSError) as error:
            raise UnreachableError(repr(error)) from error
        return [
            _File(each.path, each.size, each.blob_id, each.lfs.sha256 if each.lfs else None)
            for each in entries
        ]

    def _remote(self, file: _File) -> Remote:
        url = f"{endpoint()}/{self._repository}/resolve/{self._revision}/{file.name}"
        if file.sha256 is not None:
            return Remote(url, file.size_bytes, file.sha256)
        return Remote(url, file.size_bytes, file.git, "git")

    def _path(self, file: _File) -> Path:
        return self._folder / file.name

    def _holds(self, file: _File) -> bool:
        path = self._path(file)
        return path.is_file() and path.stat().st_size == file.size_bytes


def _refuse_code(path: Path) -> None:
    """``auto_map`` names classes in the repository's own Python files, which nobody here runs."""
    try:
        settings = msgspec.json.decode(path.read_bytes())
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(f"{path.name} cannot be read") from error
    if isinstance(settings, dict) and settings.get("auto_map"):
        raise ValueError(f"{path.name} asks for code of its own (auto_map)")


def prepare_library(store: Store) -> None:
    """Before huggingface_hub is imported: nobody hears of it, no token is sent, all stays in ``store``."""
    os.environ.setdefault("HF_HOME", str(store.folder("library")))
    for name in ("TELEMETRY", "PROGRESS_BARS", "IMPLICIT_TOKEN", "XET"):
        os.environ.setdefault(f"HF_HUB_DISABLE_{name}", "1")
