"""Dataset cards of the Hugging Face hub, checked before `datasets` reads them.

The YAML block of a card (https://huggingface.co/docs/hub/datasets-manual-configuration) may name any URL or any file
of this computer as the data, and the library would read it.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.worker.fetch.background_task import BackgroundTask
from core.worker.fetch.hub_repository import HubRepository
from core.worker.fetch.retry import download

_CARDS = ("README.md", ".huggingface.yaml")
_LARGEST_CARD_BYTES = 5_000_000
_FRONT_MATTER = "---"


def refuse_foreign_data(repository: HubRepository, task: BackgroundTask) -> None:
    """Raise ValueError where a card names anything as data that is not in the repository itself."""
    for file in repository.files(task):
        if file.name not in _CARDS:
            continue
        if file.size_bytes > _LARGEST_CARD_BYTES:
            raise ValueError(f"{file.name} is too large")
        path = repository.folder / file.name
        if not path.exists():
            download(repository.remote(file), path.with_name(f"{file.name}.part"), path, task)
        for place in named_data(path.read_text(encoding="utf-8", errors="replace")):
            if is_elsewhere(place):
                raise ValueError(f"{file.name} names “{place:.200}” as data, which is not in the repository")


def named_data(card: str) -> Iterator[str]:
    """Every ``data_files`` and ``data_dir`` of the card's ``configs``; raises ValueError for broken YAML."""
    import yaml

    text = card
    if card.startswith(_FRONT_MATTER):
        text = card.removeprefix(_FRONT_MATTER).split(f"\n{_FRONT_MATTER}", 1)[0]
    elif card.lstrip().startswith("#"):
        return
    try:
        settings = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError("its card cannot be read") from error
    configs = settings.get("configs") if isinstance(settings, dict) else None
    for each in configs if isinstance(configs, list) else ():
        if isinstance(each, dict):
            yield from _texts_in([each.get("data_files"), each.get("data_dir")], depth=0)


def is_elsewhere(place: str) -> bool:
    """Whether a place is outside the repository: a URL, an absolute path, or a path with ``..`` in it."""
    parts = place.replace("\\", "/").split("/")
    return "::" in place or ":" in parts[0] or parts[0] in ("", "~") or ".." in parts


def _texts_in(value: object, depth: int) -> Iterator[str]:
    if depth > 20:
        raise ValueError("its card cannot be read")
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts_in(each, depth + 1)
    elif isinstance(value, list):
        for each in value:
            yield from _texts_in(each, depth + 1)
