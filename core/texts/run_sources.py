"""Where a run's files come from: every host and every repository, because each sees who asks."""

from __future__ import annotations

from urllib.parse import urlsplit

from core.placeholders import fill_placeholders
from core.run.manifest import RunManifest
from core.run.spec.data import DataSpec, HubDataset, HubImages, HubTokenizer, ImageFiles, SumsData, TextFiles, hosts_of
from core.run.spec.recipe import TransformerSpec
from core.run.spec.web_address import hub_endpoint
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
