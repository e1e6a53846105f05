"""Dataset cards of the Hugging Face hub: which files are a data set's configurations, read as plain texts.

The YAML block of a card (https://huggingface.co/docs/hub/datasets-manual-configuration) may name any URL or any file
of this computer as the data, so that we read it ourselves, and the library `datasets` never does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from core.localizable import localized
from core.worker.fetch.background_task import BackgroundTask
from core.worker.fetch.hub_repository import HubRepository
from core.worker.fetch.retry import download

_CARDS = ("README.md", ".huggingface.yaml")  # what the second says counts
_LARGEST_CARD_BYTES = 5_000_000
_MAX_YAML_CHARACTERS = 2_000_000  # of which the reader takes a second for each 100,000
_FRONT_MATTER = re.compile(r"\A\s*---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_UNREADABLE = localized("its card cannot be read")
_TOLD_NAMES = 10


class CardSplit(msgspec.Struct, frozen=True):
    """A split's name, and the patterns of its files."""

    split: str
    path: str | list[str]


class CardConfig(msgspec.Struct, frozen=True):
    """A configuration of a data set: patterns of files below ``data_dir``, and how the files are written.

    ``sep`` and ``delimiter`` are of CSV, ``field`` of JSON; other options of the readers are left out.
    """

    config_name: str = "default"
    data_files: str | list[str | CardSplit] = ""
    data_dir: str = ""
    default: str = ""
    sep: str = ""
    delimiter: str = ""
    field: str = ""


class _Card(msgspec.Struct, frozen=True):
    configs: list[CardConfig] | str = ""


def read_card(repository: HubRepository, config: str | None, task: BackgroundTask) -> CardConfig:
    """The configuration of that name, or the default one; raises ValueError for a card that cannot be used."""
    configs: Sequence[CardConfig] = ()
    for file in repository.files(task):
        if file.name not in _CARDS:
            continue
        if file.size_bytes > _LARGEST_CARD_BYTES:
            raise ValueError(localized("%1 is too large", file.name))
        path = repository.folder / file.name
        if not path.exists():
            download(repository.remote(file), path.with_name(f"{file.name}.part"), path, task)
        if found := configs_in(_yaml_in(path)):
            configs = configs if configs and file.name == _CARDS[0] else found
    return choose_config(configs, config)


def configs_in(text: str) -> Sequence[CardConfig]:
    """The configurations in a card's YAML, of which every scalar is a text; raises ValueError."""
    import yaml

    if len(text) > _MAX_YAML_CHARACTERS:
        raise ValueError(localized("its card is too long"))
    try:
        # one text that stands for many others takes for ever to look through
        if "&" in text and any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.BaseLoader)):
            raise ValueError(localized("%1: it has aliases", _UNREADABLE))
        loaded: Any = yaml.load(text, yaml.BaseLoader)  # texts, lists and dicts, nothing else
        configs = msgspec.convert(loaded, _Card).configs if isinstance(loaded, dict) else ""
    except (yaml.YAMLError, msgspec.ValidationError, RecursionError) as error:
        raise ValueError(_UNREADABLE) from error
    return () if isinstance(configs, str) else configs


def choose_config(configs: Sequence[CardConfig], name: str | None) -> CardConfig:
    """The configuration of that name; without one the only one or the default. Raises ValueError."""
    if not configs and name in (None, "default"):
        return CardConfig()
    if name is None:
        found = [each for each in configs if each.config_name == "default" or each.default.lower() == "true"]
        found = list(configs) if len(configs) == 1 else found
    else:
        found = [each for each in configs if each.config_name == name]
    if len(found) != 1:
        names = ", ".join(each.config_name for each in configs[:_TOLD_NAMES]) or "none"
        unnamed = localized("the run must name a configuration")
        wanted = unnamed if name is None else localized("it has no configuration “%1”", name)
        raise ValueError(localized("%1; there are: %2", wanted, f"{names:.300}"))
    return found[0]


def _yaml_in(path: Path) -> str:
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.name != _CARDS[0]:
        return text
    block = _FRONT_MATTER.match(text)
    return block[1] if block else ""
