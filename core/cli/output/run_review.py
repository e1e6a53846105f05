"""What a volunteer reads before agreeing: the run, what it asks of this computer, what strangers will see."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from core.cli.output import format as figures
from core.cli.output.fit_text import memory_asked, memory_fit
from core.hardware.device import Device
from core.protocol.events import RunFound
from core.run.requirements import estimate_requirements
from core.run.spec.data import DataSpec, HubDataset, HubImages, ImageFiles, SumsData, TextFiles, hosts_of
from core.security.sanitize import sanitize_line, sanitize_text, short_id

Rows = list[tuple[str, str]]

_VISIBLE = (
    "your IP address, a peer id made up for this computer, what kind of GPU you lend, how many samples you "
    "compute and how fast, and the name you chose, if any; not who you are, and none of your files"
)


def show_run(console: Console, run: RunFound, measured: str = "") -> None:
    """The run as `inspect` tells it, and what a dry run says of it."""
    rows = [*_of_run(run), ("memory", memory_asked(run.manifest)), ("now", _now(run))]
    _print(console, run, [*rows, ("measured", measured)] if measured else rows)


def show_offer(console: Console, run: RunFound, device: Device, devices: Sequence[Device]) -> None:
    """The run as somebody needs it who is about to agree to it on that device."""
    label = f"{device.label}, {sanitize_line(device.name)}" if device.name else device.label
    rows = [*_of_run(run), ("memory", memory_fit(run.manifest, device, devices)), ("now", _now(run))]
    _print(console, run, [*rows, ("your device", label), ("others will see", _VISIBLE)])


def organiser_of(run: RunFound) -> str:
    """Who has signed it, and whether the pasted address says so too."""
    if not run.organiser:
        return "not signed: this description is your own file"
    if run.vouched:
        return f"{short_id(run.organiser)}, vouched for by the address"
    return f"{short_id(run.organiser)}, NOT vouched for by the address: anybody in the swarm may have signed it"


def _of_run(run: RunFound) -> Rows:
    """What the manifest says, the organiser's own words as far as there are any."""
    info, needs = run.manifest.run, estimate_requirements(run.manifest)
    recipe = f"{run.manifest.recipe.__struct_config__.tag}, {figures.count(needs.parameters)} parameters"
    rows = [
        ("run", f"{info.id}, revision {run.manifest.revision}, {info.state}"),
        ("organiser", organiser_of(run)),
        ("licence", sanitize_line(info.license)),
        ("page", sanitize_line(info.homepage)),
        ("contact", sanitize_line(info.contact)),
        ("notice", sanitize_line(info.notice)),
        ("recipe", recipe),
        ("download", figures.size(needs.download_bytes)),
        ("files", f"{figures.size(needs.fetched_bytes)}, fetched once" if needs.fetched_bytes else ""),
        ("data", _source_of(run.manifest.data)),
    ]
    return [(name, words) for name, words in rows if words]


def _source_of(data: DataSpec) -> str:
    """Where what the run learns from is fetched, because whoever is asked for it sees who asks."""
    match data:
        case TextFiles() | ImageFiles():
            files = figures.counted(len(data.files), "file")
            return f"{files} of {figures.size(data.size_bytes)} from {sanitize_line(hosts_of(data), 200)}"
        case HubDataset() | HubImages():
            return f"the data set {data.repository} of the hub, read as a stream"
        case SumsData():
            return ""


def _now(run: RunFound) -> str:
    """Peers, epoch, speed and loss, each only if it is known."""
    known = [
        None if run.peers is None else figures.counted(run.peers, "peer"),
        None if run.epoch is None else f"epoch {figures.count(run.epoch)}",
        None if run.samples_per_second is None else f"samples {figures.rate(run.samples_per_second)}",
        None if run.loss is None else f"loss {figures.loss(run.loss)}",
    ]
    return ", ".join(words for words in known if words) or figures.UNKNOWN


def _print(console: Console, run: RunFound, rows: Rows) -> None:
    info = run.manifest.run
    console.print(Text(sanitize_line(info.name, 120), style="bold"))
    if info.description.strip():
        console.print(Text(sanitize_text(info.description, 2000).strip()))
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, words in rows:
        table.add_row(name, Text(words))
    console.print(table)
