"""What the window says about an address that was pasted."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.filled import filled
from core.address import JoinAddress, UnreadableAddress

translate = QCoreApplication.translate


def what_it_is(address: JoinAddress) -> str:
    """``One address, of the run “sums”.``"""
    many = translate("Address", "%n address(es)", "", len(address.peers))
    if address.run_id is None:
        return filled(translate("Address", "This can be read: %1."), many)
    return filled(translate("Address", "This can be read: %1 of the run “%2”."), many, address.run_id)


def what_is_wrong(error: UnreadableAddress) -> str:
    """Which piece, why, and what a good one looks like."""
    return f"{error.detail[:1].upper()}{error.detail[1:]}."
