"""A pasted address in words: what can be read in it, or why it cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.placeholders import fill_placeholders
from core.texts.localization import translate
from core.texts.worker_messages import translate_message

if TYPE_CHECKING:
    from core.run.address import JoinAddress, UnreadableAddress


def what_it_is(address: JoinAddress) -> str:
    """Return what the text was read as: ``This can be read: 1 address of the run “sums”.``"""
    many = translate("Address", "%n address(es)", "", len(address.peers))
    if address.run_id is None:
        words = fill_placeholders(translate("Address", "This can be read: %1."), many)
    else:
        words = fill_placeholders(translate("Address", "This can be read: %1 of the run “%2”."), many, address.run_id)
    return f"{words} {translate('Address', 'An invitation comes with it.')}" if address.invitation else words


def what_is_wrong(error: UnreadableAddress) -> str:
    """Return which piece of the text cannot be read, and why."""
    reason = translate_message(error.reason)
    if not error.piece:
        return f"{reason[:1].upper()}{reason[1:]}."
    return fill_placeholders(translate("Address", "“%1”: %2."), error.piece, reason)


def what_is_good(error: UnreadableAddress) -> str:
    """Return an example of an address that can be read."""
    return fill_placeholders(translate("Address", "A good one looks like %1"), error.good)
