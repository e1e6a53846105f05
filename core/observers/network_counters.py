"""What the network interfaces of this computer have sent and received since they came up, as the kernel counts it."""

from __future__ import annotations

import logging
from pathlib import Path

_INTERFACES = Path("/sys/class/net")
_log = logging.getLogger(__name__)


def interface_bytes(interfaces: Path = _INTERFACES) -> int | None:
    """The bytes that this computer has sent and received in all, without loopback; ``None`` where nobody tells.

    Where the kernel names interfaces with hardware behind them, these alone count: what goes through a tunnel or a
    bridge goes through one of them, too. Never raises.
    """
    try:
        import psutil

        counters = psutil.net_io_counters(pernic=True)
    except Exception as error:  # psutil's own errors, and those of systems that it reads in another way
        _log.debug("The network's counters: %r", error)
        return None
    known = {name: each for name, each in counters.items() if not _is_loopback(name)}
    hardware = {name: each for name, each in known.items() if (interfaces / name / "device").exists()}
    counted = (hardware or known).values()
    return sum(each.bytes_sent + each.bytes_recv for each in counted) if known else None


def _is_loopback(name: str) -> bool:
    return name in ("lo", "lo0") or name.startswith("Loopback")
