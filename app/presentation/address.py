"""A pasted address in words: what can be read in it, or why it cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP

from core.placeholders import fill_placeholders
from core.texts.localization import translate

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
    reason = _with_values(translate("Address", str(error.template)), error.values)
    if not error.piece:
        return f"{reason[:1].upper()}{reason[1:]}."
    return fill_placeholders(translate("Address", "“%1”: %2."), error.piece, reason)


def what_is_good(error: UnreadableAddress) -> str:
    """Return an example of an address that can be read."""
    return fill_placeholders(translate("Address", "A good one looks like %1"), error.good)


def _with_values(template: str, values: tuple[str, ...]) -> str:
    """The sentence of core.run.address in whatever language; a translation with other blanks is left as it
    is.
    """
    try:
        return template.format(*values)
    except (IndexError, KeyError, ValueError):
        return template


REASONS: tuple[object, ...] = (
    QT_TRANSLATE_NOOP("Address", "nothing was pasted"),
    QT_TRANSLATE_NOOP("Address", "this is not an address"),
    QT_TRANSLATE_NOOP("Address", "this is {} characters long, and that is not an address"),
    QT_TRANSLATE_NOOP("Address", "this is a web link, not where a peer of the run is"),
    QT_TRANSLATE_NOOP("Address", "this is a peer id alone, and does not say where the peer is"),
    QT_TRANSLATE_NOOP("Address", "this does not say which peer is there: the peer id is missing"),
    QT_TRANSLATE_NOOP("Address", "these are {} addresses, and {} are the most; the first few are enough"),
    QT_TRANSLATE_NOOP("Address", "this is not a run's name"),
    QT_TRANSLATE_NOOP("Address", "these are several runs; join one of them"),
    QT_TRANSLATE_NOOP("Address", "this link is none to join a run"),
    QT_TRANSLATE_NOOP("Address", "this link names no peer"),
    QT_TRANSLATE_NOOP("Address", "these are {} invitations; paste one of them"),
    QT_TRANSLATE_NOOP("Address", "the invitation in it is damaged; copy the whole link again"),
    QT_TRANSLATE_NOOP("Address", "an address begins with where the peer is: /ip4/, /ip6/ or /dns/"),
    QT_TRANSLATE_NOOP("Address", "“{}” is not a host name"),
    QT_TRANSLATE_NOOP("Address", "“{}” is not an IPv{} address (a name goes with /dns4/ or /dns6/)"),
    QT_TRANSLATE_NOOP("Address", "nobody can dial {}, which means every address of the organiser's own computer"),
    QT_TRANSLATE_NOOP("Address", "{} is not the address of one computer"),
    QT_TRANSLATE_NOOP("Address", "it ends where the port should be"),
    QT_TRANSLATE_NOOP("Address", "“{}” stands where the port should be"),
    QT_TRANSLATE_NOOP("Address", "“{}” is not a port, which is a number from 1 to 65535"),
    QT_TRANSLATE_NOOP("Address", "the old /quic is dead, and no peer speaks it any more"),
    QT_TRANSLATE_NOOP("Address", "a udp port must be followed by /quic-v1"),
    QT_TRANSLATE_NOOP("Address", "“{}” follows where the address should end"),
    QT_TRANSLATE_NOOP("Address", "“{}” stands where /p2p/ and the peer id should be"),
    QT_TRANSLATE_NOOP("Address", "it ends without /p2p/ and the peer id, so it does not say who is there"),
    QT_TRANSLATE_NOOP("Address", "the peer id {}"),
)
"""Everything that core.run.address and core.run.multiaddr may find wrong, for lupdate; a test compares."""
