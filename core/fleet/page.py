"""The status page of a run: static HTML, SVG and JSON for anybody to see; it loads nothing and runs nothing.

Whom the peers name as suspects, and who is blocked, is only counted there: a liar may name honest peers.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

import msgspec

from core.files.atomic import write_atomically
from core.fleet.charts import Chart, Line, clock
from core.fleet.countries import countries_line
from core.fleet.history import KEPT_SECONDS, FleetHistory
from core.fleet.snapshot import FleetEnergy, FleetSnapshot, Group
from core.fleet.style import PAGE_STYLE
from core.protocol.codec import encode
from core.protocol.peers import PeerSeen
from core.security.sanitize import sanitize_line, short_id
from core.texts import figures

MOST_PEERS = 100  # in the page and in status.json, the fastest; so all files together stay below MAX_PAGE_BYTES
MAX_PAGE_BYTES = 300_000
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def write_page(folder: Path, snapshot: FleetSnapshot, history: FleetHistory) -> None:
    """Write all files of the page, each whole or not at all, for any web server to read; raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in page_files(snapshot, history).items():
        write_atomically(folder / name, data, mode=0o644)


def page_files(snapshot: FleetSnapshot, history: FleetHistory) -> dict[str, bytes]:
    """The page's files by name, the page itself last."""
    charts = charts_of(snapshot, history)
    files = {f"{chart.key}.svg": chart.file() for chart in charts}
    return files | {"status.json": public_status(snapshot), "index.html": _page(snapshot, charts).encode()}


def public_status(snapshot: FleetSnapshot) -> bytes:
    """The snapshot as a JSON object, with the fastest peers only, and with counts of suspects and of blocked peers."""
    fields = msgspec.to_builtins(msgspec.structs.replace(snapshot, peers=snapshot.fastest(MOST_PEERS)))
    return encode(fields | {"suspects": len(snapshot.suspects), "blocked": len(snapshot.blocked)})


def charts_of(snapshot: FleetSnapshot, history: FleetHistory) -> tuple[Chart, ...]:
    """The loss, samples per second and peers of the last 24 hours."""
    losses = [(point.at, point.loss) for point in history.points if point.loss is not None and _is_sane(point.loss)]
    since = snapshot.at - KEPT_SECONDS
    scores = [(score.at, score.loss) for score in snapshot.scores if since <= score.at <= snapshot.at]
    loss_lines = (Line("reported", losses), Line("signed evaluations", scores, has_dots=True))
    rates = [(point.at, point.samples_per_second) for point in history.points]
    peers = [(point.at, float(point.peers)) for point in history.points]
    return (
        Chart("loss", "Loss over time", loss_lines, figures.loss, starts_at_zero=False),
        Chart("speed", "Samples per second over time", (Line("all peers", rates),), figures.rate),
        Chart("peers", "Number of peers over time", (Line("peers", peers),), lambda value: figures.count(round(value))),
    )


def _is_sane(loss: float) -> bool:
    return math.isfinite(loss) and abs(loss) < 1e6


