"""What the tables of peers tell of each: what it is called, and how others reach it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from core.protocol.peers import PeerSeen
from core.security.sanitize import sanitize_line, short_id

translate = QCoreApplication.translate  # lupdate knows it by this name only

_MOST_CHARACTERS = 40


def peer_name(peer: PeerSeen) -> str:
    """The name that a peer gives itself, or a short form of its peer id."""
    return sanitize_line(peer.name, _MOST_CHARACTERS) or short_id(peer.peer_id)


def connection(client_mode: bool) -> str:
    """How others reach a peer: it is in client mode, or listens."""
    return translate("Peers", "Outgoing only") if client_mode else translate("Peers", "Direct")
