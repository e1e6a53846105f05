"""What a fleet draws, and what that costs, in the words of a terminal."""

from __future__ import annotations

from core.cli.output.summary import counted
from core.energy import cost
from core.fleet.snapshot import FleetEnergy
from core.texts import figures


def energy_words(energy: FleetEnergy | None, peers: int) -> str:
    """What those of so many peers draw that tell it; nothing is said of the others but how many they are."""
    if energy is None:
        return "no peer tells what it draws"
    told = f"all {peers} peers" if energy.telling == peers else f"the {energy.telling} of {peers} peers that tell"
    end = "" if energy.joules_at_end is None else f"; about {figures.energy(energy.joules_at_end)} by the run's end"
    capped = f"; of {counted(energy.capped, 'peer')} less counts than is told" if energy.capped else ""
    return f"{figures.power(energy.watts)} of {told}, {figures.energy(energy.joules)} so far{end}{capped}"


def cost_words(energy: FleetEnergy, price: float) -> str:
    """What that energy costs, at a price for a kilowatt-hour in whatever currency."""
    end = (
        "" if energy.joules_at_end is None else f", about {_money(cost(energy.joules_at_end, price))} by the run's end"
    )
    return f"at {_price(price)} a kWh: {_money(cost(energy.joules, price))} so far{end}"


def _price(price: float) -> str:
    """With as many digits as it was given, two at the least."""
    return f"{price:.2f}" if round(price, 2) == price else f"{price:g}"


def _money(amount: float) -> str:
    return f"{amount:,.2f}"
