"""Where a run's files come from: every host and every repository, because each sees who asks."""

from __future__ import annotations

from urllib.parse import urlsplit

from core.placeholders import fill_placeholders
from core.run.manifest import RunManifest
from core.run.spec.data import DataSpec, HubDataset, HubImages, HubTokenizer, ImageFiles, SumsData, TextFiles, hosts_of
from core.run.spec.recipe import TransformerSpec
from core.run.spec.web_address import hub_endpoint
from core.run.steering.data_change import DataChange
from core.security.sanitize import sanitize_line
from core.texts import figures
from core.texts.localization import translate

_LONGEST_HOST = 253  # of a name in the DNS


def sources_of(manifest: RunManifest) -> list[tuple[str, str]]:
    """Return what is fetched and from where, name by name; nothing is left out, however much it is."""
    model, tokenizer = _model(manifest), _tokenizer(manifest.data)
    asks_hub = bool(model or tokenizer) or isinstance(manifest.data, HubDataset | HubImages)
    known = [
        (translate("Run", "Learns from"), _data(manifest.data)),
        (translate("Run", "Begins with"), _of_the_hub(model)),
        (translate("Run", "Tokenizer"), _of_the_hub(tokenizer)),
        (translate("Run", "Hub"), _host_of(hub_endpoint()) if asks_hub else ""),
        (translate("Run", "Base weights from"), _host_of(manifest.collaboration.mirror)),
    ]
    return [(name, words) for name, words in known if words]


def data_change_words(change: DataChange) -> str:
    """Return what the run learns from, from an epoch on, that its organiser has chosen while it goes on."""
    data, words = change.data, _data(change.data)
    if isinstance(data, HubDataset | HubImages):
        words = fill_placeholders(translate("Run", "%1, split %2, commit %3"), words, data.split, data.revision[:7])
    begins = fill_placeholders(translate("Run", "From epoch %1 on"), figures.count(change.from_epoch or 0))
    return fill_placeholders(translate("Run", "%1: %2"), begins, words)


def exchangeable_in(manifest: RunManifest) -> str:
    """Return what the organiser may exchange the run's data for without asking again; nothing where for nothing."""
    if not manifest.steering.data:
        return ""
    match manifest.data:
        case SumsData():
            return ""
        case TextFiles() | ImageFiles():
            most = figures.size(round(manifest.data.size_bytes * manifest.steering.max_change))
            words = translate("Run", "the files that it learns from may be exchanged for others of at most %1 from %2")
            hosts = ", ".join(sanitize_line(host, _LONGEST_HOST) for host in hosts_of(manifest.data))
            return fill_placeholders(words, most, hosts)
        case HubDataset() | HubImages():
            words = translate("Run", "another part of the data set %1 may take the place of what it learns from")
            return fill_placeholders(words, manifest.data.repository)


def _data(data: DataSpec) -> str:
    match data:
        case TextFiles() | ImageFiles():
            files = translate("Run", "%n file(s) of %1 from %2", "", len(data.files))
            hosts = ", ".join(sanitize_line(host, _LONGEST_HOST) for host in hosts_of(data))
            return fill_placeholders(files, figures.size(data.size_bytes), hosts)
        case HubDataset() | HubImages():
            return fill_placeholders(translate("Run", "the data set %1 of the hub, as a stream"), data.repository)
        case SumsData():
            return ""


def _model(manifest: RunManifest) -> str:
    """The repository with the weights that training begins with; empty where they are random."""
    recipe = manifest.recipe
    return recipe.pretrained.repository if isinstance(recipe, TransformerSpec) and recipe.pretrained else ""


def _tokenizer(data: DataSpec) -> str:
    """The repository with the tokenizer; empty where none is fetched."""
    match data:
        case TextFiles(tokenizer=HubTokenizer() as tokenizer) | HubDataset(tokenizer=HubTokenizer() as tokenizer):
            return tokenizer.repository
        case _:
            return ""


def _of_the_hub(repository: str) -> str:
    return fill_placeholders(translate("Run", "%1 of the hub"), repository) if repository else ""


def _host_of(address: str) -> str:
    return sanitize_line(urlsplit(address).hostname or "", _LONGEST_HOST)
