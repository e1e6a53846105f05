"""What the live display draws: values in, something that rich can print out."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from core.cli.output.summary import Tally, counted
from core.client.session import Session
from core.protocol.commands import Publish
from core.protocol.events import Evaluated, Progress, RunFound
from core.security.sanitize import sanitize_line
from core.texts import event_log, figures
from core.texts.contributions.status import contribution_status
from core.texts.experts import experts_words
from core.texts.run import notice_of
from core.texts.status import status
from core.texts.traffic import hourly_traffic

_STATUS_STYLES = {"helping": "bold green"} | dict.fromkeys(("alone", "without_step", "out_of_sync"), "bold yellow")
_SHOWN_EXAMPLES, _LONG = 6, 25


def picture(session: Session, tally: Tally, now: float, footer: str = "") -> RenderableType:
    """Return the whole live display; ``now`` is in seconds of ``time.monotonic()``, ``footer`` its last line."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    if session.chosen and (notice := notice_of(session.chosen)):
        table.add_row("notice", Text(notice))
    if session.phase == "training" and session.contribution_status is not None:
        table.add_row("contribution", Text(contribution_status(session)))
    if session.loading:
        table.add_row("download", ProgressBar(session.loading.total_bytes or None, session.loading.received_bytes, 40))
    if session.progress:
        _add_progress(table, session.progress, session)
        if hourly := hourly_traffic(tally.timestamps.traffic, session, now):
            table.add_row("", Text(hourly))
        table.add_row("stood still", Text(f"at most {figures.latency(tally.longest_stall)} at a time"))
    if session.rounds:
        table.add_row("last round", Text(event_log.line(session.rounds[-1]) or ""))
    _add_learning(table, session, tally)
    if session.experts:
        table.add_row("experts", Text(experts_words(session.experts)))
    if footer:
        table.add_row("organiser", Text(sanitize_line(footer)))
    return Group(_title(session), _status(session, tally, now), table)


def _title(session: Session) -> Text:
    source = session.chosen or session.opening
    manifest = source.manifest if isinstance(source, RunFound | Publish) else None
    name = sanitize_line(manifest.run.name, 60) if manifest else ""
    resume = "   r: resume now   i: ignore this until midnight" if session.is_held else ""
    hint = "" if session.phase in ("leaving", "ended") else f"   q or Ctrl-C: leave{resume}"
    return Text.assemble((name, "bold"), (hint, "dim"))


def _status(session: Session, tally: Tally, now: float) -> Text:
    is_steady = session.phase == "training" and session.contribution_status is not None
    style = (
        _STATUS_STYLES.get(session.contribution_status.state, "bold")
        if is_steady and session.contribution_status
        else "bold"
    )
    return Text(status(session, tally.timestamps, now), style=style)


def _add_progress(table: Table, progress: Progress, session: Session) -> None:
    bar = ProgressBar(max(progress.target, 1), min(progress.samples, progress.target), 30)
    of_target = f"{figures.count(progress.samples)} of {figures.count(progress.target)} samples"
    is_round = progress.steps is not None
    table.add_row("round" if is_round else "epoch", Text(f"{progress.epoch}"))
    table.add_row(
        "of this round" if is_round else "to next step",
        _beside(bar, f"{of_target}, {figures.count(progress.my_samples)} of them mine"),
    )
    mine, swarm = progress.samples_per_second, progress.swarm_samples_per_second
    speed = f"mine {figures.rate(mine)} · swarm {figures.rate(swarm)}"
    table.add_row("samples", Text(speed))
    table.add_row("peers", Text(_peers(progress)))
    traffic = f"up {figures.size(progress.sent_bytes)} · down {figures.size(progress.received_bytes)}"
    table.add_row("given", Text(counted(session.contributed_samples, "sample")))
    table.add_row("traffic", Text(traffic))


def _peers(progress: Progress) -> str:
    clients = f", {progress.clients} with outgoing connections only" if progress.clients else ""
    return f"{counted(progress.peers, 'peer')}{clients}"


def _add_learning(table: Table, session: Session, tally: Tally) -> None:
    if session.progress and tally.last_loss is not None:
        began = "" if tally.first_loss is None else f" (began at {figures.loss(tally.first_loss)})"
        table.add_row("loss", Text(f"{figures.loss(tally.last_loss)}{began}"))
    elif session.progress:
        table.add_row("loss", Text(figures.unknown()))
    if session.evaluated:
        accuracy = f"{figures.share(session.evaluated.accuracy)} at epoch {session.evaluated.epoch}"
        table.add_row("accuracy", Text(accuracy))
        if session.evaluated.examples:
            table.add_row("solved", _solved(session.evaluated))


def _solved(evaluated: Evaluated) -> Text:
    """The last examples, each with a tick or a cross; long ones stand below each other."""
    text = Text()
    between = "   " if all(len(example.text) < _LONG for example in evaluated.examples) else "\n"
    for example in evaluated.examples[:_SHOWN_EXAMPLES]:
        mark, style = ("✓", "green") if example.correct else ("✗", "red")
        text.append(f"{mark} ", style=style).append(f"{sanitize_line(example.text, 100)}{between}")
    text.rstrip()
    return text


def _beside(bar: ProgressBar, label: str) -> Table:
    row = Table.grid(padding=(0, 1))
    row.add_row(bar, Text(label))
    return row
