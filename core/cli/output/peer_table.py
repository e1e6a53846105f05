"""The peers of a run as tables: what they say of themselves, and whom they name."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Column, Table

from core.protocol.peers import PeerSeen, Suspect
from core.security.sanitize import sanitize_line
from core.texts import figures

_PEER_ID = 52  # characters


def show_peers(console: Console, peers: Sequence[PeerSeen]) -> None:
    """One line for each peer that reports progress, the fastest first."""
    table = _table(console, "name", "device", "epoch", "samples", "samples/s", "connection")
    for peer in sorted(peers, key=lambda each: -each.samples_per_second):
        table.add_row(
            sanitize_line(peer.peer_id, 64),
            sanitize_line(peer.name) or "-",
            sanitize_line(peer.device) or "-",
            figures.count(peer.epoch),
            figures.count(peer.samples),
            figures.rate(peer.samples_per_second),
            "outgoing" if peer.client_mode else "direct",
        )
    console.print(table if peers else "Nobody reports progress.")


def show_suspects(console: Console, suspects: Sequence[Suspect], peers: Sequence[PeerSeen], run_id: str) -> None:
    """One line for each peer that others name, and what can be done about it.

    Of the last tries of its changes, by organiser and keepers, so many have made the held-out loss worse.
    """
    if not suspects:
        console.print(f"None of {len(peers)} peers names anybody.")
        return
    names = {peer.peer_id: peer.name for peer in peers}
    table = _table(console, "name", "named by", "outlier rounds", "refused states", "false averages", "loss worse")
    for each in suspects:
        table.add_row(
            sanitize_line(each.peer_id, 64),
            sanitize_line(names.get(each.peer_id, "")) or "-",
            f"{each.named_by} of {len(peers)}",
            figures.count(each.rounds),
            figures.count(each.refused_states),
            f"found by {each.found_out}" if each.found_out else "-",
            f"{each.worse} of {each.tries} tries" if each.tries else "-",
        )
    console.print(table)
    console.print(
        "A liar may name honest peers. The organiser blocks one with: "
        f"workerbee block PEER --run {sanitize_line(run_id)} --for 7d"
    )


def _table(console: Console, *headings: str) -> Table:
    """Peer ids stand whole in it, since people copy them: a narrow terminal folds them, and cuts nothing."""
    is_wide = console.width >= 2 * _PEER_ID
    peer = Column("peer", width=_PEER_ID if is_wide else _PEER_ID // 2, overflow="fold")
    return Table(peer, *headings, box=None, padding=(0, 2, 0, 0))
