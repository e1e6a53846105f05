"""What a volunteer reads before agreeing: the run, what it requires of this computer, what strangers will see."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from core.client.session import Session
from core.files.disk_space import DiskSpace
from core.hardware.device import Device
from core.hardware.fit import Fit, fits, gpu_memory_needed, host_memory_needed
from core.protocol.events import RunFound
from core.protocol.types import NOTHING_DISCLOSED, Disclosure
from core.records.settings import Settings
from core.run.requirements import estimate_requirements
from core.run.round_estimate import Line
from core.security.confinement.gaps import Gap
from core.security.sanitize import sanitize_line, sanitize_text
from core.texts import figures, traffic
from core.texts import fit as fit_texts
from core.texts import run as run_texts
from core.texts.confinement import confinement_words
from core.texts.device import label_of
from core.texts.experts import role_words

Rows = list[tuple[str, str]]

_VISIBLE = (
    "your IP address, a peer id made up for this computer, what kind of GPU you lend and, where its driver tells it, "
    "the power that it draws, how many samples you compute and how fast, how fast your line uploads, your version of "
    "Workerbee, your rounds and traffic, and the name you chose, if any; not who you are, and none of your files"
)

_KEEPS = (
    "computes almost nothing; averages for the others and keeps the run's state for newcomers. Others must reach this "
    "computer"
)


def show_run(
    console: Console,
    run: RunFound,
    measured: str = "",
    own_speed: float | None = None,
    line: Line | None = None,
    unused_gpus: str = "",
) -> None:
    """Print the run as `inspect` describes it, with the result of a dry run if there is one.

    ``own_speed`` is this computer's, in samples per second; what its ``line`` leaves of the computing is said.
    ``unused_gpus`` says which GPUs of this computer cannot train, and why.
    """
    on_gpu, on_host = gpu_memory_needed(run.manifest), host_memory_needed(run.manifest)
    memory = f"about {figures.size(on_gpu)} on a GPU, {figures.size(on_host)} of ordinary memory"
    speed = traffic.swarm_speed(run.samples_per_second, own_speed)
    told = ("Traffic", traffic.traffic_of(run.manifest, speed, line))
    _print(console, run, [*_rows(run), told, ("Memory", memory), ("GPU", unused_gpus), ("Measured", measured)])


def show_offer(
    console: Console,
    run: RunFound,
    device: Device,
    devices: Sequence[Device],
    line: Line | None,
    gaps: Sequence[Gap] = (),
    role: str = "",
    memory_limit_bytes: int | None = None,
    disclosure: Disclosure = NOTHING_DISCLOSED,
) -> None:
    """Print the run for a person who is about to agree to train it on that device.

    ``gaps`` are what this computer cannot keep from the training process; ``role`` is what it does in the run,
    ``memory_limit_bytes`` the most that its owner gives of the device's memory; ``disclosure`` is what is told besides.
    """
    needs = fits(run.manifest, device, devices, DiskSpace(), memory_limit_bytes)
    memory = [("GPU memory", _fit(needs.gpu)), ("Memory", _fit(needs.memory))]
    told = ("Traffic", traffic.traffic_of(run.manifest, run.samples_per_second, line))
    seen = [("Others will see", _visible(disclosure)), ("Confinement", confinement_words(gaps) if gaps else "")]
    _print(console, run, [*_rows(run), ("Role", role), told, ("Device", label_of(device)), *memory, *seen])


def show_found(
    console: Console,
    run: RunFound,
    session: Session,
    settings: Settings,
    device: Device,
    devices: Sequence[Device],
    *,
    train: bool = True,
) -> None:
    """The same of a run that a session has found, whose worker knows the line and how it is confined."""
    gaps = session.confined.gaps if session.confined else ()
    line = traffic.known_line(settings, session.upload, session.download)
    role = role_words(run, settings.expert_role, settings.hosted_experts) if train else _KEEPS
    show_offer(console, run, device, devices, line, gaps, role, settings.memory_limit_bytes, settings.disclosure)


def _visible(disclosure: Disclosure) -> str:
    """What others will see, with what the volunteer has chosen to tell."""
    told = [f"your country ({disclosure.country})"] if disclosure.country else []
    told += ["that model cards of the run may call you by your name"] if disclosure.may_be_named else []
    return f"{_VISIBLE}. You also tell {' and '.join(told)}" if told else _VISIBLE


def _fit(fit: Fit | None) -> str:
    """The bytes that are needed and free; too little of them is in capitals."""
    if fit is None:
        return ""
    verdict = fit_texts.verdict_on(fit)
    shown = verdict.upper() if fit.verdict == "too_little" else verdict
    return f"{fit_texts.numbers_of(fit).rstrip('.')} ({shown})"


def _rows(run: RunFound) -> Rows:
    """What the manifest says, the organiser's own texts as far as there are any."""
    info, needs = run.manifest.run, estimate_requirements(run.manifest)
    files = f", and {figures.size(needs.fetched_bytes)} of files once" if needs.fetched_bytes else ""
    return [
        ("State", run_texts.closed_words(run) or run_texts.order_words(run.order)),
        ("Signature", " ".join(run_texts.trust_in(run))),
        *run_texts.facts_of(run, sanitize_line(info.homepage)),
        ("Notice", sanitize_line(info.notice)),
        ("Download", f"{figures.size(needs.download_bytes)}{files}"),
    ]


def _print(console: Console, run: RunFound, rows: Rows) -> None:
    description = run.manifest.run.description
    console.print(Text(run_texts.title_of(run), style="bold"))
    if description.strip():
        console.print(Text(sanitize_text(description, 2000).strip()))
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in rows:
        if text:
            table.add_row(name, Text(text))
    console.print(table)
