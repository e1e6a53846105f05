"""Files of Hugging Face repositories at a fixed revision: only such as hold data, and never code.

huggingface_hub lists a repository; the files are fetched by our own download, because since its version 1 the library
starts a file anew after a lost connection.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from core.errors import ErrorKind, UserError
from core.files.disk_space import disk_usage
from core.localizable import localized
from core.run.spec.data import HubTokenizer
from core.schema import UNREADABLE
from core.security.verified_download import is_verified
from core.worker.fetch.background_task import BackgroundTask, ProgressListener, run_in_background
from core.worker.fetch.file_store import FileStore, lock_alone
from core.worker.fetch.hub_listing import HubFile
from core.worker.fetch.hub_repository import HubRepository
from core.worker.fetch.retry import download
from core.worker.fetch.weights_index import INDEX_SUFFIX, WEIGHTS_NAME, refuse_other_files

_LARGEST_SETTINGS_BYTES = 64_000_000  # large tokenizers have 20 to 30 MB
_TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")
_SETTINGS = (
    *_TOKENIZER,
    "config.json",
    "generation_config.json",
    "preprocessor_config.json",
    "adapter_config.json",
)
_PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".h5", ".msgpack")
_Choice = Callable[[Sequence[HubFile]], list[HubFile]]


def fetch_model(repository: str, revision: str, store: FileStore, listener: ProgressListener) -> Path:
    """Fetch a model's weights, settings and tokenizer; the folder with them. Nobody is asked if all are here.

    Raises UserError for weights that are pickles, for settings that ask for code, and for a full disk.
    """
    wanted = HubRepository("model", repository, revision, store)
    return run_in_background(lambda task: _fetch(wanted, _model_files, task), listener)


def fetch_tokenizer(tokenizer: HubTokenizer, store: FileStore, listener: ProgressListener) -> Path:
    """Fetch that tokenizer's files; the folder with them. Raises UserError."""
    wanted = HubRepository("model", tokenizer.repository, tokenizer.revision, store)
    return run_in_background(lambda task: _fetch(wanted, _tokenizer_files, task), listener)


def _model_files(files: Sequence[HubFile]) -> list[HubFile]:
    chosen = [file for file in files if file.name in _SETTINGS or _is_weights(file.name) or _is_index(file.name)]
    if not any(file.name.endswith(".safetensors") for file in chosen):
        pickles = ", ".join(file.name for file in files if file.name.endswith(_PICKLES))
        if pickles:
            raise ValueError(
                localized("its weights are only there as %1, which could run foreign code", f"{pickles:.200}")
            )
        raise ValueError(localized("it has no weights in the format safetensors"))
    return chosen


def _tokenizer_files(files: Sequence[HubFile]) -> list[HubFile]:
    chosen = [file for file in files if file.name in _TOKENIZER]
    if not any(file.name == "tokenizer.json" for file in chosen):
        raise ValueError(localized("it has no tokenizer.json"))
    return chosen


def _fetch(repository: HubRepository, choose: _Choice, task: BackgroundTask) -> Path:
    """Fetch the files that ``choose`` picks; its ValueError becomes a UserError."""
    with lock_alone(repository.folder, task):
        try:
            _fetch_all(repository, choose(repository.files(task)), task)
        except ValueError as error:
            raise UserError(ErrorKind.FILES_REFUSED, localized("%1: %2.", repository.name, error)) from error
    return repository.folder


def _fetch_all(repository: HubRepository, chosen: list[HubFile], task: BackgroundTask) -> None:
    """Fetch what is missing, settings and indexes first: they may show that the weights are not wanted."""
    weights = {file.name for file in chosen if _is_weights(file.name)}
    missing = [file for file in chosen if not _is_here(repository, file)]
    task.total_bytes = sum(file.size_bytes for file in missing)
    if missing:
        here = sum(_partial_bytes(repository, file) for file in missing)
        repository.store.require_room(task.total_bytes - here, repository.name)
    for file in sorted(chosen, key=lambda file: file.name in weights):
        path = repository.folder / file.name
        if file.name not in weights and file.size_bytes > _LARGEST_SETTINGS_BYTES:
            raise ValueError(localized("%1 is too large", file.name))
        if file in missing:
            download(repository.remote(file), _partial(repository, file), path, task)
        if file.name in _SETTINGS:
            _refuse_code(path)
        elif _is_index(file.name):
            refuse_other_files(path, weights)


def _partial(repository: HubRepository, file: HubFile) -> Path:
    return (repository.folder / file.name).with_name(f"{file.name}.part")


def _partial_bytes(repository: HubRepository, file: HubFile) -> int:
    """What is there of a file that was not fetched to its end."""
    return min(file.size_bytes, disk_usage(_partial(repository, file)))


def _is_weights(name: str) -> bool:
    return WEIGHTS_NAME.match(name) is not None


def _is_index(name: str) -> bool:
    return name.endswith(INDEX_SUFFIX) and _is_weights(name.removesuffix(".index.json"))


def _is_here(repository: HubRepository, file: HubFile) -> bool:
    """Whether it was fetched; what is small is verified again, large weights only by their size."""
    path = repository.folder / file.name
    if not path.is_file() or path.stat().st_size != file.size_bytes:
        return False
    return _is_weights(file.name) or is_verified(repository.remote(file), path)


def _refuse_code(path: Path) -> None:
    """Raise ValueError for ``auto_map``, which names classes in the repository's own Python files."""
    try:
        settings = msgspec.json.decode(path.read_bytes())
    except UNREADABLE as error:
        raise ValueError(localized("%1 cannot be read", path.name)) from error
    if isinstance(settings, dict) and settings.get("auto_map"):
        raise ValueError(localized("%1 asks for code of its own (auto_map)", path.name))