def _page(snapshot: FleetSnapshot, charts: Sequence[Chart]) -> str:
    name = _text(snapshot.name)
    notice = f"<p>The organiser says: {_text(snapshot.notice, 500)}</p>" if snapshot.notice.strip() else ""
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(snapshot.at))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="referrer" content="no-referrer">
<title>{name}: who trains it now</title>
<style>{PAGE_STYLE}</style>
</head>
<body>
<header>
<h1>{name}</h1>
<p>A training run that many people share, seen <time datetime="{moment}">{_date(snapshot.at)} UTC</time>.</p>
{notice}</header>
<main>
{_now(snapshot)}
{_charts(charts)}
{_groups("Devices", "device", snapshot.totals.devices)}
{_groups("Versions of Workerbee", "version", snapshot.totals.versions)}
{_evaluations(snapshot)}
{_peers(snapshot)}
</main>
<footer>
<p>All figures are what the peers report of themselves; only evaluations are signed by the organiser or its keepers.
The page is written anew every minute: reload it for newer figures.
For programs: <a href="status.json">status.json</a>.</p>
</footer>
</body>
</html>
"""


def _now(snapshot: FleetSnapshot) -> str:
    totals, energy = snapshot.totals, snapshot.energy
    entries = [
        ("State", _text(snapshot.state)),
        ("Peers", f"{figures.count(totals.peers)} ({totals.direct} direct, {totals.outgoing} outgoing only)"),
        ("Samples per second", figures.rate(totals.samples_per_second)),
        ("Epoch", figures.unknown() if snapshot.epoch is None else figures.count(snapshot.epoch)),
        ("To the next step", _to_next_step(snapshot)),
        ("Loss, reported", figures.loss(snapshot.loss)),
        ("Rounds, as each peer counts them", _rounds(snapshot)),
        ("Traffic of all", f"{figures.size(totals.sent_bytes)} sent, {figures.size(totals.received_bytes)} received"),
        *([("Countries, as told", _text(countries_line(totals)))] if totals.countries else []),
        *([("Power and energy of those that tell", _energy(energy, totals.peers))] if energy else []),
        ("Named by others", figures.count(len(snapshot.suspects))),
        ("Blocked", figures.count(len(snapshot.blocked))),
    ]
    told = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in entries)
    return f'<section aria-labelledby="now"><h2 id="now">Now</h2><dl>{told}</dl></section>'


def _to_next_step(snapshot: FleetSnapshot) -> str:
    done = snapshot.samples / snapshot.target if snapshot.target else 0.0
    left = f", about {figures.about(snapshot.epoch_ends_in)} to go" if snapshot.epoch_ends_in is not None else ""
    bar = f'<progress max="100" value="{100 * done:.0f}" aria-label="Samples of this epoch"></progress>'
    return f"{figures.count(snapshot.samples)} of {figures.count(snapshot.target)} samples{left}{bar}"


def _rounds(snapshot: FleetSnapshot) -> str:
    totals = snapshot.totals
    if not totals.telling:
        return figures.unknown()
    counts = (totals.whole_rounds, totals.partial_rounds, totals.failed_rounds)
    whole, partial, failed = map(figures.count, counts)
    return f"{whole} whole, {partial} partial, {failed} failed"


def _energy(energy: FleetEnergy, peers: int) -> str:
    end = "" if energy.joules_at_end is None else f", about {figures.energy(energy.joules_at_end)} by the run's end"
    capped = f"; of {figures.count(energy.capped)} less counts than is told" if energy.capped else ""
    return (
        f"{figures.power(energy.watts)} of {figures.count(energy.telling)} of {figures.count(peers)} peers, "
        f"{figures.energy(energy.joules)} so far{end}{capped}"
    )


def _charts(charts: Sequence[Chart]) -> str:
    drawn = "".join(f"<figure>{chart.svg()}<figcaption>{_caption(chart)}</figcaption></figure>" for chart in charts)
    return (
        f'<section aria-labelledby="day"><h2 id="day">The last 24 hours</h2><div class="charts">{drawn}</div></section>'
    )


def _caption(chart: Chart) -> str:
    """The chart's title; where it has two lines, how they are told apart."""
    labels = [line.label for line in chart.lines if line.samples]
    told = f": {labels[0]} as a line, {labels[1]} as dots" if len(labels) > 1 else ""
    return f"{escape(chart.title)}{escape(told)}"


def _groups(heading: str, key: str, groups: Iterable[Group]) -> str:
    rows = [
        (_text(group.name, 80), figures.count(group.peers), figures.rate(group.samples_per_second)) for group in groups
    ]
    return _table(heading, f"{key}s", (key, "peers", "samples per second"), rows)


def _evaluations(snapshot: FleetSnapshot) -> str:
    rows = [
        (figures.count(score.epoch), figures.loss(score.loss), f"{_date(score.at)} UTC")
        for score in reversed(snapshot.scores[-10:])
    ]
    return _table("Signed evaluations", "scores", ("epoch", "loss", "measured"), rows)


def _peers(snapshot: FleetSnapshot) -> str:
    shown = snapshot.fastest(MOST_PEERS)
    heading = "Peers" if len(shown) == snapshot.totals.peers else f"The {len(shown)} fastest peers"
    headings = ("peer", "samples per second", "samples", "epoch", "name", "device", "connection", "version")
    return _table(heading, "each", headings, [_peer(peer) for peer in shown], numbers=3)


def _peer(peer: PeerSeen) -> tuple[str, ...]:
    return (
        escape(short_id(peer.peer_id)),
        figures.rate(peer.samples_per_second),
        figures.count(peer.samples),
        figures.count(peer.epoch),
        _text(peer.name, 40),
        _text(peer.device, 80),
        "outgoing only" if peer.client_mode else "direct",
        _text(peer.activity.version, 24),
    )


def _table(heading: str, key: str, headings: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 2) -> str:
    """A section with a table, whose first column names its rows, and whose next ``numbers`` columns are figures."""
    section = f'<section aria-labelledby="{key}"><h2 id="{key}">{heading}</h2>'
    if not rows:
        return f"{section}<p>None yet.</p></section>"
    classes = ["", *([' class="number"'] * numbers), *([""] * len(headings))]
    head = "".join(f'<th scope="col"{kind}>{name}</th>' for name, kind in zip(headings, classes, strict=False))
    body = "".join(
        f'<tr><th scope="row">{first}</th>'
        + "".join(f"<td{kind}>{cell}</td>" for cell, kind in zip(cells, classes[1:], strict=False))
        + "</tr>"
        for first, *cells in rows
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'{section}<div class="wide" role="group" aria-labelledby="{key}" tabindex="0">{table}</div></section>'


def _text(strangers: str, longest: int = 120) -> str:
    """A stranger's words as one line of harmless characters; a dash for none."""
    return escape(sanitize_line(strangers, longest)) or "–"


def _date(at: float) -> str:
    return f"{time.strftime('%Y-%m-%d', time.gmtime(at))} {clock(at)}"
