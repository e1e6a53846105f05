"""The countries that the peers of a fleet have chosen to tell; nobody's is looked up."""

from __future__ import annotations

from core.fleet.snapshot import FleetTotals
from core.texts import figures


def silent_peers(totals: FleetTotals) -> int:
    """How many of the peers that were told name no country."""
    return totals.direct + totals.outgoing - sum(group.peers for group in totals.countries)


def countries_line(totals: FleetTotals) -> str:
    """How many peers name which country, and how many none; empty where nobody names one."""
    if not totals.countries:
        return ""
    told = [f"{figures.count(group.peers)} × {group.name}" for group in totals.countries]
    silent = silent_peers(totals)
    others = [f"{figures.count(silent)} {'does' if silent == 1 else 'do'} not say"] if silent else []
    return ", ".join([*told, *others])
