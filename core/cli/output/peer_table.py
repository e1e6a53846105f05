"""The peers of a run as tables: what they say of themselves, and whom they name."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from core.protocol.peers import PeerSeen, Suspect
from core.security.sanitize import sanitize_line
from core.texts import figures

_PEER_ID = 52  # characters


def show_peers(console: Console, peers: Sequence[PeerSeen]) -> None:
    """One line for each peer that reports progress, the fastest first."""
    rows = [
        (
            sanitize_line(peer.peer_id, 64),
            sanitize_line(peer.name) or "-",
            sanitize_line(peer.device) or "-",
            figures.count(peer.epoch),
            figures.count(peer.samples),
            figures.rate(peer.samples_per_second),
            "outgoing" if peer.client_mode else "direct",
        )
        for peer in sorted(peers, key=lambda each: -each.samples_per_second)
    ]
    if rows:
        _show(console, ("name", "device", "epoch", "samples", "samples/s", "connection"), rows)
    else:
        console.print("Nobody reports progress.")


def show_suspects(console: Console, suspects: Sequence[Suspect], peers: Sequence[PeerSeen], run_id: str) -> None:
    """One line for each peer that others name, and what can be done about it.

    Of the last tries of its changes, by organiser and keepers, so many have made the held-out loss worse.
    """
    if not suspects:
        console.print(f"None of {len(peers)} peers names anybody.")
        return
    names = {peer.peer_id: peer.name for peer in peers}
    rows = [
        (
            sanitize_line(each.peer_id, 64),
            sanitize_line(names.get(each.peer_id, "")) or "-",
            f"{each.named_by} of {len(peers)}",
            figures.count(each.rounds),
            figures.count(each.refused_states),
            f"found by {each.found_out}" if each.found_out else "-",
            f"{each.worse} of {each.tries} tries" if each.tries else "-",
        )
        for each in suspects
    ]
    _show(console, ("name", "named by", "outlier rounds", "refused states", "false averages", "loss worse"), rows)
    console.print(
        "A liar may name honest peers. The organiser blocks one with: "
        f"workerbee block PEER --run {sanitize_line(run_id)} --for 7d"
    )


def _show(console: Console, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print the rows, each of which begins with a peer id, in one piece, since people copy it.

    Where a terminal is too narrow for a table, the id has a line of its own, and the rest stands below it.
    """
    if console.width < 2 * _PEER_ID:
        for peer_id, *values in rows:
            console.print(peer_id, soft_wrap=True)
            told = " · ".join(f"{heading}: {value}" for heading, value in zip(headings, values, strict=True))
            console.print(Padding(told, (0, 0, 0, 2)))
        return
    table = Table("peer", *headings, box=None, padding=(0, 2, 0, 0))
    table.columns[0].no_wrap, table.columns[0].min_width = True, _PEER_ID
    for row in rows:
        table.add_row(*row)
    console.print(table)
