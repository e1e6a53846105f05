"""Energy as an electricity bill has it, and how much power is none."""

from __future__ import annotations

JOULES_PER_KWH = 3.6e6
MAX_DEVICE_WATTS = 5000  # more than one GPU draws: a sensor's fault, or a lie


def cost(joules: float, price_per_kwh: float) -> float:
    """What that much energy costs, in the currency of the price."""
    return joules / JOULES_PER_KWH * price_per_kwh
