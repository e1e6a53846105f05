"""A fleet as a terminal shows it: sums, curves as sparklines, devices, and as many peers as there is room for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from core.cli.output.energy_words import cost_words, energy_words
from core.cli.output.fitting_table import FittingTable
from core.cli.output.summary import counted
from core.fleet.countries import countries_line
from core.fleet.history import FleetHistory, sparkline
from core.fleet.snapshot import FleetSnapshot, FleetTotals
from core.fleet.snapshot import Group as PeerGroup
from core.protocol.peers import FleetHealth, PeerSeen
from core.security.sanitize import sanitize_line, short_id
from core.texts import figures

FIXED_LINES = 20  # that all but the devices, the suspects and the peers take at most
MOST_SUSPECTS = 5
MOST_REASONS = 2
MOST_GROUPS = 4
_HEADINGS = ("peer", "name", "device", "version", "epoch", "samples", "samples/s", "norm ÷ median", "connection")
_EXPENDABLE = ("version", "norm ÷ median", "device", "connection")  # in a narrow terminal, the first ones first


def fleet_picture(
    snapshot: FleetSnapshot, history: FleetHistory, lines: int, hint: str = "", price: float | None = None
) -> RenderableType:
    """The whole picture, in about so many lines of a terminal; ``price`` is what a kilowatt-hour costs."""
    seen = f"seen {figures.clock(snapshot.at)}"
    title = Text.assemble((sanitize_line(snapshot.name, 60), "bold"), (f"   {snapshot.state}, {seen}{hint}", "dim"))
    notice = [Text(f"The organiser says: {sanitize_line(snapshot.notice, 200)}")] if snapshot.notice.strip() else []
    taken = FIXED_LINES + bool(snapshot.totals.countries)
    taken += min(len(snapshot.totals.devices), MOST_GROUPS) + min(len(snapshot.suspects), MOST_SUSPECTS)
    return Group(title, *notice, _figures(snapshot, history, price), _peer_table(snapshot, max(3, lines - taken)))


def fleet_line(snapshot: FleetSnapshot, price: float | None = None) -> str:
    """The fleet in one line, for output that cannot be redrawn."""
    energy = "".join(f" {words[:1].upper()}{words[1:]}." for words in _energy(snapshot, price))
    epoch = "no epoch" if snapshot.epoch is None else f"epoch {figures.count(snapshot.epoch)}"
    return (
        f"{figures.clock(snapshot.at)}: {counted(snapshot.totals.peers, 'peer')}, "
        f"{figures.rate(snapshot.totals.samples_per_second)}, {epoch}, {_to_next_step(snapshot)}, "
        f"loss {figures.loss(snapshot.loss)}.{energy}"
    )


def _figures(snapshot: FleetSnapshot, history: FleetHistory, price: float | None) -> Table:
    totals, points = snapshot.totals, history.points
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    table.add_row("peers", _curve(_of_peers(totals), [point.peers for point in points]))
    table.add_row(
        "samples", _curve(figures.rate(totals.samples_per_second), [point.samples_per_second for point in points])
    )
    table.add_row("epoch", Text(_epoch(snapshot)))
    bar = Table.grid(padding=(0, 1))
    bar.add_row(ProgressBar(max(snapshot.target, 1), snapshot.samples, 30), Text(_to_next_step(snapshot)))
    table.add_row("to next step", bar)
    losses = [point.loss for point in points if point.loss is not None]
    table.add_row("loss", _curve(figures.loss(snapshot.loss), losses))
    if snapshot.scores:
        last = snapshot.scores[-1]
        told = f"{figures.loss(last.loss)}, signed at epoch {figures.count(last.epoch)}"
        table.add_row("evaluation", _curve(told, [score.loss for score in snapshot.scores]))
    if totals.telling:
        table.add_row("rounds", Text(_rounds(totals)))
    for number, words in enumerate(_energy(snapshot, price)):
        table.add_row("" if number else "energy", Text(words))
    for number, each in enumerate(snapshot.health.reasons[:MOST_REASONS]):
        table.add_row(
            "" if number else "not whole", Text(f"{sanitize_line(each.words)}: {counted(each.peers, 'peer')}")
        )
    table.add_row("address", _reachability(snapshot.health))
    _add_groups(table, "devices", totals.devices)
    _add_groups(table, "versions", totals.versions)
    if totals.countries:
        table.add_row("countries", Text(countries_line(totals)))
    _add_suspects(table, snapshot)
    return table


def _energy(snapshot: FleetSnapshot, price: float | None) -> Iterator[str]:
    """What is told of it, and what that costs; that nothing is, to those who ask for its price."""
    energy = snapshot.energy
    if energy is not None or price is not None:
        yield energy_words(energy, snapshot.totals.peers)
    if energy is not None and price is not None:
        yield cost_words(energy, price)


def _of_peers(totals: FleetTotals) -> str:
    behind = f", {figures.count(totals.stragglers)} behind" if totals.stragglers else ""
    return f"{figures.count(totals.peers)} ({totals.direct} direct, {totals.outgoing} outgoing){behind}"


def _reachability(health: FleetHealth) -> Text:
    """Whether others can connect to the organiser's peer, and what to do where they cannot."""
    tried = health.reached + health.unreached
    if not tried:
        return Text("nobody has tried yet whether newcomers reach the organiser's peer", style="dim")
    told = f"{health.reached} of {counted(tried, 'peer')} could connect to the organiser's peer"
    if health.reached > health.unreached:
        return Text(told)
    return Text(f"{told}: its port must be open to newcomers (firewall, router, publish --announce)", style="yellow")


def _epoch(snapshot: FleetSnapshot) -> str:
    """The epoch; of how many, and when the last one ends, where that is known."""
    last = "" if snapshot.epochs is None else f" of {figures.count(snapshot.epochs)}"
    ends = (
        "" if snapshot.run_ends_in is None else f", about {figures.about(snapshot.run_ends_in)} to the end of the run"
    )
    return f"{figures.unknown() if snapshot.epoch is None else figures.count(snapshot.epoch)}{last}{ends}"


def _curve(text: str, values: Sequence[float]) -> Text:
    """A figure with what it was."""
    curve = sparkline(values)
    return Text.assemble(text, (f"   {curve}" if curve else "", "cyan"))


def _to_next_step(snapshot: FleetSnapshot) -> str:
    left = "" if snapshot.epoch_ends_in is None else f", about {figures.about(snapshot.epoch_ends_in)} to go"
    return f"{figures.count(snapshot.samples)} of {figures.count(snapshot.target)} samples{left}"


def _rounds(totals: FleetTotals) -> str:
    counts = (totals.whole_rounds, totals.partial_rounds, totals.failed_rounds)
    whole, partial, failed = map(figures.count, counts)
    return (
        f"{whole} whole, {partial} partial, {failed} failed, counted by {counted(totals.telling, 'peer')}; "
        f"{figures.size(totals.sent_bytes)} sent, {figures.size(totals.received_bytes)} received"
    )


def _add_groups(table: Table, name: str, groups: Sequence[PeerGroup]) -> None:
    for number, group in enumerate(groups[:MOST_GROUPS]):
        more = len(groups) - MOST_GROUPS if number == MOST_GROUPS - 1 else 0
        told = f"{figures.count(group.peers)} × {group.name}, {figures.rate(group.samples_per_second)}"
        table.add_row("" if number else name, Text(f"{told}{f', and {more} more' if more > 0 else ''}"))


def _add_suspects(table: Table, snapshot: FleetSnapshot) -> None:
    for number, each in enumerate(snapshot.suspects[:MOST_SUSPECTS]):
        told = f"{short_id(each.peer_id)}, by {each.named_by} of {snapshot.totals.peers}"
        table.add_row("" if number else "named", Text(told, style="yellow"))
    if snapshot.blocked:
        shown = ", ".join(short_id(each) for each in snapshot.blocked[:MOST_SUSPECTS])
        more = len(snapshot.blocked) - MOST_SUSPECTS
        table.add_row("blocked", Text(f"{shown}{f' and {more} more' if more > 0 else ''}"))


def _peer_table(snapshot: FleetSnapshot, rows: int) -> RenderableType:
    if not snapshot.peers:
        return Text("Nobody reports progress.")
    shown = snapshot.fastest(rows)
    table = FittingTable(_HEADINGS, [*map(_row, shown)], _EXPENDABLE, ("name", "device"), 12)
    more = snapshot.totals.peers - len(shown)
    return Group(table, Text(f"and {figures.count(more)} more", style="dim")) if more > 0 else table


def _row(peer: PeerSeen) -> list[Text]:
    cells = (
        short_id(peer.peer_id),
        sanitize_line(peer.name, 20) or "-",
        sanitize_line(peer.device, 30) or "-",
        sanitize_line(peer.activity.version, 12) or "-",
        figures.count(peer.epoch),
        figures.count(peer.samples),
        figures.rate(peer.samples_per_second),
        "-" if peer.norm_ratio is None else figures.amount(peer.norm_ratio),
        "outgoing" if peer.client_mode else "direct",
    )
    return [Text(each, no_wrap=True, overflow="ellipsis") for each in cells]
